import { Refusal } from './answer.ts';

/** Reads the parts of a request and refuses wrong forms as Pipedrive does: numbers and flags are no strings. */

export type Json = Readonly<Record<string, unknown>>;

export function asObject(value: unknown, what = 'the body'): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(400, `Validation failed: ${what} must be an object`);
  }
  return Object.fromEntries(Object.entries(value));
}

export function asList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Refusal(400, `Validation failed: ${what} must be an array`);
  return value;
}

export function asText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new Refusal(400, `Validation failed: ${what} is required`);
  return value;
}

export function asId(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw new Refusal(400, `Validation failed: ${what}: Expected number`);
  }
  return value;
}

export function asFlag(value: unknown, what: string): boolean {
  if (typeof value !== 'boolean') throw new Refusal(400, `Validation failed: ${what}: Expected boolean`);
  return value;
}

/** Refuses keys that a write must not have. */
export function assertKeys(body: Json, allowed: readonly string[]): void {
  const unknown = Object.keys(body).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) throw new Refusal(400, `Validation failed: unrecognized keys: ${unknown.join(', ')}`);
}

export function pathId(segment: string, what: string): number {
  if (!/^\d{1,15}$/.test(segment)) throw new Refusal(400, `${what} id must be a positive integer`);
  return Number(segment);
}

export function queryNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(400, `Validation failed: ${name} must be a number`);
  return Number(text);
}

export function pageLimit(query: URLSearchParams, max: number, byDefault = 100): number {
  const limit = queryNumber(query, 'limit') ?? byDefault;
  if (limit < 1 || limit > max) throw new Refusal(400, `Validation failed: limit must be between 1 and ${max}`);
  return limit;
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Reads `updated_since`, in seconds; null when absent. */
export function updatedSinceMs(query: URLSearchParams): number | null {
  const text = query.get('updated_since');
  if (text === null) return null;
  if (!RFC3339.test(text)) throw new Refusal(400, 'Validation failed: updated_since must be an RFC3339 date-time');
  return Date.parse(text);
}

/** Opaque: the number of items that are already read. */
export function readCursor(query: URLSearchParams): number {
  const cursor = query.get('cursor');
  if (cursor === null) return 0;
  const position = /^p(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.[1];
  if (position === undefined) throw new Refusal(400, 'Validation failed: cursor is not valid');
  return Number(position);
}

export function toCursor(position: number): string {
  return Buffer.from(`p${position}`).toString('base64url');
}
