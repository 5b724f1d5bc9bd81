/** Shows what is read from a payload, field by field and from where, and what is not. For people who write a mapping. */
import type { EventMapping, MappedField } from '@svc/domain/mappings/event-mapping';
import { compileMapping } from '../events/compile-mapping.ts';
import { adapterCoverage, normalize, type SourceReader } from '../events/index.ts';
import { isTestName, toEventName } from '../events/event-name.ts';
import { type JsonLeaf, listLeaves } from './json-leaves.ts';
import { firstOf } from '../events/json-fields.ts';
import { namedValues } from '../events/lead-fields.ts';
import { FIELD_PARSERS } from '../events/mapped-fields.ts';
import { readMappedItems } from '../events/read-mapped.ts';
import { type PathRoots, readPlace, toBodyRoots } from '../events/read-path.ts';
import type { NormalizeInput, NormalizeResult } from '../events/types.ts';

export interface FieldReading {
  readonly field: MappedField;
  /** As in the mapping; null for a constant. */
  readonly path: string | null;
  readonly value: string;
}

export interface ItemReading {
  readonly fields: readonly FieldReading[];
  /** Values of the payload that no field uses. */
  readonly unread: readonly { path: string; value: string }[];
}

export interface PayloadReading {
  readonly result: NormalizeResult;
  /** What read it: the adapter of the platform comes first. Null when nothing could. */
  readonly readBy: 'adapter' | 'mapping' | null;
  /** The items as the mapping sees them; none without a mapping. */
  readonly items: readonly ItemReading[];
}

const ITEMS_MAX = 20;
const VALUE_MAX_LENGTH = 100;
/** Fields of which all places count. */
const COLLECTED: ReadonlySet<MappedField> = new Set(['custom', 'tags']);
const FIELDS = Object.keys(FIELD_PARSERS) as MappedField[];

export function explainReading(reader: SourceReader, input: NormalizeInput): PayloadReading {
  const result = normalize(reader, input);
  const { mapping } = reader;
  const isAdapted = isReadByAdapter(reader, input);
  if (mapping === null || isAdapted) return { result, readBy: isAdapted ? 'adapter' : null, items: [] };
  const bodyRoots = toBodyRoots(input);
  const items = readMappedItems(mapping, bodyRoots, ITEMS_MAX).map((item): ItemReading => {
    const { placesOf, constantOf, dateOrder, typeOf } = compileMapping(mapping);
    const roots = { ...bodyRoots, item };
    const ownName = firstOf(eventNamesOf(mapping, roots), FIELD_PARSERS.eventName);
    const type = ownName === null ? null : typeOf(ownName);
    const labels = [ownName, type?.kind === 'type' ? type.name : null].filter((label) => label !== null);
    const used = new Set<unknown>();
    const fields = FIELDS.flatMap((field): FieldReading[] => {
      const parse = (value: unknown): unknown => FIELD_PARSERS[field](value, dateOrder);
      const candidates = [
        ...placesOf(field, labels).flatMap((place) =>
          readPlace(place, roots).map((value) => ({ path: place.texts.join(' + '), paths: place.texts, value })),
        ),
        { path: null, paths: [], value: constantOf(field) },
      ];
      const valid = candidates.filter(({ value }) => parse(value) !== null);
      const chosen = COLLECTED.has(field) ? valid : valid.slice(0, 1);
      return chosen.map(({ path, paths, value }) => {
        for (const each of [...paths, value, ...namedValues(value).map(([, inner]) => inner)]) used.add(each);
        return { field, path, value: toShown(parse(value)) };
      });
    });
    const isUnread = ({ path, value }: JsonLeaf) => !used.has(path) && !used.has(value);
    return {
      fields,
      unread: listLeaves(item)
        .filter(isUnread)
        .map(({ path, value }) => ({ path, value: toShown(value) })),
    };
  });
  return { result, readBy: 'mapping', items };
}

function isReadByAdapter({ platform, mapping }: SourceReader, input: NormalizeInput): boolean {
  if (adapterCoverage(platform) === null) return false;
  return mapping === null || normalize({ platform, mapping: null }, input).outcome !== 'unparsed';
}

/** Returns the values at the places of the event name, the preferred one first. */
function eventNamesOf(mapping: EventMapping, roots: PathRoots): unknown[] {
  const { placesOf, constantOf } = compileMapping(mapping);
  return [...placesOf('eventName').flatMap((place) => readPlace(place, roots)), constantOf('eventName')];
}

export interface SeenEventName {
  /** As the payload writes it. */
  readonly name: string;
  /** How many events have it. */
  readonly count: number;
  /** An event type, or `ignored`; null when the mapping has no entry for it. */
  readonly becomes: string | null;
}

/** Returns the event names that a mapping finds in payloads, the most frequent one first. */
export function listEventNames(reader: SourceReader, inputs: readonly NormalizeInput[]): SeenEventName[] {
  const { mapping } = reader;
  if (mapping === null) return [];
  const seen = new Map<string, SeenEventName>();
  for (const input of inputs) {
    if (isReadByAdapter(reader, input)) continue;
    const bodyRoots = toBodyRoots(input);
    for (const item of readMappedItems(mapping, bodyRoots, ITEMS_MAX)) {
      const named = eventNamesOf(mapping, { ...bodyRoots, item }).find((value) => toEventName(value) !== null);
      const key = toEventName(named);
      if (key === null) continue;
      const { name, count } = seen.get(key) ?? { name: toShown(named), count: 0 };
      seen.set(key, { name, count: count + 1, becomes: isTestName(key) ? 'ignored' : becomes(mapping, key) });
    }
  }
  return [...seen.values()].toSorted((a, b) => b.count - a.count);
}

function becomes(mapping: EventMapping, key: string): string | null {
  const type = compileMapping(mapping).typeOf(key);
  return type?.kind === 'type' ? type.name : (type?.kind ?? null);
}

function toShown(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : JSON.stringify(value);
  const line = text
    .slice(0, VALUE_MAX_LENGTH * 2)
    .replaceAll(/\s+/g, ' ')
    .toWellFormed();
  return line.length > VALUE_MAX_LENGTH ? `${line.slice(0, VALUE_MAX_LENGTH - 3)}...` : line;
}
