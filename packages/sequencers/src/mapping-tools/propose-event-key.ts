/**
 * Finds a value that only repeats of one event share. A wrong one loses events without a word, since the second event of a lead
 * then counts as a repeat. So a key must be proven:
 *
 * - An id that names the event (`event_id`, `activity.uuid`) is taken, unless its value repeats across the samples.
 * - An id that names nothing (`id`, `uuid`) is taken when two events of one lead have different values.
 * - An id of anything else (webhook, account, campaign, lead, chat, message, ...) is never taken.
 * - Without an id, a Message-ID and the time are taken together, when they tell two events of one lead apart.
 *
 * Otherwise there is no key: then only a request with the same body is a repeat, and its body has its times.
 */
import { toId } from '../events/json-fields.ts';
import { type JsonLeaf, toSingular } from './json-leaves.ts';
import { EVENT_WORDS, ID_WORDS, SCOPE_WORDS, WRAPPER_WORDS } from './place-names.ts';
import { type Column, isOuterPath, type SampleItem } from './sample-items.ts';

export interface EventKeyInput {
  readonly columns: readonly Column[];
  readonly items: readonly SampleItem[];
  /** The lead of each item, by its position; null where none was found. */
  readonly leads: readonly (string | null)[];
  /** The proposed places of the Message-ID and of the time. */
  readonly messageId: string | undefined;
  readonly occurredAt: string | undefined;
}

export interface FoundEventKey {
  readonly place: readonly string[];
  /** False when only its name says that it is the event's. */
  readonly isProven: boolean;
}

export interface EventKeySearch {
  readonly key: FoundEventKey | null;
  /** Ids that may be the event's, and that no two events of one lead have proven. */
  readonly unproven: readonly string[];
}

export function findEventKey(input: EventKeyInput): EventKeySearch {
  const { columns, messageId, occurredAt } = input;
  const ids = columns
    .flatMap((column) => {
      const owner = ownerOf(column.leaf);
      const values = valuesOf([column], input);
      if (owner === 'other' || values === null || repeats(values, [column], input)) return [];
      const isProven = separatesEventsOfALead(values, input);
      return [{ column, owner, isProven }];
    })
    .toSorted((a, b) => orderOf(a) - orderOf(b));
  const id = ids.find(({ owner, isProven }) => owner === 'event' || isProven);
  if (id !== undefined) return { key: { place: [id.column.leaf.path], isProven: id.isProven }, unproven: [] };
  const parts = [messageId, occurredAt].flatMap((path) => columns.find(({ leaf }) => leaf.path === path) ?? []);
  const values = parts.length === 2 ? valuesOf(parts, input) : null;
  if (values === null || repeats(values, parts, input) || !separatesEventsOfALead(values, input))
    return { key: null, unproven: ids.map(({ column }) => column.leaf.path) };
  return { key: { place: parts.map(({ leaf }) => leaf.path), isProven: true }, unproven: [] };
}

/** Ids that name the event come first, then those nearer to the top. */
function orderOf({ owner, column }: { owner: string; column: Column }): number {
  return (owner === 'event' ? 0 : 100) + column.leaf.words.length;
}

/** Returns whose id a path is. */
function ownerOf({ words, ownWords }: JsonLeaf): 'event' | 'unnamed' | 'other' {
  const before = words.slice(0, words.length - ownWords.length);
  const own = ownWords.flatMap(splitIdWord);
  const last = own.at(-1);
  if (last === undefined || !ID_WORDS.includes(last)) return 'other';
  // The key's own words, or else those of the key around it.
  const owner = (own.length > 1 ? own.slice(0, -1) : before.slice(-1)).map(toSingular);
  if (owner.some((word) => SCOPE_WORDS.includes(word))) return 'other';
  if (owner.some((word) => EVENT_WORDS.includes(word))) return 'event';
  return owner.every((word) => WRAPPER_WORDS.includes(word)) ? 'unnamed' : 'other';
}

/** `eventid` is two words. */
function splitIdWord(word: string): string[] {
  const [, owner, id] = /^(\p{L}{3,})(uuid|guid|uid|id)$/u.exec(word) ?? [];
  return owner !== undefined && id !== undefined && EVENT_WORDS.includes(owner) ? [owner, id] : [word];
}

/** Returns the joined values by item; null when an item lacks one. */
function valuesOf(columns: readonly Column[], { items }: EventKeyInput): string[] | null {
  const values = items.map((_item, index) => columns.map(({ values: all }) => toId(all.get(index))));
  return values.some((parts) => parts.includes(null)) ? null : values.map((parts) => parts.join('\n'));
}

/** Whether two samples, or two items with a value of their own, have the same value. */
function repeats(values: readonly string[], columns: readonly Column[], { items }: EventKeyInput): boolean {
  const isShared = columns.every(({ leaf }) => isOuterPath(leaf.path));
  const seen = new Map<string, number>();
  return items.some(({ sample }, index) => {
    const value = values[index] ?? '';
    const earlier = seen.get(value);
    seen.set(value, sample);
    return earlier !== undefined && !(isShared && earlier === sample);
  });
}

/** Whether a lead has several events, each with a value of its own. */
function separatesEventsOfALead(values: readonly string[], { leads }: EventKeyInput): boolean {
  const byLead = Map.groupBy(
    leads.flatMap((lead, index) => (lead === null ? [] : [{ lead, value: values[index] }])),
    ({ lead }) => lead,
  );
  const groups = [...byLead.values()].filter((group) => group.length > 1);
  return groups.length > 0 && groups.every((group) => new Set(group.map(({ value }) => value)).size === group.length);
}
