/** Single values of a received body, as the fields of a write policy name them (`payload:PATH`). */
import { parseBodyPath } from '@svc/domain/mappings/mapping-path';
import type { FieldValue } from '@svc/domain/policy/planned-fields';
import { firstOf, toText } from './json-fields.ts';
import { readPath, toBodyRoots } from './read-path.ts';

/** Longer texts are cut. */
const TEXT_MAX_LENGTH = 2_000;

/** Returns the first value at a path from the top of the body that is text, a number, true or false; null when there is none. */
export type PayloadReader = (path: string) => FieldValue | null;

export function createPayloadReader(body: unknown): PayloadReader {
  const roots = { ...toBodyRoots({ body, headers: {} }), item: null };
  // All events of one body ask for the same paths.
  const known = new Map<string, FieldValue | null>();
  return (path) => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const value = firstOf(readPath(parseBodyPath(path), roots), toFieldValue);
    known.set(path, value);
    return value;
  };
}

function toFieldValue(value: unknown): FieldValue | null {
  if (typeof value === 'boolean') return value;
  return typeof value === 'number' && Number.isFinite(value) ? value : toText(value, TEXT_MAX_LENGTH);
}
