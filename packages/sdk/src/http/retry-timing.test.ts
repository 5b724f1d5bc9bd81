import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AttemptOutcome, backoffMs, isRetryable, nextRetryDelayMs, parseRetryAfterMs } from './retry-timing.ts';

const status = (code: number, retryAfterMs: number | null = null): AttemptOutcome => ({
  kind: 'status',
  status: code,
  retryAfterMs,
});
const unsent: AttemptOutcome = { kind: 'network', nothingSent: true, mayPass: true };
const perhapsSent: AttemptOutcome = { kind: 'network', nothingSent: false, mayPass: true };
const permanent: AttemptOutcome = { kind: 'network', nothingSent: true, mayPass: false };
const timeout: AttemptOutcome = { kind: 'timeout' };

describe('isRetryable', () => {
  const table: [string, AttemptOutcome, boolean, boolean][] = [
    // name, outcome, GET, POST
    ['400', status(400), false, false],
    ['401', status(401), false, false],
    ['403', status(403), false, false],
    ['404', status(404), false, false],
    ['408', status(408), true, false],
    ['409', status(409), false, false],
    ['429', status(429), true, true],
    ['500', status(500), true, false],
    ['502', status(502), true, false],
    ['503', status(503), true, false],
    ['nothing sent', unsent, true, true],
    ['perhaps sent', perhapsSent, true, false],
    ['permanent fault', permanent, false, false],
    ['timeout', timeout, true, false],
  ];
  test.each(table)('%s', (_name, outcome, onGet, onPost) => {
    expect(isRetryable('GET', outcome)).toBe(onGet);
    expect(isRetryable('head', outcome)).toBe(onGet);
    for (const method of ['POST', 'PATCH', 'DELETE']) expect(isRetryable(method, outcome)).toBe(onPost);
  });
});

describe('nextRetryDelayMs', () => {
  const input = { method: 'GET', attempt: 1, maxRetries: 2, maxRetryAfterMs: 120_000, random: 0 };

  test('returns null after the last retry', () => {
    expect(nextRetryDelayMs({ ...input, outcome: status(500), attempt: 2 })).toBe(500);
    expect(nextRetryDelayMs({ ...input, outcome: status(500), attempt: 3 })).toBeNull();
    expect(nextRetryDelayMs({ ...input, outcome: status(500), maxRetries: 0 })).toBeNull();
  });

  test('waits for the whole Retry-After, up to maxRetryAfterMs', () => {
    expect(nextRetryDelayMs({ ...input, outcome: status(429, 59_000) })).toBe(59_000);
    expect(nextRetryDelayMs({ ...input, outcome: status(429, 0) })).toBe(250);
    expect(nextRetryDelayMs({ ...input, outcome: status(429, 1000) })).toBe(1000);
    expect(nextRetryDelayMs({ ...input, outcome: status(429, 120_000) })).toBe(120_000);
    expect(nextRetryDelayMs({ ...input, outcome: status(429, 120_001) })).toBeNull();
  });

  test('a 409 is never retried, whatever the headers say', () => {
    expect(nextRetryDelayMs({ ...input, outcome: status(409, 1000) })).toBeNull();
  });
});

test('backoffMs doubles up to a maximum, with up to half of it as jitter', () => {
  expect([1, 2, 3, 4, 5, 6].map((attempt) => backoffMs(attempt, 0))).toEqual([250, 500, 1000, 2000, 4000, 4000]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 0.999_999, noNaN: true }),
      (attempt, random) => {
        const delay = backoffMs(attempt, random);
        return delay >= backoffMs(attempt, 0) && delay <= 2 * backoffMs(attempt, 0) && delay <= 8000;
      },
    ),
  );
});

describe('parseRetryAfterMs', () => {
  const now = Date.parse('2026-03-01T00:00:00Z');
  const parse = (headers: Record<string, string>) => parseRetryAfterMs(new Headers(headers), now);

  test('seconds', () => {
    expect(parse({ 'retry-after': '37' })).toBe(37_000);
    expect(parse({ 'retry-after': ' 0 ' })).toBe(0);
    expect(parse({ 'retry-after': '1.5' })).toBe(1500);
  });
  test('a date, relative to the Date of the answer if there is one', () => {
    const headers = { 'retry-after': 'Sun, 01 Mar 2026 00:01:00 GMT' };
    expect(parse(headers)).toBe(60_000);
    expect(parse({ ...headers, date: 'Sun, 01 Mar 2026 00:00:50 GMT' })).toBe(10_000);
    expect(parse({ 'retry-after': 'Sat, 28 Feb 2026 00:00:00 GMT' })).toBe(0);
  });
  test('absent or unreadable', () => {
    expect(parse({})).toBeNull();
    expect(parse({ 'retry-after': 'soon' })).toBeNull();
    expect(parse({ 'retry-after': '-5' })).toBeNull();
    expect(parse({ 'retry-after': '2026-03-01' })).toBeNull();
  });
});
