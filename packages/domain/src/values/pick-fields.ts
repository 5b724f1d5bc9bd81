/**
 * Returns the named fields of a value, in the order of the names, which are those of `@svc/contract/fields`: dotted names lead into
 * objects and arrays, and `a.*` takes all of `a`.
 */
export function pickFields(names: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => pickFields(names, item));
  if (typeof value !== 'object' || value === null || names.length === 0 || names.includes('*')) return value;
  const own = names.filter((name) => !name.includes('.') && name in value);
  return Object.fromEntries(own.map((name) => [name, pickFields(namesBelow(name, names), Reflect.get(value, name))]));
}

function namesBelow(parent: string, names: readonly string[]): string[] {
  return names.filter((name) => name.startsWith(`${parent}.`)).map((name) => name.slice(parent.length + 1));
}
