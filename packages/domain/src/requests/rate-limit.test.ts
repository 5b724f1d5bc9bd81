import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import {
  RATE_LIMITS,
  rateLimitHeaders,
  rateWindowKey,
  takeFromWindow,
  toClientNetwork,
  type WindowState,
} from './rate-limit.ts';

interface WindowInput {
  state: { startedAt: string; count: number } | null;
  limit: number;
  windowMs: number;
  now: string;
}

testRuleCases('rate-limit', ({ rule }) => {
  rule<WindowInput>('takeFromWindow', ({ state, limit, windowMs, now }) =>
    takeFromWindow(state === null ? null : { startedAt: new Date(state.startedAt), count: state.count }, {
      limit,
      windowMs,
      now: new Date(now),
    }),
  );
});

describe('laws of the fixed window', () => {
  const limitAndWindow = fc.record({
    limit: fc.integer({ min: 1, max: 6 }),
    windowMs: fc.integer({ min: 1, max: 90_000 }),
  });
  const waits = fc.array(fc.oneof(fc.nat(500), fc.nat(40_000)), { minLength: 1, maxLength: 80 });

  test('a window starts with its first request and lets at most the limit pass', () => {
    fc.assert(
      fc.property(limitAndWindow, waits, ({ limit, windowMs }, gaps) => {
        let nowMs = 0;
        let state: WindowState | null = null;
        const passed: number[] = [];
        for (const gap of gaps) {
          nowMs += gap;
          const decision = takeFromWindow(state, { limit, windowMs, now: new Date(nowMs) });
          if (decision.allowed) passed.push(nowMs);
          else expect(decision.state).toEqual(state);
          expect(decision.remaining).toBe(limit - decision.state.count);
          state = decision.state;
        }
        // Count independently: split the passed requests into windows.
        let startMs = Number.NEGATIVE_INFINITY;
        let count = 0;
        for (const at of passed) {
          if (at >= startMs + windowMs) [startMs, count] = [at, 0];
          count += 1;
          expect(count).toBeLessThanOrEqual(limit);
        }
        expect(state).toEqual({ startedAt: new Date(startMs), count });
      }),
    );
  });

  test('waiting Retry-After seconds succeeds, a second less does not', () => {
    fc.assert(
      fc.property(limitAndWindow, fc.nat(100_000), ({ limit, windowMs }, afterMs) => {
        const full = { startedAt: new Date(0), count: limit };
        const now = new Date(afterMs % windowMs);
        const refused = takeFromWindow(full, { limit, windowMs, now });
        expect(refused.allowed).toBe(false);
        const seconds = refused.retryAfterSeconds ?? 0;
        expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
        const wait = (more: number) =>
          takeFromWindow(refused.state, { limit, windowMs, now: new Date(now.getTime() + (seconds + more) * 1000) });
        expect(wait(0).allowed).toBe(true);
        if (seconds > 1) expect(wait(-1).allowed).toBe(false);
      }),
    );
  });

  test('waiting Retry-After succeeds after the clock was set back', () => {
    fc.assert(
      fc.property(limitAndWindow, fc.integer({ min: 1, max: 500_000 }), ({ limit, windowMs }, backMs) => {
        const now = new Date(0);
        const decision = takeFromWindow({ startedAt: new Date(backMs), count: limit }, { limit, windowMs, now });
        if (decision.allowed) return;
        const later = new Date((decision.retryAfterSeconds ?? 0) * 1000);
        expect(takeFromWindow(decision.state, { limit, windowMs, now: later }).allowed).toBe(true);
        expect(later.getTime()).toBeLessThan(2 * windowMs + 1000);
      }),
    );
  });
});

test('the limits are those that the contract publishes', () => {
  expect(RATE_LIMITS).toEqual({
    general: { limit: 120, windowMs: 60_000 },
    outreach: { limit: 600, windowMs: 60_000 },
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7', 'an IPv4 address'],
  ['::ffff:192.0.2.7', '192.0.2.7', 'an IPv4 address inside IPv6'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', 'the /64 of an IPv6 address'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64', 'another address of the same /64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64', 'another /64'],
  ['', 'unknown', 'a closed socket has no address'],
])('%s counts as %s: %s', (ip, network) => {
  expect(toClientNetwork(ip)).toBe(network);
  expect(rateWindowKey('general', { ip })).toBe(`general:ip:${network}`);
});

test('buckets, addresses and accounts never share a window', () => {
  const keys = (['general', 'outreach'] as const).flatMap((bucket) => [
    rateWindowKey(bucket, { ip: '192.0.2.7' }),
    rateWindowKey(bucket, { ip: '' }),
    rateWindowKey(bucket, { accountId: 7 }),
    rateWindowKey(bucket, { accountId: 8 }),
  ]);
  expect(new Set(keys).size).toBe(8);
  expect(keys).toContain('outreach:account:7');
});

test('headers show the bucket, the remaining requests and the reset time', () => {
  expect(rateLimitHeaders('outreach', { remaining: 599, resetSeconds: 60 })).toEqual({
    'RateLimit-Policy': '"outreach";q=600;w=60',
    RateLimit: '"outreach";r=599;t=60',
  });
});
