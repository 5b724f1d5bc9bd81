/**
 * Proposes a mapping from received payloads: places with the usual names of a field and with values of its form. The result is
 * for a person to check; what it does not find is left out.
 */
import type { EventMapping, MappedField } from '@svc/domain/mappings/event-mapping';
import { guessEventType, type ProposedType } from './event-name-types.ts';
import { isTestName, toEventName } from './event-name.ts';
import { isJsonObject, toId, toText } from './json-fields.ts';
import { type JsonLeaf, listLeaves, toWords } from './json-leaves.ts';
import { FIELD_PARSERS } from './mapped-fields.ts';
import { CHANNEL_WORDS, CHANNELS, EVENT_KEYS, EVENT_NAMES, PLACE_NAMES, type PlaceNames } from './place-names.ts';
import type { NormalizeInput } from './types.ts';

export interface MappingProposal {
  readonly mapping: EventMapping;
  /** Events that the payloads have. */
  readonly itemCount: number;
  /** How many of them each proposed place gives a value for, by field in the order of preference. */
  readonly places: readonly { field: MappedField; path: string; count: number }[];
  /** The event names that were seen, and what they would be; null when the name says too little. */
  readonly eventNames: readonly { name: string; count: number; type: ProposedType | null }[];
}

/** Headers that every request has. Of the others, one may name the event. */
const COMMON_HEADERS =
  /^(?:accept|connection|content-|host$|user-agent|x-forwarded|x-real|via$|cf-|traceparent|authorization)/;

const ITEMS_MAX = 2_000;
const PLACES_MAX = 3;
/** The part of a place's values that must be of the field's form. */
const VALID_SHARE = 0.5;

interface Item {
  readonly leaves: ReadonlyMap<string, JsonLeaf>;
  /** Equal for items with the same values. */
  readonly text: string;
}

/** A path with its values, by the position of the item. */
interface Column {
  readonly leaf: JsonLeaf;
  readonly values: ReadonlyMap<number, unknown>;
}

/** @param received payloads with lower-case headers; the more, and the more different, the better */
export function proposeMapping(received: readonly Pick<NormalizeInput, 'body' | 'headers'>[]): MappingProposal {
  const itemsPath = findItemsPath(received.map(({ body }) => body));
  const items = distinct(received.flatMap((input) => itemsOf(input, itemsPath)));
  const columns = toColumns(items);
  const eventName = findEventName(columns);
  const found = new Map<MappedField, (string | string[])[]>();
  const counts: { field: MappedField; path: string; count: number }[] = [];
  const add = (field: MappedField, place: string | string[], count: number) => {
    found.set(field, [...(found.get(field) ?? []), place]);
    counts.push({ field, path: [place].flat().join(' + '), count });
  };

  if (eventName !== null) add('eventName', eventName.place, eventName.names.length);
  const taken = new Set(eventName === null ? [] : [eventName.place].flat());
  for (const [field, names] of Object.entries(PLACE_NAMES) as [keyof typeof PLACE_NAMES, PlaceNames][]) {
    const fitting = rank(
      columns.filter(({ leaf }) => !taken.has(leaf.path)),
      names,
      FIELD_PARSERS[field],
    );
    for (const { column, count } of coverWith(fitting, FIELD_PARSERS[field])) {
      add(field, column.leaf.path, count);
      taken.add(column.leaf.path);
    }
  }
  const key = findEventKey(columns, items.length, found);
  if (key !== null) add('eventKey', key, items.length);

  const eventNames = countNames(eventName?.names ?? []);
  const eventTypes = Object.fromEntries(
    eventNames.flatMap(({ name, type }) => (type === null || name.length > 64 ? [] : [[name, type]])),
  );
  const fields = Object.fromEntries(
    [...found].map(([field, places]) => [
      field,
      places.length === 1 && typeof places[0] === 'string' ? places[0] : places,
    ]),
  );
  const mapping: EventMapping = {
    ...(itemsPath === null ? {} : { items: itemsPath }),
    fields,
    ...(Object.keys(eventTypes).length === 0 ? {} : { eventTypes }),
  };
  return { mapping, itemCount: items.length, places: counts, eventNames };
}

