/**
 * Reading fields of untrusted JSON. Nothing here throws, recurses or follows the prototype, and every string that comes
 * out is bounded, free of NUL characters and well-formed: PostgreSQL refuses both NUL and lone surrogates.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

const EMPTY: JsonObject = {};

/** Longest subject, name or id that is kept; vendors' own limits are far below. */
const SHORT_TEXT_MAX = 500;
/** Longest message body that is kept, in UTF-16 units. CRMs cut earlier. */
export const BODY_TEXT_MAX = 200_000;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own property, or undefined; `toString` and the like of the prototype are not fields. */
export function field(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The nested object, or an empty one when the field is missing or of another type. */
export function objectField(object: JsonObject, name: string): JsonObject {
  const value = field(object, name);
  return isJsonObject(value) ? value : EMPTY;
}

/** Text of a string; null for anything else and for what is blank. */
export function toText(value: unknown, maxLength: number = SHORT_TEXT_MAX): string | null {
  if (typeof value !== 'string') return null;
  // Cut before cleaning, so that a hostile string costs no more than the limit.
  const cleaned = value.slice(0, maxLength).replaceAll('\0', '').toWellFormed().trim();
  return cleaned === '' ? null : cleaned;
}

/** Text of an id: vendors send the same id as a number in one event and as a string in the next. */
export function toId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  return toText(value, 200);
}

/** A whole number, also when written as a string. */
export function toInteger(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null;
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return null;
}

/** The first result that is not null. */
export function firstOf<T>(values: readonly unknown[], read: (value: unknown) => T | null): T | null {
  for (const value of values) {
    const result = read(value);
    if (result !== null) return result;
  }
  return null;
}
