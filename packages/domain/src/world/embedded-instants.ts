/**
 * Instants inside opaque JSON (the body of a request, the data of an event). They are marked, `{ "$instant": "-3d4h" }`,
 * because any string could look like a distance. Loading the world replaces them by ISO-8601 UTC strings.
 */
import { isInstant, resolveInstant } from './instant.ts';

const MARK = '$instant';

/** Returns the path of every marked instant that cannot be resolved. */
export function findBrokenInstants(value: unknown): (string | number)[][] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => findBrokenInstants(item).map((path) => [index, ...path]));
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  if (MARK in value) {
    const marked = markedInstant(value);
    return marked !== undefined && isInstant(marked) ? [] : [[MARK]];
  }
  return Object.entries(value).flatMap(([key, item]) => findBrokenInstants(item).map((path) => [key, ...path]));
}

/** Returns a copy of `json` with its marked instants resolved against `now`. */
export function resolveEmbeddedInstants(json: Record<string, unknown>, now: Date): Record<string, unknown> {
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, resolveValue(value, now)]));
}

function resolveValue(value: unknown, now: Date): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolveValue(item, now));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const marked = markedInstant(value);
  return marked === undefined ? resolveEmbeddedInstants({ ...value }, now) : resolveInstant(marked, now).toISOString();
}

function markedInstant(value: object): string | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0 || entry[0] !== MARK) {
    return undefined;
  }
  return typeof entry[1] === 'string' ? entry[1] : undefined;
}
