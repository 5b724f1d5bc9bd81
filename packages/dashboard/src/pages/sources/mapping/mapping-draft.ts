/** A mapping while it is edited: its text is what counts, and the form changes the text. */
import { parseJson } from '../../../data/parse-json.ts';

export type RawMapping = Readonly<Record<string, unknown>>;

export interface Draft {
  readonly text: string;
  /** What the text says; it may break the rules of a mapping. Null while the text is no JSON object. */
  readonly mapping: RawMapping | null;
  /** Why it is none, with line and column. */
  readonly problem: string | null;
}

export const EMPTY: RawMapping = { fields: {} };

export function toDraft(text: string): Draft {
  const parsed = parseJson(text);
  if (parsed.problem !== null) return { text, mapping: null, problem: parsed.problem };
  return isObject(parsed.value)
    ? { text, mapping: parsed.value, problem: null }
    : { text, mapping: null, problem: 'A mapping is an object: it begins with {' };
}

export function draftOf(mapping: RawMapping): Draft {
  return { text: JSON.stringify(mapping, null, 2), mapping, problem: null };
}

export function isObject(value: unknown): value is RawMapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns what is at a path of the mapping, such as `fields`, `email`. */
export function valueAt(mapping: RawMapping, path: readonly string[]): unknown {
  let value: unknown = mapping;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/**
 * Returns the mapping with another value at a path. What becomes empty is left out, except `fields`, which a mapping always has.
 *
 * @param value undefined takes the value away
 */
export function withValue(mapping: RawMapping, path: readonly string[], value: unknown): RawMapping {
  const [key, ...rest] = path;
  if (key === undefined) return mapping;
  const before = Object.hasOwn(mapping, key) ? mapping[key] : undefined;
  const after = rest.length === 0 ? value : withValue(isObject(before) ? before : {}, rest, value);
  const isEmptied = rest.length > 0 && value === undefined && isObject(after) && Object.keys(after).length === 0;
  if (after !== undefined && (!isEmptied || key === 'fields')) return { ...mapping, [key]: after };
  const { [key]: _taken, ...others } = mapping;
  return others;
}

/** The paths of a field: the places in the order of preference, each of one or more parts that are joined. */
export type Places = readonly (readonly string[])[];

/** Returns the places that a value names; null when the form cannot show it. */
export function toPlaces(value: unknown): Places | null {
  if (value === undefined) return [];
  if (typeof value === 'string') return [[value]];
  if (!Array.isArray(value)) return null;
  const places = value.map((place: unknown) => (Array.isArray(place) ? (place as unknown[]) : [place]));
  return places.every((parts) => parts.every((part) => typeof part === 'string')) ? (places as string[][]) : null;
}

/** Returns the shortest value that names these places; undefined without any. */
export function fromPlaces(places: Places): unknown {
  const values = places.filter((parts) => parts.length > 0).map((parts) => (parts.length === 1 ? parts[0] : parts));
  if (values.length === 0) return undefined;
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : values;
}

/** Returns the places with another text for a part; a place that did not exist is added. */
export function withPart(places: Places, place: number, part: number, text: string): Places {
  if (place >= places.length) return [...places, [text]];
  return places.map((parts, index) => {
    if (index !== place) return parts;
    return part >= parts.length ? [...parts, text] : parts.map((each, at) => (at === part ? text : each));
  });
}

/** Where the next click on the payload goes. */
export interface Target {
  /** `fields`, `email`. */
  readonly path: readonly string[];
  readonly place: number;
  readonly part: number;
}

/** Sets the path that has the focus. */
export function withPath(mapping: RawMapping, { path, place, part }: Target, text: string): RawMapping {
  const places = toPlaces(valueAt(mapping, path) ?? undefined) ?? [];
  return withValue(mapping, path, fromPlaces(withPart(places, place, part, text)));
}

/** Returns the entries of a part of the mapping that has names of events as keys. */
export function entriesOf(mapping: RawMapping, part: string): (readonly [string, unknown])[] {
  const value = valueAt(mapping, [part]);
  return isObject(value) ? Object.entries(value) : [];
}
