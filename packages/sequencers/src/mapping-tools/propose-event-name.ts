/** Finds where sample payloads have the name of the event. */
import { isTestName, toEventName } from '../events/event-name.ts';
import { toText } from '../events/json-fields.ts';
import { guessEventType, type ProposedType } from './event-name-types.ts';
import { toWords } from './json-leaves.ts';
import { fitOf, rank, toSingular } from './place-fit.ts';
import { CHANNEL_WORDS, CHANNELS, EVENT_NAMES } from './place-names.ts';
import type { Column } from './sample-items.ts';

export interface FoundEventName {
  /** One path, or several whose values are joined. */
  readonly place: readonly string[];
  /** As they were received, by the position of the item. */
  readonly names: ReadonlyMap<number, string>;
}

/** Returns the place whose values are most often names of events; of equal ones, the one with the more usual key. */
export function findEventName(columns: readonly Column[]): FoundEventName | null {
  const candidates = columns.flatMap((column) => {
    const fit = fitOf(column.leaf, EVENT_NAMES);
    const names = namesOf(column);
    if (fit === null || names.size === 0) return [];
    const guessed = [...names.values()].filter((name) => guessEventType(name) !== null).length;
    return [{ column, names, score: guessed * 1_000 - fit.rank }];
  });
  const best = candidates.toSorted((a, b) => b.score - a.score)[0];
  if (best === undefined) return null;
  const { column, names } = best;
  const channel = [...names.values()].some(hasChannelWord) ? undefined : findChannel(columns, column);
  if (channel === undefined) return { place: [column.leaf.path], names };
  const channels = namesOf(channel);
  const joined = [...names].flatMap(([index, name]): [number, string][] => {
    const other = channels.get(index);
    return other === undefined ? [] : [[index, `${other} ${name}`]];
  });
  return { place: [channel.leaf.path, column.leaf.path], names: new Map(joined) };
}

function namesOf({ values }: Column): Map<number, string> {
  return new Map(
    [...values].flatMap(([index, value]): [number, string][] => (isNameLike(value) ? [[index, value.trim()]] : [])),
  );
}

/** Returns a column that says, for every event, what was sent or opened. */
function findChannel(columns: readonly Column[], eventName: Column): Column | undefined {
  return rank(
    columns.filter((column) => column !== eventName && column.values.size >= eventName.values.size),
    CHANNELS,
    (value) => (isNameLike(value) && hasChannelWord(value) ? value : null),
  )[0]?.column;
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
