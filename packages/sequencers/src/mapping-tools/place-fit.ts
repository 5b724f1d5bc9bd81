/** Which paths have the usual names of a field, and values of its form. */
import { type JsonLeaf, toSingular } from './json-leaves.ts';
import { type PlaceNames, WRAPPER_WORDS } from './place-names.ts';
import type { Column } from './sample-items.ts';

const PLACES_MAX = 3;
/** The part of a place's values that must be of the field's form. */
const VALID_SHARE = 0.5;

/** Returns null for a value that the item at a position does not have. */
type Parse = (value: unknown, index: number) => unknown;

/** How well the keys of a path fit a field. */
export interface Fit {
  /** Lower is better. */
  readonly rank: number;
  /** The last key is exactly a usual name, not only its end. */
  readonly isExact: boolean;
}

/** Returns how well the keys of a path fit; null when they do not. */
export function fitOf(
  { words, ownWords }: Pick<JsonLeaf, 'words' | 'ownWords'>,
  { names, not = [], notNear = [], within }: PlaceNames,
): Fit | null {
  if (words.some((word) => isOneOf(not, word))) return null;
  const near = ownWords.length > 1 ? ownWords : words.slice(-2);
  if (near.some((word) => isOneOf(notNear, word))) return null;
  const own = ownWords.join('');
  const before = words.slice(0, words.length - ownWords.length);
  if (within !== undefined && !before.every((word) => isOneOf([...within, ...WRAPPER_WORDS], word))) return null;
  for (const [index, name] of names.entries()) {
    const wanted = name.split(' ');
    for (let at = 0; at < wanted.length; at += 1) {
      const [context, last] = [wanted.slice(0, at), wanted.slice(at).join('')];
      const isExact = own === last || toSingular(own) === last;
      if (!isExact && !endsWithWords(ownWords, wanted.slice(at))) continue;
      const around = isExact ? before : [...before, ...ownWords.slice(0, ownWords.length - (wanted.length - at))];
      const singular = around.map(toSingular);
      if (context.every((word) => around.includes(word) || singular.includes(word))) {
        return { rank: index * 10 + Math.min(words.length, 9) + (isExact ? 0 : 5), isExact };
      }
    }
  }
  return null;
}

function endsWithWords(words: readonly string[], end: readonly string[]): boolean {
  return words.length > end.length && words.slice(-end.length).join(' ') === end.join(' ');
}

function isOneOf(words: readonly string[], word: string): boolean {
  return words.includes(word) || words.includes(toSingular(word));
}

/** A column whose name and values fit a field. */
export interface FittingColumn {
  readonly column: Column;
  readonly fit: Fit;
}

/** Returns the columns whose name and values fit, the best first. */
export function rank(columns: readonly Column[], names: PlaceNames, parse: Parse): FittingColumn[] {
  return columns
    .flatMap((column) => {
      const fit = fitOf(column.leaf, names);
      const values = [...column.values];
      const valid = values.filter(([index, value]) => parse(value, index) !== null).length;
      return fit === null || valid === 0 || valid / values.length < VALID_SHARE ? [] : [{ column, fit }];
    })
    .toSorted((a, b) => a.fit.rank - b.fit.rank);
}

export interface ChosenColumn extends FittingColumn {
  /** Events that have a valid value here. */
  readonly count: number;
}

/** Takes the best column, and further ones as long as they give items a value that had none. */
export function coverWith(ranked: readonly FittingColumn[], parse: Parse): ChosenColumn[] {
  const covered = new Set<number>();
  const chosen: ChosenColumn[] = [];
  for (const fitting of ranked) {
    const valid = [...fitting.column.values].flatMap(([index, value]) => (parse(value, index) === null ? [] : [index]));
    if (chosen.length === PLACES_MAX || valid.every((index) => covered.has(index))) continue;
    for (const index of valid) covered.add(index);
    chosen.push({ ...fitting, count: valid.length });
  }
  return chosen;
}
