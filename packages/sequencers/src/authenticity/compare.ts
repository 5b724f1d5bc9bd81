import { sha256 } from '@noble/hashes/sha2.js';

const encoder = new TextEncoder();

/** Compares hashes, so that the time does not depend on the texts' common beginning or on the length of the secret. */
export function isSame(given: string, expected: string): boolean {
  const a = sha256(encoder.encode(given));
  const b = sha256(encoder.encode(expected));
  let difference = 0;
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0);
  return difference === 0;
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
