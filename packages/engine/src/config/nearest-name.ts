import { distance } from 'fastest-levenshtein';

/** Returns the known name with the fewest edits, if at most a third of its letters differ. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const [nearest] = known.toSorted((a, b) => distance(name, a) - distance(name, b));
  return nearest !== undefined && distance(name, nearest) <= nearest.length / 3 ? nearest : null;
}
