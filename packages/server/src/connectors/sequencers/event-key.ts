import { createHash } from 'node:crypto';

/** A short stable key over the given parts; null and undefined parts count as absent, in their place. */
export function deriveKey(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}
