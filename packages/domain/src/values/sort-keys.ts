/**
 * The order of keys in what passes through (`sync.error`, the `data` of an event and of its deliveries).
 *
 * The rule: by name, at every depth. Stores keep the keys of such objects in an order of their own, and an answer must not
 * tell in which one it was kept; the same event must also be the same bytes, whoever delivers it.
 */
import { compareValues } from './order.ts';

/** The same JSON with the keys of every object sorted. Leaves its argument alone, and what is no plain JSON as it is. */
export function sortKeysDeep<Value>(value: Value): Value {
  return sortKeys(value) as Value;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareValues(a, b));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

/** A `Date`, for one, becomes text in its own way. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
