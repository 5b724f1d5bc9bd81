/**
 * Reads what only some leads have: the custom fields that users made in the sequencer, tags, and the link to the lead. All of it is
 * bounded, because users name and fill these fields, and because every stored event repeats them.
 */
import { field, isJsonObject, type JsonObject, toText } from './json-fields.ts';
import type { CustomValue } from './types.ts';

const FIELDS_MAX = 50;
const NAME_MAX_LENGTH = 100;
const VALUE_MAX_LENGTH = 1_000;
/** Of names and values together, as JSON in UTF-8. */
const BYTES_MAX = 16 * 1024;
const TAGS_MAX = 50;
const TAG_MAX_LENGTH = 100;
const URL_MAX_LENGTH = 2_048;
/** So many entries of objects and lists are looked at. */
const ENTRIES_MAX = 1_000;

export type NamedValue = readonly [name: string, value: unknown];

/** Many items of a body may share an object. */
const known = new WeakMap<object, readonly NamedValue[]>();

/** Returns the entries of an object, or of a list of `{ name, value }`. */
export function namedValues(value: unknown): readonly NamedValue[] {
  if (typeof value !== 'object' || value === null) return [];
  const found = known.get(value) ?? readNamedValues(value);
  known.set(value, found);
  return found;
}

function readNamedValues(value: object): NamedValue[] {
  if (isJsonObject(value)) {
    return Object.keys(value)
      .slice(0, ENTRIES_MAX)
      .map((name) => [name, field(value, name)]);
  }
  return (Array.isArray(value) ? value.slice(0, ENTRIES_MAX) : []).flatMap((entry): NamedValue[] => {
    const name = isJsonObject(entry) ? field(entry, 'name') : null;
    return typeof name === 'string' ? [[name, field(entry, 'value')]] : [];
  });
}

/**
 * Returns custom fields by name. Names are those that the sequencer sends, and of equal names the first counts. Left out are nulls,
 * empty texts, lists and objects, names that are empty or too long, and what exceeds the bounds. Longer texts are cut.
 */
export function toCustomFields(fields: Iterable<NamedValue>): Record<string, CustomValue> {
  const custom = new Map<string, CustomValue>();
  let bytes = 0;
  let left = ENTRIES_MAX;
  for (const [given, value] of fields) {
    left -= 1;
    if (left < 0 || custom.size === FIELDS_MAX) break;
    const name = given.length > NAME_MAX_LENGTH ? null : toText(given);
    const kept = toCustomValue(value);
    // Readers of stored JSON leave `__proto__` out.
    if (name === null || name === '__proto__' || kept === null || custom.has(name)) continue;
    const size = new TextEncoder().encode(JSON.stringify([name, kept])).length;
    if (bytes + size > BYTES_MAX) continue;
    bytes += size;
    custom.set(name, kept);
  }
  return Object.fromEntries(custom);
}

function toCustomValue(value: unknown): CustomValue | null {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return toText(value, VALUE_MAX_LENGTH);
}

/** Returns the tags of texts, objects that have a `name`, and lists of both. Tags that are too long are left out. */
export function toTags(...values: readonly unknown[]): string[] {
  const tags = new Set<string>();
  let left = ENTRIES_MAX;
  for (const value of values) {
    for (const entry of Array.isArray(value) ? value : [value]) {
      left -= 1;
      if (left < 0 || tags.size === TAGS_MAX) return [...tags];
      const given = isJsonObject(entry) ? field(entry, 'name') : entry;
      const tag = typeof given === 'string' && given.length <= TAG_MAX_LENGTH ? toText(given) : null;
      if (tag !== null) tags.add(tag);
    }
  }
  return [...tags];
}

/** Returns a link that begins with `https:`; people open it from the CRM. */
export function toLeadUrl(value: unknown): string | null {
  const text = typeof value === 'string' && value.length <= URL_MAX_LENGTH ? toText(value, URL_MAX_LENGTH) : null;
  return text !== null && /^https:\/\/[^\s<>"]+$/i.test(text) && URL.canParse(text) ? text : null;
}

/** Returns the fields of an object that are not named in `known`. */
export function fieldsExcept(object: JsonObject, known: ReadonlySet<string>): NamedValue[] {
  return namedValues(object).filter(([name]) => !known.has(name));
}
