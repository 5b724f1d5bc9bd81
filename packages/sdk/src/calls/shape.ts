/** The kind of a field; `objects` is an array of objects. */
type Kind = 'string' | 'number' | 'boolean' | 'object' | 'objects';

/**
 * Returns a check. The check returns null for an answer that can come from this service, else a phrase that says what is wrong. Only
 * the given fields are checked: later releases may change all others.
 */
export function createShapeCheck<Body>(kinds: { readonly [Name in keyof Body]?: Kind }): (data: Body) => string | null {
  return (data) => {
    if (!isObject(data)) return 'is not an object';
    for (const name in kinds) {
      if (!hasKind(data[name], kinds[name])) return `has no valid ${name}`;
    }
    return null;
  };
}

function hasKind(value: unknown, kind: Kind | undefined): boolean {
  if (kind === 'objects') return Array.isArray(value) && value.every(isObject);
  return kind === 'object' ? isObject(value) : typeof value === kind;
}

function isObject<Value>(value: Value): value is Value & object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
