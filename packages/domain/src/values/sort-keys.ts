import { compareValues } from './order.ts';

/**
 * Returns a copy of JSON with the keys of every object sorted by name. Used for JSON that is passed through (`sync.error`, the
 * `data` of an event), because databases store keys in different orders. Values that are not plain objects are kept.
 */
export function sortKeysDeep<Value>(value: Value): Value {
  return sortKeys(value) as Value;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareValues(a, b));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
