import { PREFIXES } from '@svc/contract/vocabulary';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  ID_RANDOM_BYTES,
  INGRESS_CODE_RANDOM_BYTES,
  looksLikeApiKey,
  newEventId,
  newIngressCode,
  newResourceId,
  newSecret,
  newWebhookDeliveryId,
  newWebhookId,
  parsePrefixedPathId,
  type ResourceIdPrefix,
  SECRET_RANDOM_BYTES,
} from './resource-ids.ts';

testRuleCases('resource-ids', ({ rule }) => {
  rule<{ prefix: ResourceIdPrefix; now: string; randomHex: string }>('newResourceId', ({ prefix, now, randomHex }) =>
    newResourceId(prefix, new Date(now), Uint8Array.from(Buffer.from(randomHex, 'hex'))),
  );
  rule<string>('looksLikeApiKey', looksLikeApiKey);
  rule<{ resource: 'Webhook' | 'Delivery' | 'Event'; raw: string }>('parsePrefixedPathId', ({ resource, raw }) =>
    parsePrefixedPathId(resource, raw),
  );
});

const random = fc.uint8Array({ minLength: ID_RANDOM_BYTES, maxLength: ID_RANDOM_BYTES });
const instant = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });

describe('laws of ids', () => {
  test('ids are ordered by their instants, whatever their random part', () => {
    fc.assert(
      fc.property(instant, instant, random, random, (earlier, later, one, other) => {
        fc.pre(earlier < later);
        const first = newEventId(new Date(earlier), one);
        const second = newEventId(new Date(later), other);
        expect(Buffer.compare(Buffer.from(first), Buffer.from(second))).toBe(-1);
        expect(first < second).toBe(true);
      }),
    );
  });

  test('ids of neighbouring milliseconds are ordered', () => {
    fc.assert(
      fc.property(instant, random, random, (ms, one, other) => {
        expect(newEventId(new Date(ms), one) < newEventId(new Date(ms + 1), other)).toBe(true);
      }),
    );
  });

  test('different random bytes give different ids of the same length, which are valid in a path', () => {
    fc.assert(
      fc.property(instant, random, random, (ms, one, other) => {
        const [first, second] = [newWebhookId(new Date(ms), one), newWebhookId(new Date(ms), other)];
        expect(first === second).toBe(Buffer.compare(one, other) === 0);
        expect(first).toMatch(/^oswhk_[0-9a-hjkmnp-tv-z]{26}$/);
        expect(parsePrefixedPathId('Webhook', first)).toBe(first);
      }),
    );
  });
});

test('each kind has its prefix', () => {
  const bytes = new Uint8Array(ID_RANDOM_BYTES);
  const now = new Date('2026-01-31T00:00:00Z');
  expect(newEventId(now, bytes)).toMatch(/^osevt_/);
  expect(newWebhookId(now, bytes)).toMatch(/^oswhk_/);
  expect(newWebhookDeliveryId(now, bytes)).toMatch(/^oswhd_/);
});

test.each([9, 11, 0])('throws for %i random bytes', (length) => {
  expect(() => newEventId(new Date(0), new Uint8Array(length))).toThrow(new RangeError('an id takes 10 random bytes'));
});

test.each([Number.NaN, -1, 2 ** 48])('throws for instant %d', (ms) => {
  expect(() => newEventId(new Date(ms), new Uint8Array(ID_RANDOM_BYTES))).toThrow(
    new RangeError('an id takes an instant from 1970 on'),
  );
});

test('encodes the first and the last possible instant', () => {
  const bytes = new Uint8Array(ID_RANDOM_BYTES);
  expect(newEventId(new Date(0), bytes)).toBe(`osevt_${'0'.repeat(26)}`);
  expect(newEventId(new Date(2 ** 48 - 1), bytes)).toBe(`osevt_7${'z'.repeat(9)}${'0'.repeat(16)}`);
});

describe('newSecret', () => {
  test('encodes all bytes after the prefix', () => {
    const bytes = fc.uint8Array({ minLength: SECRET_RANDOM_BYTES, maxLength: SECRET_RANDOM_BYTES });
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        const [first, second] = [newSecret(PREFIXES.apiKey, one), newSecret(PREFIXES.apiKey, other)];
        expect(first).toMatch(/^osapi_[0-9a-z]{52}$/);
        expect(looksLikeApiKey(first)).toBe(true);
        expect(first === second).toBe(Buffer.compare(one, other) === 0);
      }),
    );
  });

  test('a signing secret has its own prefix', () => {
    expect(newSecret(PREFIXES.webhookSecret, new Uint8Array(32))).toBe(`oswhsec_${'0'.repeat(52)}`);
    expect(newSecret(PREFIXES.webhookSecret, new Uint8Array(16).fill(255))).toBe(`oswhsec_${'z'.repeat(25)}w`);
  });

  test('throws for too few bytes', () => {
    expect(() => newSecret(PREFIXES.apiKey, new Uint8Array(15))).toThrow(
      new RangeError('a secret takes at least 16 random bytes'),
    );
  });
});

describe('newIngressCode', () => {
  test('different random bytes give different codes of 32 safe characters', () => {
    const bytes = fc.uint8Array({ minLength: INGRESS_CODE_RANDOM_BYTES, maxLength: INGRESS_CODE_RANDOM_BYTES });
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        expect(newIngressCode(one)).toMatch(/^[0-9a-hjkmnp-tv-z]{32}$/);
        expect(newIngressCode(one) === newIngressCode(other)).toBe(Buffer.compare(one, other) === 0);
      }),
    );
  });

  test.each([0, 16, 19, 21])('throws for %i random bytes', (length) => {
    expect(() => newIngressCode(new Uint8Array(length))).toThrow(
      new RangeError('an ingress code takes 20 random bytes'),
    );
  });
});
