/**
 * Reads fields of untrusted JSON. Nothing here throws, recurses or follows the prototype. Returned strings are of bounded
 * length and contain no NUL characters and lone surrogates, because PostgreSQL refuses both.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

const EMPTY: JsonObject = {};

/** Maximum length of a subject or name. */
const SHORT_TEXT_MAX = 500;
/** Maximum length of a message body, in UTF-16 units. CRMs cut earlier. */
export const BODY_TEXT_MAX = 200_000;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own property, or undefined. */
export function field(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns a nested object, or an empty one when the field is missing or of another type. */
export function objectField(object: JsonObject, name: string): JsonObject {
  const value = field(object, name);
  return isJsonObject(value) ? value : EMPTY;
}

/** Returns the trimmed text of a string; null for a blank string and anything else. */
export function toText(value: unknown, maxLength: number = SHORT_TEXT_MAX): string | null {
  if (typeof value !== 'string') return null;
  // Cut first, so that a huge string costs no more than the limit.
  const cleaned = value.slice(0, maxLength).replaceAll('\0', '').toWellFormed().trim();
  return cleaned === '' ? null : cleaned;
}

/** Returns an id as text. Vendors send the same id as a number or as a string. */
export function toId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  return toText(value, 200);
}

/** Returns a whole number, also from a string. */
export function toInteger(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null;
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return null;
}

/** Returns the first result of `read` that is not null. */
export function firstOf<T>(values: readonly unknown[], read: (value: unknown) => T | null): T | null {
  for (const value of values) {
    const result = read(value);
    if (result !== null) return result;
  }
  return null;
}
