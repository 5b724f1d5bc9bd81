/**
 * JSON that PostgreSQL can hold. `jsonb` and `text` refuse NUL characters and lone surrogates, which are legal in the
 * JSON that others send; they are dropped or replaced here, in values and keys, because the raw bytes are kept beside it.
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
