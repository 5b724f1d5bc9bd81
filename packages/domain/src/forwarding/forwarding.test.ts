import { LIMITS } from '@svc/contract/limits';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  type EventFilter,
  type ForwardingAttempt,
  type ForwardingBinding,
  forwardingHeaders,
  forwardingOutcome,
  bindingAccepts,
  nextForwardingAt,
  planForwardings,
} from './forwarding.ts';

const START = new Date('2026-01-31T12:00:00Z');

testRuleCases('forwarding', ({ rule }) => {
  rule<{ binding: EventFilter; eventType: string }>('bindingAccepts', ({ binding, eventType }) =>
    bindingAccepts(binding, eventType),
  );
  rule<{
    receivedAt: string;
    newEvents: { id: number; eventType: string }[];
    bindings: ForwardingBinding[];
  }>('planForwardings', (receipt) => planForwardings({ ...receipt, receivedAt: new Date(receipt.receivedAt) }));
  rule<{ payloadId: number; contentType: string | null }>('forwardingHeaders', forwardingHeaders);
  rule<ForwardingAttempt>('forwardingOutcome', forwardingOutcome);
  /** Seconds until the next attempt. */
  rule<{ attempt: ForwardingAttempt; attemptCount: number; jitterMs: number }>(
    'nextForwardingAt',
    ({ attempt, ...options }) => {
      const next = nextForwardingAt({ ...attempt, at: START }, options);
      return next && (+next - +START) / 1_000;
    },
  );
});

test.each([
  [299, null],
  [300, 'The destination answered 300: redirects are not followed'],
  [399, 'The destination answered 399: redirects are not followed'],
  [400, 'The destination answered 400'],
])('the error of status %i', (httpStatus, error) => {
  expect(forwardingOutcome({ httpStatus, error: null, isRefused: false }).error).toBe(error);
});

describe('laws', () => {
  const eventType = fc.constantFrom('EMAIL_SENT', 'EMAIL_OPEN', 'EMAIL_REPLY', 'MESSAGE_SENT');
  const bindings = fc.uniqueArray(
    fc.record({
      destinationId: fc.nat(20),
      eventTypes: fc.array(eventType, { maxLength: 4 }),
      isDelayed: fc.boolean(),
    }),
    { selector: ({ destinationId }) => destinationId, maxLength: 6 },
  );

  test('a receipt is forwarded once to each destination that accepts one of its events, and never early', () => {
    const events = fc.array(eventType, { maxLength: 5 });
    fc.assert(
      fc.property(events, bindings, (types, bound) => {
        const newEvents = types.map((type, id) => ({ id, eventType: type }));
        const planned = planForwardings({ receivedAt: START, newEvents, bindings: bound });
        const wanted = bound.filter((binding) => types.some((type) => binding.eventTypes.includes(type)));
        expect(planned.map(({ destinationId }) => destinationId)).toEqual(wanted.map((b) => b.destinationId));
        for (const { destinationId, event, dueAt } of planned) {
          const binding = bound.find((candidate) => candidate.destinationId === destinationId);
          expect(binding?.eventTypes).toContain(event.eventType);
          expect(newEvents.slice(0, event.id).some((e) => binding?.eventTypes.includes(e.eventType))).toBe(false);
          expect(+dueAt - +START).toBe(binding?.isDelayed ? 300_000 : 0);
        }
      }),
    );
  });

  test('there are at most eight attempts, none after a success, and an error always has a text', () => {
    const answer = fc.record({
      httpStatus: fc.oneof(
        fc.constant(null),
        fc.constantFrom(200, 404, 408, 429, 500),
        fc.integer({ min: 100, max: 999 }),
      ),
      error: fc.constantFrom(null, 'ECONNREFUSED'),
      isRefused: fc.constant(false),
    });
    fc.assert(
      fc.property(fc.array(answer, { minLength: 10, maxLength: 10 }), fc.nat(300_000), (answers, jitterMs) => {
        let at = START;
        let attemptCount = 0;
        for (const attempt of answers) {
          attemptCount += 1;
          const next = nextForwardingAt({ ...attempt, at }, { attemptCount, jitterMs });
          const { status, error } = forwardingOutcome(attempt);
          expect(error === null).toBe(status === 'success');
          if (next === null) break;
          expect(status).toBe('error');
          at = next;
        }
        expect(attemptCount).toBeLessThanOrEqual(LIMITS.webhookAttemptsMax);
      }),
    );
  });
});
