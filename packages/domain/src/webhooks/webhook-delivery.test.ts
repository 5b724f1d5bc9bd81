import { LIMITS } from '@svc/contract/limits';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  giveUp,
  giveUpReason,
  jitterFrom,
  newWebhookDelivery,
  nextDelivery,
  retryDelayMs,
  toEnvelope,
  type WebhookDeliveryState,
  webhookHeaders,
  withholdReason,
} from './webhook-delivery.ts';

const START = new Date('2026-01-31T12:00:00Z');

/** Runs a delivery's attempts, each at the instant it was due. */
function play(answers: readonly (number | null)[], jitterMs: number): WebhookDeliveryState[] {
  let delivery = newWebhookDelivery(START);
  return answers.map((httpStatus) => {
    const at = delivery.nextAttemptAt ?? START;
    delivery = nextDelivery(delivery, { httpStatus, error: null, at }, { jitterMs });
    return delivery;
  });
}

testRuleCases('webhook-delivery', ({ rule }) => {
  rule<{ jitterMs: number; answers: (number | null)[] }>('nextDelivery', ({ jitterMs, answers }) => {
    const states = play(answers, jitterMs);
    return {
      statuses: states.map(({ status }) => status),
      waitsSeconds: states.map(({ nextAttemptAt, lastAttemptAt }) =>
        nextAttemptAt === null || lastAttemptAt === null ? null : (+nextAttemptAt - +lastAttemptAt) / 1000,
      ),
    };
  });
});

describe('nextDelivery', () => {
  const attempt = (httpStatus: number | null, error: string | null = null) =>
    nextDelivery(newWebhookDelivery(START), { httpStatus, error, at: START }, { jitterMs: 0 });

  test('a new delivery is due at once', () => {
    expect(newWebhookDelivery(START)).toEqual({
      status: 'PENDING',
      attemptCount: 0,
      lastAttemptAt: null,
      lastHttpStatus: null,
      lastError: null,
      nextAttemptAt: START,
    });
  });

  test('a success clears the error of the attempt before', () => {
    const failed = attempt(500);
    expect(failed).toMatchObject({ lastError: 'HTTP 500', lastHttpStatus: 500, attemptCount: 1 });
    const at = new Date(+START + 60_000);
    expect(nextDelivery(failed, { httpStatus: 200, error: null, at }, { jitterMs: 0 })).toEqual({
      status: 'SUCCEEDED',
      attemptCount: 2,
      lastAttemptAt: at,
      lastHttpStatus: 200,
      lastError: null,
      nextAttemptAt: null,
    });
  });

  test('a missing answer gives no status and an error text', () => {
    expect(attempt(null, 'connect ECONNREFUSED')).toMatchObject({
      lastHttpStatus: null,
      lastError: 'connect ECONNREFUSED',
    });
    expect(attempt(null)).toMatchObject({ lastError: 'No answer from the endpoint' });
  });

  test('a redirect says that it is not followed', () => {
    for (const status of [300, 302, 399]) {
      const lastError = `HTTP ${status}: redirects are not followed`;
      expect(attempt(status)).toMatchObject({ status: 'PENDING', lastError });
    }
    for (const status of [199, 400]) expect(attempt(status)).toMatchObject({ lastError: `HTTP ${status}` });
  });

  test('a 2xx answer is a success, even if its body ended early', () => {
    expect(attempt(200, 'body aborted')).toMatchObject({ status: 'SUCCEEDED', lastError: null });
  });

  test.each([100, 199, 300, 399, 400, 403, 405, 412, 414, 500, 599])('HTTP %i is retried', (status) => {
    expect(attempt(status)).toMatchObject({ status: 'PENDING' });
  });

  test('throws for a jitter out of bounds', () => {
    const refusal = new RangeError('jitterMs must be 0 to 300000');
    for (const jitterMs of [-1, 300_001, Number.NaN]) expect(() => play([500], jitterMs)).toThrow(refusal);
  });
});

