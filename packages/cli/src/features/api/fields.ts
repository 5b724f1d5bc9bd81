import { usageError } from '../../errors/cli-error.ts';

/** One `-f key=value` or `-F key=value`. */
export interface ApiField {
  /** `a[b]` is `b` in an object `a`, `a[]` an element of a list `a`. */
  readonly key: string;
  readonly value: unknown;
}

/** Parses `-f key=value`, whose value is always text. @throws CliError (exit 2) */
export function parseRawField(text: string): ApiField {
  const { key, value } = splitField(text, '-f');
  if (value === null) throw usageError(`-f ${key} has no =`, 'Write -f key=value.');
  return { key, value };
}

/**
 * Parses `-F key=value` like `gh api`: true, false, null and whole numbers have their type, `@file` is the content of a
 * file (`@-`: stdin), everything else is text. `-F key[]` is an empty list.
 *
 * @throws CliError (exit 2)
 */
export async function parseTypedField(text: string, readInput: (path: string) => Promise<string>): Promise<ApiField> {
  const { key, value } = splitField(text, '-F');
  if (value === null) {
    if (key.endsWith('[]')) return { key: key.slice(0, -2), value: [] };
    throw usageError(`-F ${key} has no =`, 'Write -F key=value, or -F key[] for an empty list.');
  }
  return { key, value: value.startsWith('@') ? await readInput(value.slice(1)) : typeOf(value) };
}

function typeOf(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  if (value === 'null') return null;
  // Larger numbers would lose digits.
  return /^-?\d+$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function splitField(text: string, flag: string): { key: string; value: string | null } {
  const equals = text.indexOf('=');
  const key = equals === -1 ? text : text.slice(0, equals);
  if (key === '') throw usageError(`${flag} has no key`, `Write ${flag} key=value.`);
  return { key, value: equals === -1 ? null : text.slice(equals + 1) };
}

/** Adds fields to the query. A list repeats its name. */
export function appendToQuery(url: URL, fields: readonly ApiField[]): void {
  for (const { key, value } of fields) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    for (const one of values) url.searchParams.append(key.replace(/\[\]$/, ''), String(one));
  }
}

/** @throws CliError (exit 2) if fields contradict each other */
export function buildBody(fields: readonly ApiField[]): unknown {
  const body = new Node();
  for (const { key, value } of fields) body.set(splitKey(key), value, key);
  return body.toValue();
}

/** Splits `a[b][]` into `a`, `b` and `''`, which stands for a list element. */
function splitKey(key: string): string[] {
  const parts = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
  if (parts === null) throw usageError(`${key} is not a key`, 'Keys have the form name, name[name] or name[].');
  const inner = [...(parts[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1] ?? '');
  return [parts[1] ?? '', ...inner];
}

/** An object or list of the body. Uses a map, in which `__proto__` is an ordinary key. */
class Node {
  readonly #named = new Map<string, unknown>();
  readonly #list: unknown[] = [];

  set([first = '', ...rest]: readonly string[], value: unknown, key: string): void {
    if (first === '') {
      if (rest.length > 0) throw usageError(`${key}: [] must be last`);
      this.#list.push(value);
    } else if (rest.length === 0) {
      if (this.#named.has(first)) throw usageError(`${key} is given twice`);
      this.#named.set(first, value);
    } else {
      const child = this.#named.get(first) ?? new Node();
      if (!(child instanceof Node)) throw usageError(`${key}: ${first} already has a value`);
      this.#named.set(first, child);
      child.set(rest, value, key);
    }
    if (this.#named.size > 0 && this.#list.length > 0) throw usageError(`${key} is both a list and an object`);
  }

  toValue(): unknown {
    if (this.#list.length > 0) return this.#list;
    return Object.fromEntries(
      [...this.#named].map(([name, child]) => [name, child instanceof Node ? child.toValue() : child]),
    );
  }
}
