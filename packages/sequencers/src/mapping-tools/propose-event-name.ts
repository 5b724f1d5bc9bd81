/** Finds where sample payloads have the name of the event. */
import { isTestName, toEventName } from '../events/event-name.ts';
import { toText } from '../events/json-fields.ts';
import { guessEventType, type ProposedType } from './event-name-types.ts';
import { toSingular, toWords } from './json-leaves.ts';
import { fitOf, rank } from './place-fit.ts';
import { CHANNEL_WORDS, CHANNELS, DIRECTION_WORDS, DIRECTIONS, EVENT_NAMES, type PlaceNames } from './place-names.ts';
import type { Column } from './sample-items.ts';

export interface FoundEventName {
  /** One path, or several whose values are joined. */
  readonly place: readonly string[];
  /** As they were received, by the position of the item. */
  readonly names: ReadonlyMap<number, string>;
}

/** Returns the place whose values are most often names of events. When two places are equally good, the place with the more usual key is taken. */
export function findEventName(columns: readonly Column[]): FoundEventName | null {
  const candidates = columns.flatMap((column) => {
    const fit = fitOf(column.leaf, EVENT_NAMES);
    const names = namesOf(column);
    if (fit === null || names.size === 0) return [];
    return joinParts(columns, column, names).map((found) => ({ found, score: scoreOf(found, fit.rank) }));
  });
  return candidates.toSorted((a, b) => b.score - a.score)[0]?.found ?? null;
}

/** The better place has more names that say what happened; when these are equal, fewer parts; when these are equal too, the more usual key. */
function scoreOf({ place, names }: FoundEventName, rankOfKey: number): number {
  const guessed = [...names.values()].filter((name) => guessEventType(name) !== null).length;
  return guessed * 100_000 - place.length * 1_000 - rankOfKey;
}

/** Returns names that include the column: behind the column that says what was sent or opened, when the names do not say it; without the direction of the mail, and, where a column tells the direction, also with it. */
function joinParts(columns: readonly Column[], column: Column, names: ReadonlyMap<number, string>): FoundEventName[] {
  const others = columns.filter((other) => other !== column && other.values.size >= names.size);
  const find = (where: PlaceNames, has: (name: string) => boolean) =>
    rank(others, where, (value) => (isNameLike(value) && has(value) ? value : null))
      .slice(0, 1)
      .map((found) => found.column);
  const needsChannel = ![...names.values()].some(hasChannelWord);
  const named = [...(needsChannel ? find(CHANNELS, hasChannelWord) : []), column];
  const direction = find(DIRECTIONS, isDirection);
  const parts = direction.length === 0 ? [named] : [named, [...named, ...direction]];
  return parts.map((part) => ({
    place: part.map(({ leaf }) => leaf.path),
    names: new Map(
      [...names.keys()].flatMap((index): [number, string][] => {
        const values = part.map((each) => namesOf(each).get(index));
        return values.includes(undefined) ? [] : [[index, values.join(' ')]];
      }),
    ),
  }));
}

function namesOf({ values }: Column): Map<number, string> {
  return new Map(
    [...values].flatMap(([index, value]): [number, string][] => (isNameLike(value) ? [[index, value.trim()]] : [])),
  );
}

function isNameLike(value: unknown): value is string {
  const name = toText(value);
  return (
    name !== null &&
    name.length <= 64 &&
    !name.includes('@') &&
    name.split(/\s+/).length <= 5 &&
    toEventName(name) !== null
  );
}

function hasChannelWord(name: string): boolean {
  return toWords(name).some((word) => CHANNEL_WORDS.includes(toSingular(word)));
}

function isDirection(name: string): boolean {
  return DIRECTION_WORDS.includes(name.toLowerCase());
}

export interface NamedEvents {
  readonly name: string;
  readonly count: number;
  readonly type: ProposedType | null;
}

/** Counts the event names, and guesses what each is. */
export function countNames(names: Iterable<string>): NamedEvents[] {
  const groups = Map.groupBy(names, (name) => toEventName(name) ?? '');
  return [...groups.entries()]
    .filter(([name]) => name !== '' && !isTestName(name))
    .map(([, same]) => ({ name: same[0] ?? '', count: same.length, type: guessEventType(same[0] ?? '') }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
