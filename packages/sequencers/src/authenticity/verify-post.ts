/**
 * Verifies that a post to a source comes from its sequencer.
 *
 * 1. A source without secrets accepts every post.
 * 2. With several secrets one must match, so that they can be rotated.
 * 3. A signature is the HMAC of the bytes as received. A prefix such as `sha256=` is optional. Hex of either case and base64
 *    are both accepted, because platforms do not always document which one they send.
 * 4. In the body, every object of an array needs the secret.
 * 5. Comparisons take the same time wherever the first difference is.
 * 6. Signatures with a time: see `verify-timed.ts`.
 *
 * `missing`, `wrong` and `stale` are for operators: an answer must not say which it was.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import { field, isJsonObject } from '../events/json-fields.ts';
import { isSame, toBase64 } from './compare.ts';
import type { Authenticity, ReceivedPost } from './received-post.ts';
import { verifyStandardWebhook, verifyTimed } from './verify-timed.ts';

/** @param now when the post was received */
export function verifyPost(secrets: readonly SourceSecret[], post: ReceivedPost, now: Date): Authenticity {
  if (secrets.length === 0) return 'ok';
  const results = secrets.map((secret) => verifyOne(secret, post, now));
  return (['ok', 'stale', 'wrong'] as const).find((verdict) => results.includes(verdict)) ?? 'missing';
}

function verifyOne(accepted: SourceSecret, post: ReceivedPost, now: Date): Authenticity {
  const { check, name, secret } = accepted;
  const { headers, body, json } = post;
  if (check === 'timed-hmac-sha256') return verifyTimed(accepted, post, now);
  if (check === 'standard-webhooks') return verifyStandardWebhook(accepted, post, now);
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
