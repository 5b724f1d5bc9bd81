import { WebhookVerificationError } from './errors.ts';
import type { WebhookEvent } from './events.ts';

/**
 * Parses the body of a delivery whose signature is valid.
 *
 * 1. The body must be UTF-8 without a byte order mark (RFC 8259, 8.1).
 * 2. The envelope's five fields must exist and have the right types; `id` and `type` must not be empty, `created` must be an instant.
 * 3. Additional fields, unknown types of events and any content of `data` are accepted.
 *
 * @throws WebhookVerificationError
 */
export function parseEvent(bytes: Uint8Array): WebhookEvent {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw refusal('byte_order_mark', 'begins with a byte order mark, which JSON must not');
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw refusal('invalid_utf8', 'is not UTF-8', cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refusal('invalid_json', text === '' ? 'is empty' : 'is not JSON', cause);
  }
  assertEvent(value);
  return value;
}

function assertEvent(value: unknown): asserts value is WebhookEvent {
  if (!isObject(value)) throw refusal('not_an_event', 'is JSON, but not an object');
  const fault = FIELDS.find(([name, isGood]) => !isGood(value[name]));
  if (fault) throw refusal('not_an_event', `is JSON, but not an event: ${fault[0]} ${fault[2]}`);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const FIELDS: readonly (readonly [name: string, isGood: (value: unknown) => boolean, fault: string])[] = [
  ['id', isText, 'is missing'],
  ['type', isText, 'is missing'],
  // `Date.parse` alone would accept "1".
  [
    'created',
    (value) =>
      isText(value) && /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)),
    'is not an instant',
  ],
  ['summary', (value) => typeof value === 'string', 'is not a text'],
  ['data', isObject, 'is not an object'],
];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type BodyProblem = 'byte_order_mark' | 'invalid_utf8' | 'invalid_json' | 'not_an_event';

function refusal(reason: BodyProblem, fault: string, cause?: unknown): WebhookVerificationError {
  const details = cause === undefined ? { reason } : { reason, cause };
  return new WebhookVerificationError(`The signature is genuine, but the body ${fault}.`, details);
}