/** Returns the list of the bodies whose elements look like events, while the bodies themselves do not; null without one. */
function findItemsPath(bodies: readonly unknown[]): string | null {
  const lists = bodies.flatMap((body) => (isJsonObject(body) ? [findList(body, '', 0)] : []));
  const paths = new Set(lists);
  const [path] = paths;
  return paths.size === 1 && path !== undefined ? path : null;
}

function findList(value: object, prefix: string, depth: number): string | null {
  if (depth > 3) return null;
  for (const [key, inner] of Object.entries(value).slice(0, 100)) {
    if (!/^[^.[\]"]+$/.test(key)) continue;
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (Array.isArray(inner) && inner.length > 0 && inner.every(looksLikeEvent)) return path;
    const nested = isJsonObject(inner) ? findList(inner, path, depth + 1) : null;
    if (nested !== null) return nested;
  }
  return null;
}

function looksLikeEvent(element: unknown): boolean {
  if (!isJsonObject(element)) return false;
  const leaves = listLeaves(element);
  const isNamed = leaves.some(
    ({ ownWords, words, value }) =>
      fitOf({ words, ownWords }, EVENT_NAMES) !== null && guessEventType(String(value)) !== null,
  );
  const hasLead = leaves.some(
    ({ value }) => FIELD_PARSERS.email(value) !== null || FIELD_PARSERS.profileUrl(value) !== null,
  );
  return isNamed && hasLead;
}

function itemsOf({ body, headers }: Pick<NormalizeInput, 'body' | 'headers'>, itemsPath: string | null): Item[] {
  const elements =
    itemsPath === null
      ? body
      : itemsPath.split('.').reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), body);
  const outer =
    itemsPath === null
      ? []
      : listLeaves(body).flatMap((leaf) => (leaf.path.startsWith(itemsPath) ? [] : [asOuter(leaf)]));
  const named = Object.entries(headers).flatMap(([name, value]): JsonLeaf[] => {
    const words = toWords(name);
    return COMMON_HEADERS.test(name) || value === undefined || !words.includes('event')
      ? []
      : [{ path: `header:${name}`, words, ownWords: words, value }];
  });
  return [elements]
    .flat()
    .filter(isJsonObject)
    .slice(0, ITEMS_MAX)
    .map((item) => ({
      leaves: new Map([...listLeaves(item), ...outer, ...named].map((leaf) => [leaf.path, leaf])),
      text: JSON.stringify([...listLeaves(item), ...named].map(({ path, value }) => [path, value])),
    }));
}

function asOuter(leaf: JsonLeaf): JsonLeaf {
  return { ...leaf, path: leaf.path.startsWith('[') ? `$${leaf.path}` : `$.${leaf.path}` };
}

/** A repeat would make an id look as if it were no id. */
function distinct(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.text, item])).values()].slice(0, ITEMS_MAX);
}

function toColumns(items: readonly Item[]): Column[] {
  const columns = new Map<string, { leaf: JsonLeaf; values: Map<number, unknown> }>();
  for (const [index, { leaves }] of items.entries()) {
    for (const [path, leaf] of leaves) {
      const column = columns.get(path) ?? { leaf, values: new Map() };
      column.values.set(index, leaf.value);
      columns.set(path, column);
    }
  }
  return [...columns.values()];
}

/** Returns how well the keys of a path fit, lower is better; null when they do not. */
function fitOf(
  { words, ownWords }: Pick<JsonLeaf, 'words' | 'ownWords'>,
  { names, not = [] }: PlaceNames,
): number | null {
  if (words.some((word) => not.includes(word) || not.includes(word.replace(/s$/, '')))) return null;
  const own = ownWords.join('');
  const before = words.slice(0, words.length - ownWords.length);
  for (const [index, name] of names.entries()) {
    const wanted = name.split(' ');
    for (let at = 0; at < wanted.length; at += 1) {
      const [context, last] = [wanted.slice(0, at), wanted.slice(at).join('')];
      const isExact = own === last;
      if (!isExact && !endsWithWords(ownWords, wanted.slice(at))) continue;
      const around = isExact ? before : [...before, ...ownWords.slice(0, ownWords.length - (wanted.length - at))];
      const singular = around.map((word) => word.replace(/s$/, ''));
      if (context.every((word) => around.includes(word) || singular.includes(word))) {
        return index * 10 + Math.min(words.length, 9) + (isExact ? 0 : 5);
      }
    }
  }
  return null;
}

