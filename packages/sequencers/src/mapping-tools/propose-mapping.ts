/**
 * Proposes a mapping from received payloads: places with the usual names of a field and with values of its form. The result is
 * for a person to check; what it does not find is left out.
 */
import type { EventMapping, MappedField } from '@svc/domain/mappings/event-mapping';
import { FIELD_PARSERS } from '../events/mapped-fields.ts';
import { isJsonObject } from '../events/json-fields.ts';
import { guessEventType } from './event-name-types.ts';
import { listLeaves } from './json-leaves.ts';
import { type ChosenColumn, coverWith, fitOf, rank } from './place-fit.ts';
import { EVENT_NAMES, PLACE_NAMES, type PlaceNames } from './place-names.ts';
import { findEventKey } from './propose-event-key.ts';
import { countNames, findEventName, type NamedEvents } from './propose-event-name.ts';
import { type Column, listItems, type Sample, toColumns } from './sample-items.ts';

/**
 * How sure a place is:
 *
 * - `sure`: its key is exactly a usual name of the field, and all its values have the field's form.
 * - `likely`: its key only ends with a usual name, or some values have another form.
 * - `check`: another reading is as possible, so a person must look.
 */
export type Sureness = 'sure' | 'likely' | 'check';

export interface ProposedPlace {
  readonly field: MappedField;
  readonly path: string;
  /** Events that it gives a value for. */
  readonly count: number;
  readonly sureness: Sureness;
}

export interface MappingProposal {
  readonly mapping: EventMapping;
  /** Events that the payloads have. */
  readonly itemCount: number;
  /** By field in the order of preference. */
  readonly places: readonly ProposedPlace[];
  /** The event names that were seen, and what they would be; null when the name says too little. */
  readonly eventNames: readonly NamedEvents[];
  /** Paths of values that no field uses, and how many events have each. */
  readonly unused: readonly { path: string; count: number }[];
  /** Sentences about what a person must look at; without values of the payloads. */
  readonly warnings: readonly string[];
}

type Place = string | string[];
type PlacedField = keyof typeof PLACE_NAMES;

/** @param samples payloads with lower-case headers; the more, and the more different, the better */
export function proposeMapping(samples: readonly Sample[]): MappingProposal {
  const itemsPath = findItemsPath(samples.map(({ body }) => body));
  const items = listItems(samples, itemsPath);
  const columns = toColumns(items);
  const found = new Map<MappedField, Place[]>();
  const places: ProposedPlace[] = [];
  const taken = new Set<string>();
  const add = (field: MappedField, paths: readonly string[], rest: Omit<ProposedPlace, 'field' | 'path'>) => {
    const [first = ''] = paths;
    found.set(field, [...(found.get(field) ?? []), paths.length === 1 ? first : [...paths]]);
    places.push({ field, path: paths.join(' + '), ...rest });
    for (const path of paths) taken.add(path);
  };

  const eventName = findEventName(columns);
  const eventNames = countNames(eventName?.names.values() ?? []);
  if (eventName !== null) {
    const areKnown = eventNames.some(({ type }) => type !== null);
    add('eventName', eventName.place, { count: eventName.names.size, sureness: areKnown ? 'sure' : 'check' });
  }
  const chosen = new Map<PlacedField, ChosenColumn[]>();
  for (const [field, names] of Object.entries(PLACE_NAMES) as [PlacedField, PlaceNames][]) {
    const parse = FIELD_PARSERS[field];
    const free = columns.filter(({ leaf }) => !taken.has(leaf.path));
    chosen.set(field, coverWith(rank(free, names, parse), parse));
    for (const { column, fit, count } of chosen.get(field) ?? []) {
      const isSure = fit.isExact && count === column.values.size;
      add(field, [column.leaf.path], { count, sureness: isSure ? 'sure' : 'likely' });
    }
  }
  const { key, unproven } = findEventKey({
    columns,
    items,
    leads: items.map((_item, index) => leadOf(index, chosen)),
    messageId: chosen.get('messageId')?.[0]?.column.leaf.path,
    occurredAt: chosen.get('occurredAt')?.[0]?.column.leaf.path,
  });
  if (key !== null) add('eventKey', key.place, { count: items.length, sureness: key.isProven ? 'sure' : 'likely' });

  return {
    mapping: toMapping(itemsPath, found, eventNames),
    itemCount: items.length,
    places,
    eventNames,
    unused: listUnused(columns, taken),
    warnings: unproven.length === 0 ? [] : [unprovenKeys(unproven)],
  };
}

function unprovenKeys(paths: readonly string[]): string {
  return `No eventKey is proposed, because no lead has two events that tell whether ${paths.join(' or ')} is the event's id or another one. Until there is a key, only a request with the same body counts as a repeat.`;
}

function toMapping(
  itemsPath: string | null,
  found: ReadonlyMap<MappedField, readonly Place[]>,
  eventNames: readonly NamedEvents[],
): EventMapping {
  const eventTypes = Object.fromEntries(
    eventNames.flatMap(({ name, type }) => (type === null || name.length > 64 ? [] : [[name, type]])),
  );
  const fields = Object.fromEntries(
    [...found].map(([field, [first, ...more]]) => [
      field,
      typeof first === 'string' && more.length === 0 ? first : [first, ...more],
    ]),
  );
  return {
    ...(itemsPath === null ? {} : { items: itemsPath }),
    fields,
    ...(Object.keys(eventTypes).length === 0 ? {} : { eventTypes }),
  };
}

/** Returns the lead of an item as it is compared: by address, or else by profile. */
function leadOf(index: number, chosen: ReadonlyMap<PlacedField, readonly ChosenColumn[]>): string | null {
  for (const field of ['email', 'profileUrl'] as const) {
    for (const { column } of chosen.get(field) ?? []) {
      const lead = FIELD_PARSERS[field](column.values.get(index));
      if (lead !== null) return lead;
    }
  }
  return null;
}

function listUnused(columns: readonly Column[], taken: ReadonlySet<string>): MappingProposal['unused'] {
  return columns
    .filter(({ leaf }) => !taken.has(leaf.path))
    .map(({ leaf, values }) => ({ path: leaf.path, count: values.size }));
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
