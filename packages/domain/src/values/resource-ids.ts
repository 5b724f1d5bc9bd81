/**
 * Prefixed ids and secrets: ids of webhooks, events and webhook deliveries, API keys and signing secrets
 * (`createWebhook`, `rotateWebhookSecret`).
 *
 * 1. An id of a webhook, an event or a webhook delivery is its prefix, ten digits of time and sixteen random digits.
 * 2. Compared byte by byte, a later id is greater, so rows can be ordered by id.
 * 3. Digits are Crockford's base 32 in lower case, without `i`, `l`, `o` and `u`.
 * 4. Other ids with the prefix and safe characters (a fixture's `osevt_demo_1`) are valid too.
 */
import type { NotFoundResource } from '@svc/contract/error-messages';
import { PREFIXES } from '@svc/contract/vocabulary';
import { notFound } from '../errors/errors.ts';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** 48 bits of milliseconds, enough until the year 10889. */
const TIME_MAX = 2 ** 48 - 1;
const TIME_DIGITS = 10;

/** Random bytes in an id: 80 bits, sixteen digits. */
export const ID_RANDOM_BYTES = 10;
/** Random bytes in a key or a signing secret: 256 bits. */
export const SECRET_RANDOM_BYTES = 32;
/** Random bytes in an ingress code: 160 bits, 32 digits. */
export const INGRESS_CODE_RANDOM_BYTES = 20;
const SECRET_RANDOM_BYTES_MIN = 16;

export type ResourceIdPrefix = (typeof PREFIXES)['webhook' | 'webhookDelivery' | 'event'];

/**
 * Creates an id: the prefix and 26 digits.
 *
 * @param random exactly `ID_RANDOM_BYTES` bytes from a cryptographic source
 * @throws RangeError when `now` is before 1970 or invalid, or `random` has another length
 */
export function newResourceId(prefix: ResourceIdPrefix, now: Date, random: Uint8Array): string {
  if (random.length !== ID_RANDOM_BYTES) throw new RangeError(`an id takes ${ID_RANDOM_BYTES} random bytes`);
  return prefix + timeDigits(now) + toBase32(random);
}

export const newEventId = (now: Date, random: Uint8Array): string => newResourceId(PREFIXES.event, now, random);
export const newWebhookId = (now: Date, random: Uint8Array): string => newResourceId(PREFIXES.webhook, now, random);
export const newWebhookDeliveryId = (now: Date, random: Uint8Array): string =>
  newResourceId(PREFIXES.webhookDelivery, now, random);

/**
 * Creates an API key (`osapi_`) or webhook signing secret (`oswhsec_`). The prefix is part of the secret.
 *
 * @param prefix the installation's, see `branding.ts`
 * @param random at least 16 bytes from a cryptographic source, normally `SECRET_RANDOM_BYTES`
 * @throws RangeError when `random` is shorter than 16 bytes
 */
export function newSecret(prefix: string, random: Uint8Array): string {
  if (random.length < SECRET_RANDOM_BYTES_MIN) {
    throw new RangeError(`a secret takes at least ${SECRET_RANDOM_BYTES_MIN} random bytes`);
  }
  return prefix + toBase32(random);
}

/**
 * Creates an ingress code, the last part of a source's `url`. It is a secret: anyone who knows it can post events.
 *
 * @param random exactly `INGRESS_CODE_RANDOM_BYTES` bytes from a cryptographic source
 * @throws RangeError when `random` has another length
 */
export function newIngressCode(random: Uint8Array): string {
  if (random.length !== INGRESS_CODE_RANDOM_BYTES) {
    throw new RangeError(`an ingress code takes ${INGRESS_CODE_RANDOM_BYTES} random bytes`);
  }
  return toBase32(random);
}

/**
 * Whether a Bearer token has the form of an API key. Anything else is refused without a lookup. Also accepts the fixed tokens
 * of the demo world (`osapi_demo_write`), which `newSecret` would not create.
 */
export function looksLikeApiKey(token: string, keyPrefix: string = PREFIXES.apiKey): boolean {
  return token.startsWith(keyPrefix) && /^[\w-]{4,128}$/.test(token.slice(keyPrefix.length));
}

const PREFIX_OF = {
  Webhook: PREFIXES.webhook,
  Delivery: PREFIXES.webhookDelivery,
  Event: PREFIXES.event,
} as const satisfies Partial<Record<NotFoundResource, ResourceIdPrefix>>;

/**
 * Checks the id of a webhook, an event or a *webhook* delivery in a path, and returns it.
 *
 * @throws ApiError 404 naming the resource, when the id is malformed
 */
export function parsePrefixedPathId(resource: keyof typeof PREFIX_OF, raw: string): string {
  const prefix = PREFIX_OF[resource];
  if (raw.startsWith(prefix) && /^[\w-]{1,64}$/.test(raw.slice(prefix.length))) return raw;
  throw notFound(resource, raw);
}

function timeDigits(now: Date): string {
  let rest = now.getTime();
  if (!(rest >= 0 && rest <= TIME_MAX)) throw new RangeError('an id takes an instant from 1970 on');
  let digits = '';
  for (let place = 0; place < TIME_DIGITS; place += 1) {
    digits = DIGITS.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return digits;
}

function toBase32(bytes: Uint8Array): string {
  let digits = '';
  let pending = 0;
  let pendingBits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    pendingBits += 8;
    while (pendingBits >= 5) {
      // Stryker disable next-line AssignmentOperator: it would never end, and take all memory
      pendingBits -= 5;
      digits += DIGITS.charAt((pending >> pendingBits) & 31);
    }
    pending &= (1 << pendingBits) - 1;
  }
  return pendingBits === 0 ? digits : digits + DIGITS.charAt((pending << (5 - pendingBits)) & 31);
}
