import { distance } from 'fastest-levenshtein';

/** Returns the known name with the fewest edits, if at most a third of its letters differ. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((candidate) => ({ candidate, edits: distance(name, candidate) }))
    .toSorted((a, b) => a.edits - b.edits);
  return nearest !== undefined && nearest.edits <= nearest.candidate.length / 3 ? nearest.candidate : null;
}
