import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PARK_MAX_MS, parseRetryAfterMs, RETRY_AFTER_INLINE_MAX_MS, retryAfter } from './http-failure.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['5', 5_000],
  [' 0 ', 0],
  ['1.5', 1_500],
  ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['soon', null],
  ['', null],
  [null, null],
])('Retry-After %j is %j ms', (value, expected) => {
  expect(parseRetryAfterMs(value, NOW)).toBe(expected);
});

test('any wait is bounded, and parks exactly when it is longer than a job may wait', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e6, max: 1e15 }), (waitMs) => {
      const { retry, parkUntilMs } = retryAfter(waitMs, NOW);
      if (retry === 'never' || retry.afterMs === null) throw new Error('not a wait');
      expect(retry.afterMs).toBeGreaterThanOrEqual(0);
      expect(retry.afterMs).toBeLessThanOrEqual(PARK_MAX_MS);
      expect(parkUntilMs).toBe(retry.afterMs > RETRY_AFTER_INLINE_MAX_MS ? NOW + retry.afterMs : undefined);
    }),
  );
});
