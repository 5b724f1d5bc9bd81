import { usageError } from '../errors/cli-error.ts';
import { findNearest } from '../errors/nearest.ts';

/**
 * Parses `--fields a,b.c`: dotted paths into a value, which go through arrays to each element.
 *
 * @param allFields fields of the contract; `x.*` allows any field inside `x`
 * @throws CliError (exit 2) that lists the fields
 */
export function parseFields(text: string | undefined, allFields: readonly string[]): string[] | null {
  if (text === undefined) return null;
  const fields = text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '');
  const unknown = fields.filter((field) => !isKnown(field, allFields));
  if (fields.length > 0 && unknown.length === 0) return [...new Set(fields)];
  const names = allFields.filter((name) => !name.endsWith('.*'));
  const list = `Fields: ${names.join(', ')}`;
  const [first] = unknown;
  if (first === undefined) throw usageError('--fields is empty', list);
  const nearest = findNearest(first, names);
  const suggestion = nearest === null ? '' : `Did you mean ${nearest}? `;
  throw usageError(`Unknown field: ${unknown.join(', ')}`, `${suggestion}${list}`);
}

function isKnown(field: string, allFields: readonly string[]): boolean {
  if (field.split('.').some((name) => name === '' || name === '*')) return false;
  return allFields.some((name) => name === field || (name.endsWith('.*') && field.startsWith(name.slice(0, -1))));
}

/** Returns the value at a path, through arrays the list of values. Missing values are `null`. */
export function readField(value: unknown, field: string): unknown {
  let current: unknown = value;
  const names = field.split('.');
  for (const [index, name] of names.entries()) {
    if (Array.isArray(current)) {
      const rest = names.slice(index).join('.');
      return current.map((element) => readField(element, rest));
    }
    current = isRecord(current) ? ownValue(current, name) : null;
  }
  return current;
}

/** Returns the value with only the chosen fields, with their nesting. */
export function pickFields(value: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => pickFields(element, fields));
  if (!isRecord(value)) return value;
  const groups = new Map<string, string[]>();
  for (const field of fields) {
    const [name = '', ...rest] = field.split('.');
    const group = groups.get(name) ?? [];
    if (rest.length > 0) group.push(rest.join('.'));
    // '' stands for the whole value.
    else group.push('');
    groups.set(name, group);
  }
  return Object.fromEntries(
    [...groups].map(([name, rest]) => {
      const inner = ownValue(value, name);
      return [name, rest.includes('') ? inner : pickFields(inner, rest)];
    }),
  );
}

/** Returns an own property, because inherited ones such as `constructor` are not fields. */
function ownValue(record: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null;
}

/** Whether a JSON value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the fields that are not nested in another. */
export function topLevelFields(allFields: readonly string[]): string[] {
  return allFields.filter((field) => !field.includes('.'));
}