describe('the schedule', () => {
  test('has one wait between two attempts', () => {
    expect(LIMITS.webhookRetryDelaysMs).toHaveLength(LIMITS.webhookAttemptsMax - 1);
    expect(retryDelayMs(LIMITS.webhookAttemptsMax, 0)).toBeNull();
    expect(() => retryDelayMs(0, 0)).toThrow(new RangeError('attemptCount must be 1 or more'));
  });

  test('a failing delivery makes 8 attempts in 121 minutes plus its jitter', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300_000 }), (jitterMs) => {
        const states = play(
          Array.from({ length: 8 }, () => 503),
          jitterMs,
        );
        const last = states.at(-1);
        expect(last).toMatchObject({ status: 'DEAD', attemptCount: 8, nextAttemptAt: null });
        expect(Number(last?.lastAttemptAt) - +START).toBe(121 * 60_000 + jitterMs);
      }),
    );
  });

  test('there are at most 8 attempts, a final state never changes, and only PENDING has a next attempt', () => {
    const answer = fc.oneof(fc.constantFrom(null, 200, 404, 413, 500), fc.integer({ min: 300, max: 599 }));
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 12 }), fc.nat(300_000), (answers, jitterMs) => {
        const states = play(answers, jitterMs);
        for (const [index, state] of states.entries()) {
          expect(state.attemptCount).toBeLessThanOrEqual(8);
          expect(state.nextAttemptAt !== null).toBe(state.status === 'PENDING');
          const before = states[index - 1];
          if (before !== undefined && before.status !== 'PENDING') expect(state).toBe(before);
          else expect(state.attemptCount).toBe(index + 1);
        }
      }),
    );
  });

  test('jitter covers 0 to 300,000 ms, both inclusive', () => {
    expect([jitterFrom(0), jitterFrom(0.5), jitterFrom(1 - 2 ** -53), jitterFrom(1)]).toEqual([
      0, 150_000, 300_000, 300_000,
    ]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (random) => {
        expect(Number.isInteger(jitterFrom(random))).toBe(true);
        expect(() => retryDelayMs(1, jitterFrom(random))).not.toThrow();
      }),
    );
  });
});

describe('giving up', () => {
  test('a pending delivery becomes FAILED and keeps its last attempt', () => {
    const [pending = newWebhookDelivery(START)] = play([503], 0);
    expect(giveUp(pending, 'webhook_deleted')).toEqual({
      ...pending,
      status: 'FAILED',
      lastError: 'Given up: the webhook was deleted',
      nextAttemptAt: null,
    });
    expect(giveUp(pending, 'webhook_inactive').lastError).toBe('Given up: the webhook is inactive');
  });

  test('a finished delivery does not change', () => {
    for (const status of [200, 404]) {
      const [done = newWebhookDelivery(START)] = play([status], 0);
      expect(giveUp(done, 'webhook_deleted')).toBe(done);
    }
  });

  test('an attempt that ends after the delivery was given up changes nothing', () => {
    const failed = giveUp(newWebhookDelivery(START), 'webhook_inactive');
    expect(nextDelivery(failed, { httpStatus: 200, error: null, at: START }, { jitterMs: 0 })).toBe(failed);
  });

  test('tests and replays are delivered to an inactive webhook, but not to a deleted one', () => {
    const reason = (isDeleted: boolean, isActive: boolean, isTestOrReplay: boolean) =>
      giveUpReason({ isDeleted, isActive }, { isTestOrReplay, audience: { canUseWebhooks: true, canUseApi: true } });
    expect(reason(false, true, false)).toBeNull();
    expect(reason(false, false, false)).toBe('webhook_inactive');
    expect(reason(false, false, true)).toBeNull();
    expect(reason(true, true, true)).toBe('webhook_deleted');
    expect(reason(true, false, false)).toBe('webhook_deleted');
  });

  test.each([
    [{ canUseWebhooks: true, canUseApi: true }, null],
    [{ canUseWebhooks: true, canUseApi: null }, null],
    [{ canUseWebhooks: true, canUseApi: false }, 'event_hidden'],
    [{ canUseWebhooks: false, canUseApi: true }, 'webhooks_disabled'],
    [{ canUseWebhooks: false, canUseApi: null }, 'webhooks_disabled'],
  ])('%j: the reason is %s, for tests and replays too', (audience, reason) => {
    expect(withholdReason(audience)).toBe(reason);
    for (const isTestOrReplay of [true, false]) {
      expect(giveUpReason({ isDeleted: false, isActive: true }, { isTestOrReplay, audience })).toBe(reason);
      expect(giveUpReason({ isDeleted: true, isActive: true }, { isTestOrReplay, audience })).toBe('webhook_deleted');
    }
  });

  test.each([
    ['webhooks_disabled', 'Given up: webhooks are not enabled for the account'],
    ['event_hidden', 'Given up: API access is not enabled for the connection of the event'],
  ] as const)('the error of %s', (reason, text) => {
    expect(giveUp(newWebhookDelivery(START), reason).lastError).toBe(text);
  });
});

test('the envelope holds the event and no other columns', () => {
  const row = {
    id: 'osevt_1',
    type: 'test.ping',
    createdAt: START,
    summary: 'Test event',
    data: { webhookId: 'oswhk_1' },
    accountId: 7,
  };
  expect(toEnvelope(row)).toEqual({
    id: 'osevt_1',
    type: 'test.ping',
    created: '2026-01-31T12:00:00.000Z',
    summary: 'Test event',
    data: { webhookId: 'oswhk_1' },
  });
});

test('the headers name event, delivery and signature', () => {
  expect(webhookHeaders({ eventId: 'osevt_1', deliveryId: 'osdel_1', signature: 't=1,v1=ab' })).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': 'svc-webhooks/1',
    'Service-Event-Id': 'osevt_1',
    'Service-Delivery-Id': 'osdel_1',
    'Service-Signature': 't=1,v1=ab',
  });
});
