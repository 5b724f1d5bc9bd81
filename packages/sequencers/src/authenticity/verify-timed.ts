/**
 * Signatures that include the time of the attempt, so that a recorded post is of no use later.
 *
 * 1. `t=<time>,v1=<hex>` is how this service signs its own webhooks (`domain/src/webhooks/webhook-signature.ts`). Other senders
 *    write milliseconds, or call the signature `s`.
 * 2. Standard Webhooks 1.0.0 (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md): HMAC-SHA256 over
 *    `<webhook-id>.<webhook-timestamp>.<body>`, in base64 after `v1,`. The key is what the base64 after `whsec_` encodes.
 * 3. A header may hold several signatures, while a sender changes its secret. One must match.
 * 4. The signature is compared before the age, so only a genuine post is called `stale`.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type SourceSecret, STANDARD_WEBHOOKS_HEADER } from '@svc/domain/syncs/source-secret';
import {
  DEFAULT_SIGNATURE_TOLERANCE_SECONDS,
  parseSignatureHeader,
  signedBytes,
} from '@svc/domain/webhooks/webhook-signature';
import { isSame, toBase64 } from './compare.ts';
import type { Authenticity, ReceivedPost } from './received-post.ts';

type SignedPost = Pick<ReceivedPost, 'headers' | 'body'>;

/** Names of the part that holds a signature: `v1` of most senders, `s` of SendPilot. */
const SIGNATURE_NAMES = ['v1', 's'];

export function verifyTimed(accepted: SourceSecret, { headers, body }: SignedPost, now: Date): Authenticity {
  const header = headers[accepted.name];
  if (typeof header !== 'string' || header.trim() === '') return 'missing';
  const parsed = parseSignatureHeader(header, SIGNATURE_NAMES);
  if (typeof parsed === 'string') return 'wrong';
  const expected = bytesToHex(hmac(sha256, encoder.encode(accepted.secret), signedBytes(parsed.t, body)));
  const matches = parsed.signatures.filter((signature) => isSame(bytesToHex(signature), expected));
  return matches.length === 0 ? 'wrong' : ageOf(Number(parsed.t), accepted, now);
}

export function verifyStandardWebhook(accepted: SourceSecret, { headers, body }: SignedPost, now: Date): Authenticity {
  const [id, time, given] = ['webhook-id', 'webhook-timestamp', STANDARD_WEBHOOKS_HEADER].map((name) => headers[name]);
  for (const value of [id, time, given]) if (typeof value !== 'string' || value === '') return 'missing';
  const key = toStandardKey(accepted.secret);
  // With a dot in the id, other values of the three parts would have the same signature.
  if (key === null || /\./.test(String(id)) || !/^\d{1,15}$/.test(String(time))) return 'wrong';
  const expected = toBase64(hmac(sha256, key, signedBytes(`${String(id)}.${String(time)}`, body)));
  const matches = String(given)
    .split(' ')
    .filter((signature) => isSame(signature, `v1,${expected}`));
  return matches.length === 0 ? 'wrong' : ageOf(Number(time), accepted, now);
}

/** Returns the bytes of a secret of Standard Webhooks; null when it is not base64. */
export function toStandardKey(secret: string): Uint8Array | null {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  if (text === '' || !/^[\w+/-]+={0,2}$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

export function newStandardSecret(random: Uint8Array): string {
  return `whsec_${toBase64(random)}`;
}

/** Larger times are milliseconds: as seconds, this one is in the year 5138. */
const SECONDS_MAX = 99_999_999_999;

function ageOf(time: number, { toleranceSeconds = DEFAULT_SIGNATURE_TOLERANCE_SECONDS }: SourceSecret, now: Date) {
  const signedMs = time > SECONDS_MAX ? time : time * 1_000;
  return Math.abs(now.getTime() - signedMs) > toleranceSeconds * 1_000 ? 'stale' : 'ok';
}

const encoder = new TextEncoder();
