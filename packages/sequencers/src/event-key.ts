import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** A short stable key over the given parts; null and undefined parts count as absent, in their place. */
export function deriveKey(parts: readonly (string | null)[]): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts)))).slice(0, 40);
}

/** SHA-256 of a received body, hex: what platforms without event ids are deduplicated by. */
export function hashBody(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}
