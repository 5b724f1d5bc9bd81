import { expect, test } from 'vitest';
import { parseRetryAfterMs } from './retry-after.ts';

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
