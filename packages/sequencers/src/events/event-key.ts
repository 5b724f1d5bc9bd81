import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { ItemContext } from './types.ts';

/** Derives a short stable key from the given parts. */
export function deriveKey(parts: readonly (string | null)[]): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts)))).slice(0, 40);
}

/** Returns the key of an event that has no id of its own: the body, and its position in it. */
export function toBodyKey({ bodyHash, index }: ItemContext): string {
  return index === 0 ? bodyHash : `${bodyHash}/${index}`;
}

/** Returns the SHA-256 of a received body in hex, which identifies events of platforms without event ids. */
export function hashBody(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}
