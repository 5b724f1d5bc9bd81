/**
 * An immutable set of strings, in chunks. Adding a key makes a new set that shares every full chunk, so a snapshot is a reference
 * and adding has constant cost.
 */
export interface KeySet {
  readonly chunks: readonly ReadonlySet<string>[];
}

const CHUNK_KEYS = 512;

export const EMPTY_KEYS: KeySet = { chunks: [] };

export function hasKey({ chunks }: KeySet, key: string): boolean {
  return chunks.some((chunk) => chunk.has(key));
}

/** Returns the set with the added keys; the same set when it has them all. */
export function addKeys(keys: KeySet, added: readonly string[]): KeySet {
  const missing = [...new Set(added)].filter((key) => !hasKey(keys, key));
  if (missing.length === 0) return keys;
  const last = keys.chunks.at(-1);
  const hasRoom = last !== undefined && last.size < CHUNK_KEYS;
  const full = hasRoom ? keys.chunks.slice(0, -1) : keys.chunks;
  const rest = hasRoom ? [...last, ...missing] : missing;
  const chunks: ReadonlySet<string>[] = [];
  for (let start = 0; start < rest.length; start += CHUNK_KEYS) {
    chunks.push(new Set(rest.slice(start, start + CHUNK_KEYS)));
  }
  return { chunks: [...full, ...chunks] };
}