function endsWithWords(words: readonly string[], end: readonly string[]): boolean {
  return words.length > end.length && words.slice(-end.length).join(' ') === end.join(' ');
}

/** Returns the columns whose name and values fit, the best first. */
function rank(columns: readonly Column[], names: PlaceNames, parse: (value: unknown) => unknown): Column[] {
  return columns
    .flatMap((column) => {
      const fit = fitOf(column.leaf, names);
      const values = [...column.values.values()];
      const valid = values.filter((value) => parse(value) !== null).length;
      return fit === null || valid === 0 || valid / values.length < VALID_SHARE ? [] : [{ column, fit }];
    })
    .toSorted((a, b) => a.fit - b.fit)
    .map(({ column }) => column);
}

/** Takes the best column, and further ones as long as they give items a value that had none. */
function coverWith(ranked: readonly Column[], parse: (value: unknown) => unknown): { column: Column; count: number }[] {
  const covered = new Set<number>();
  const chosen: { column: Column; count: number }[] = [];
  for (const column of ranked) {
    const valid = [...column.values].flatMap(([index, value]) => (parse(value) === null ? [] : [index]));
    if (chosen.length === PLACES_MAX || valid.every((index) => covered.has(index))) continue;
    for (const index of valid) covered.add(index);
    chosen.push({ column, count: valid.length });
  }
  return chosen;
}

interface FoundEventName {
  readonly place: string | string[];
  /** As they were received, one per item that has one. */
  readonly names: readonly string[];
}

/** Returns the place whose values are most often names of events; of equal ones, the one with the more usual key. */
function findEventName(columns: readonly Column[]): FoundEventName | null {
  const candidates = columns.flatMap((column) => {
    const fit = fitOf(column.leaf, EVENT_NAMES);
    const names = [...column.values.values()].flatMap((value) => (isNameLike(value) ? [value.trim()] : []));
    if (fit === null || names.length === 0) return [];
    const guessed = names.filter((name) => guessEventType(name) !== null).length;
    return [{ column, names, score: guessed * 1_000 - fit }];
  });
  const best = candidates.toSorted((a, b) => b.score - a.score)[0];
  if (best === undefined) return null;
  const { column, names } = best;
  const channel = names.some(hasChannelWord) ? undefined : findChannel(columns, column);
  if (channel === undefined) return { place: column.leaf.path, names };
  const joined = [...column.values].flatMap(([index, value]) => {
    const other = channel.values.get(index);
    return isNameLike(value) && isNameLike(other) ? [`${other} ${value}`] : [];
  });
  return { place: [channel.leaf.path, column.leaf.path], names: joined };
}

/** Returns a column that says, for every event, what was sent or opened. */
function findChannel(columns: readonly Column[], eventName: Column): Column | undefined {
  return rank(
    columns.filter((column) => column !== eventName && column.values.size >= eventName.values.size),
    CHANNELS,
    (value) => (isNameLike(value) && hasChannelWord(value) ? value : null),
  )[0];
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
  return toWords(name).some((word) => CHANNEL_WORDS.includes(word.replace(/s$/, '')));
}

/** Returns an id that no two events share; else a Message-ID with the time; else null: only equal bodies are repeats. */
function findEventKey(
  columns: readonly Column[],
  itemCount: number,
  found: ReadonlyMap<MappedField, readonly (string | string[])[]>,
): string | string[] | null {
  const ids = rank(columns, EVENT_KEYS, toId).filter(
    ({ values }) => values.size === itemCount && new Set([...values.values()].map(toId)).size === itemCount,
  );
  const [id] = ids;
  if (id !== undefined) return id.leaf.path;
  const parts = [found.get('messageId')?.[0], found.get('occurredAt')?.[0]];
  return parts.every((part) => typeof part === 'string') ? parts : null;
}

function countNames(names: readonly string[]): MappingProposal['eventNames'] {
  const groups = Map.groupBy(names, (name) => toEventName(name) ?? '');
  return [...groups.entries()]
    .filter(([name]) => name !== '' && !isTestName(name))
    .map(([, same]) => ({ name: same[0] ?? '', count: same.length, type: guessEventType(same[0] ?? '') }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
