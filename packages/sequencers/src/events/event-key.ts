import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Derives a short stable key from the given parts. */
export function deriveKey(parts: readonly (string | null)[]): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts)))).slice(0, 40);
}

/** Returns the SHA-256 of a received body in hex, which identifies events of platforms without event ids. */
export function hashBody(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}
