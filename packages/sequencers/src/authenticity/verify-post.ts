/**
 * Verifies that a post to a source comes from its sequencer.
 *
 * 1. A source without secrets accepts every post.
 * 2. With several secrets one must match, so that they can be rotated.
 * 3. A signature is the HMAC of the bytes as received. A prefix such as `sha256=` is optional. Hex of either case and base64
 *    are both accepted, because platforms do not always document which one they send.
 * 4. In the body, every object of an array needs the secret.
 * 5. Comparisons take the same time wherever the first difference is.
 *
 * `missing` and `wrong` are for counting: an answer must not say which it was.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import { field, isJsonObject } from '../events/json-fields.ts';

export type Authenticity = 'ok' | 'missing' | 'wrong';

export interface ReceivedPost {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** As received, after decompression. */
  readonly body: Uint8Array;
  /** The parsed body. */
  readonly json: unknown;
}

export function verifyPost(secrets: readonly SourceSecret[], post: ReceivedPost): Authenticity {
  if (secrets.length === 0) return 'ok';
  const results = secrets.map((secret) => verifyOne(secret, post));
  if (results.includes('ok')) return 'ok';
  return results.includes('wrong') ? 'wrong' : 'missing';
}

function verifyOne({ check, name, secret }: SourceSecret, { headers, body, json }: ReceivedPost): Authenticity {
  if (check === 'body') return verifyItems(Array.isArray(json) ? json : [json], name, secret);
  const given = headers[name];
  if (typeof given !== 'string' || given === '') return 'missing';
  if (check === 'header') return isSame(given, secret) ? 'ok' : 'wrong';
  const algorithm = check === 'hmac-sha256' ? 'sha256' : 'sha1';
  const signature = given.startsWith(`${algorithm}=`) ? given.slice(algorithm.length + 1) : given;
  const expected = hmac(algorithm === 'sha256' ? sha256 : sha1, encoder.encode(secret), body);
  const isHex = isSame(signature.toLowerCase(), bytesToHex(expected));
  return isHex || isSame(signature, toBase64(expected)) ? 'ok' : 'wrong';
}

function verifyItems(items: readonly unknown[], name: string, secret: string): Authenticity {
  if (items.length === 0) return 'missing';
  for (const item of items) {
    const given = isJsonObject(item) ? field(item, name) : undefined;
    if (typeof given !== 'string' || given === '') return 'missing';
    if (!isSame(given, secret)) return 'wrong';
  }
  return 'ok';
}

const encoder = new TextEncoder();

/** Compares hashes, so that the time does not depend on the texts' common beginning or on the length of the secret. */
function isSame(given: string, expected: string): boolean {
  const a = sha256(encoder.encode(given));
  const b = sha256(encoder.encode(expected));
  let difference = 0;
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0);
  return difference === 0;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
