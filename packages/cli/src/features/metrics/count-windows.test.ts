import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitDays, splitForCounting, sumCounts } from './count-windows.ts';

const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2027, 0) });
const range = fc.tuple(instant, instant).map(([one, other]) => ({
  from: new Date(Math.min(one, other)).toISOString(),
  to: new Date(Math.max(one, other)).toISOString(),
}));
const shortRange = fc.tuple(instant, fc.nat(100 * 86_400_000)).map(([start, length]) => ({
  from: new Date(start).toISOString(),
  to: new Date(start + length).toISOString(),
}));
const ms = (text: string) => Date.parse(text);

/** Expects every millisecond of the range in exactly one part. */
function expectPartition(parts: readonly { from: string; to: string }[], whole: { from: string; to: string }): void {
  expect(parts[0]?.from).toBe(whole.from);
  expect(parts.at(-1)?.to).toBe(whole.to);
  for (const [index, part] of parts.entries()) {
    expect(ms(part.from)).toBeLessThanOrEqual(ms(part.to));
    const next = parts[index + 1];
    if (next) expect(ms(next.from)).toBe(ms(part.to) + 1);
  }
}

describe('splitForCounting', () => {
  test('counts every millisecond once, and never more than 31 days at a time', () => {
    fc.assert(
      fc.property(range, (whole) => {
        const parts = splitForCounting(whole);
        expectPartition(parts, whole);
        for (const { from, to } of parts) expect(ms(to) - ms(from)).toBeLessThanOrEqual(31 * 86_400_000);
      }),
    );
  });

  test('31 days to the millisecond are one part', () => {
    const whole = { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' };
    expect(splitForCounting(whole)).toEqual([whole]);
    expect(splitForCounting({ ...whole, to: '2026-02-01T00:00:00.001Z' })).toHaveLength(2);
  });
});

describe('splitDays', () => {
  test('counts every millisecond once, and no part leaves its day', () => {
    fc.assert(
      fc.property(shortRange, (whole) => {
        const days = splitDays(whole);
        expectPartition(days, whole);
        for (const { day, from, to } of days) expect([from.slice(0, 10), to.slice(0, 10)]).toEqual([day, day]);
        expect(new Set(days.map(({ day }) => day)).size).toBe(days.length);
      }),
    );
  });

  test('the first and last day are cut to the range', () => {
    expect(splitDays({ from: '2026-01-30T22:00:00.000Z', to: '2026-02-01T08:00:00.000Z' })).toEqual([
      { day: '2026-01-30', from: '2026-01-30T22:00:00.000Z', to: '2026-01-30T23:59:59.999Z' },
      { day: '2026-01-31', from: '2026-01-31T00:00:00.000Z', to: '2026-01-31T23:59:59.999Z' },
      { day: '2026-02-01', from: '2026-02-01T00:00:00.000Z', to: '2026-02-01T08:00:00.000Z' },
    ]);
  });
});

test('sumCounts adds numbers at any depth, also of unknown fields', () => {
  const first = { from: 'a', requests: { count: 1 }, syncs: { success: 1, error: 0 }, later: 5 };
  const second = { from: 'b', requests: { count: 2 }, syncs: { success: 10, error: 3 }, later: 6 };
  expect(sumCounts([first, second])).toEqual({
    from: 'a',
    requests: { count: 3 },
    syncs: { success: 11, error: 3 },
    later: 11,
  });
  expect(sumCounts([first])).toEqual(first);
});
