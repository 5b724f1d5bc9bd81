/**
 * Returns JSON that PostgreSQL can store. `jsonb` and `text` refuse NUL characters and lone surrogates, which JSON
 * allows; they are removed or replaced in values and keys. The raw bytes are stored separately.
 */
export function toStorableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'string') return storableText(inner);
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      return Object.fromEntries(Object.entries(inner).map(([key, entry]) => [storableText(key), entry]));
    }
    return inner;
  });
}

function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '');
}
