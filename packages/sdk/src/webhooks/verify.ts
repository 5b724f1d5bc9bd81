import { PREFIXES } from '@svc/contract/vocabulary';
import {
  DEFAULT_SIGNATURE_TOLERANCE_SECONDS,
  type SignatureProblem,
  type SignedPayload,
  verifySignature,
} from '@svc/domain/webhooks/webhook-signature';
import { ConfigurationError } from '../errors/errors.ts';
import { RAW_BODY_ADVICE, WebhookVerificationError } from './errors.ts';
import type { WebhookEvent } from './events.ts';
import { type HeadersLike, readHeader, webhookHeaderNames } from './header-names.ts';
import { parseEvent } from './parse-event.ts';

/** Settings that are the same for every delivery. */
export interface VerificationSettings {
  /** Largest difference between the signature's timestamp and this clock, in seconds, in either direction. Default 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Prefix of the header names. Default `Service`. Used with `headers` only. */
  readonly headerPrefix?: string | undefined;
  /** Prefix of secrets, used for hints only. It is part of the secret. Default `oswhsec_`. */
  readonly secretPrefix?: string | undefined;
  /** Returns milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The value of the signature header, or all headers of the request, as in `request.headers` of `fetch` or Node. */
export type SignatureSource =
  | { readonly header: string | null | undefined; readonly headers?: never }
  | { readonly headers: HeadersLike; readonly header?: never };

/** The webhook's secret, including its prefix, or several of them during a rotation. */
export type SecretSource =
  | { readonly secret: string; readonly secrets?: never }
  | { readonly secrets: readonly string[]; readonly secret?: never };

/** Options of `verifyWebhook`: a delivery as it was received, and the secrets. */
export type VerifyWebhookOptions = VerificationSettings &
  SignatureSource &
  SecretSource & {
    /** The body's bytes exactly as they arrived, before any JSON parser. A string stands for its UTF-8 bytes. */
    readonly payload: SignedPayload;
  };

/**
 * Verifies a delivery and returns its event. Signatures are compared in constant time, and the body is parsed only after that.
 *
 * A delivery can come more than once and out of order. `createWebhookReceiver` also drops repeats. How to get the raw body in Express,
 * Fastify, Hono and Next.js: README.md#recipes.
 *
 * @throws WebhookVerificationError with a `reason`; answer 400 and ignore the request
 * @throws ConfigurationError when there is no secret, or the tolerance or prefix can never work
 * @example
 * const event = await verifyWebhook({ payload: await request.arrayBuffer(), headers: request.headers, secret });
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const secrets = options.secrets ?? [options.secret];
  const { payload, toleranceSeconds = DEFAULT_SIGNATURE_TOLERANCE_SECONDS, now = Date.now } = options;
  checkSettings(secrets, toleranceSeconds);
  const header =
    options.headers === undefined
      ? options.header
      : readHeader(options.headers, webhookHeaderNames(options.headerPrefix).signature);
  const verdict = await verifySignature({
    payload: toOwnRealm(payload),
    header,
    secrets,
    toleranceSeconds,
    nowSeconds: now() / 1000,
  });
  if (!verdict.valid) {
    const hint = hintFor(verdict.reason, { payload, secrets, secretPrefix: options.secretPrefix });
    throw new WebhookVerificationError(verdict.detail, { reason: verdict.reason, hint });
  }
  return parseEvent(bytesOf(payload));
}

/** Checks the settings. @throws ConfigurationError that does not quote a secret */
export function checkSettings(secrets: readonly unknown[], toleranceSeconds: number): void {
  // Also catches the value of an unset environment variable.
  if (secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || secret === '')) {
    throw new ConfigurationError('At least one signing secret is needed, and none may be empty');
  }
  if (!(toleranceSeconds >= 0)) throw new ConfigurationError('toleranceSeconds must be 0 or more');
}

/** Converts bytes of another realm (an iframe, a test environment), which are not instances of this realm's `Uint8Array`. */
function toOwnRealm(payload: SignedPayload): SignedPayload {
  if (ArrayBuffer.isView(payload)) return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
  const isForeignBuffer = Object.prototype.toString.call(payload) === '[object ArrayBuffer]';
  return isForeignBuffer && typeof payload !== 'string' ? new Uint8Array(payload) : payload;
}

function bytesOf(payload: SignedPayload): Uint8Array {
  const own = toOwnRealm(payload);
  if (typeof own === 'string') return new TextEncoder().encode(own);
  return own instanceof Uint8Array ? own : new Uint8Array(own);
}

interface Circumstances {
  readonly payload: SignedPayload;
  readonly secrets: readonly string[];
  readonly secretPrefix: string | undefined;
}

/** Returns advice about the most likely mistake, or null. */
function hintFor(reason: SignatureProblem, { payload, secrets, secretPrefix }: Circumstances): string | null {
  if (reason === 'payload_not_raw') {
    return RAW_BODY_ADVICE;
  }
  if (reason === 'timestamp_too_old') {
    return 'An old delivery was sent again, or this clock is ahead.';
  }
  if (reason === 'timestamp_in_future') return 'This clock is probably behind.';
  if (reason !== 'no_match') return null;
  const prefix = secretPrefix ?? PREFIXES.webhookSecret;
  if (secrets.some((secret) => secret !== secret.trim())) return 'A secret begins or ends with white space.';
  if (!secrets.some((secret) => secret.startsWith(prefix))) {
    return `No secret begins with "${prefix}", which is part of it: is it the webhook's complete signing secret?`;
  }
  if (typeof payload === 'string' && payload.includes('\ufffd')) {
    return 'The payload is text with replacement characters: pass the bytes, not decoded text.';
  }
  return null;
}
