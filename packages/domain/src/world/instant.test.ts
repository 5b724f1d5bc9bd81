import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatRelativeTime, isInstant, parseRelativeTime, resolveInstant } from './instant.ts';

const CENTURY_MS = 36_525 * 86_400_000;
const NOW = new Date('2026-03-01T12:00:00.000Z');

describe('relative time', () => {
  test.each([
    ['-3d4h', -273_600_000],
    ['-90m', -5_400_000],
    ['-1234ms', -1_234],
    ['+15m', 900_000],
    ['0s', 0],
    ['-1d2h3m4s5ms', -93_784_005],
    ['-5m6ms', -300_006],
    ['-0s', 0],
  ])('%s is %d ms', (text, distanceMs) => {
    expect(parseRelativeTime(text)).toBe(distanceMs);
  });

  test.each([
    ['', 'empty'],
    ['-', 'no unit'],
    ['3d', 'no sign'],
    ['-3', 'no unit'],
    ['-4h3d', 'units ascend'],
    ['-1h1h', 'a unit twice'],
    ['-1.5h', 'a fraction'],
    ['-1d 2h', 'a space'],
    ['-1w', 'an unknown unit'],
    ['-1D', 'upper case'],
    ['--1d', 'two signs'],
    ['-40000d', 'more than a century'],
    [`-${'9'.repeat(400)}d`, 'infinite'],
  ])('%s is refused: %s', (text) => {
    expect(parseRelativeTime(text)).toBeUndefined();
    expect(isInstant(text)).toBe(false);
  });

  test.each([
    [-100_800_000, '-1d4h'],
    [90_061_001, '+1d1h1m1s1ms'],
    [5, '+5ms'],
    [0, '0s'],
    [CENTURY_MS, '+36525d'],
    [-CENTURY_MS, '-36525d'],
  ])('%d ms is formatted as %s and parsed back', (distanceMs, text) => {
    expect(formatRelativeTime(distanceMs)).toBe(text);
    expect(parseRelativeTime(text)).toBe(distanceMs);
  });

  test('a formatted distance parses back to the same value', () => {
    fc.assert(
      fc.property(fc.integer({ min: -CENTURY_MS, max: CENTURY_MS }), (distanceMs) => {
        expect(parseRelativeTime(formatRelativeTime(distanceMs))).toBe(distanceMs);
      }),
    );
  });

  test('a parsed distance is formatted in its shortest form', () => {
    const count = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(fc.constantFrom('-', '+'), fc.tuple(count, count, count, count, count), (sign, [d, h, m, s, ms]) => {
        const distanceMs = parseRelativeTime(`${sign}${d}d${h}h${m}m${s}s${ms}ms`);
        expect(distanceMs).toBeTypeOf('number');
        const shortest = formatRelativeTime(distanceMs ?? Number.NaN);
        expect(parseRelativeTime(shortest)).toBe(distanceMs);
        expect(formatRelativeTime(parseRelativeTime(shortest) ?? Number.NaN)).toBe(shortest);
      }),
    );
  });

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, CENTURY_MS + 1])('%d cannot be formatted', (distanceMs) => {
    expect(() => formatRelativeTime(distanceMs)).toThrow(
      new RangeError(`Not a distance in whole milliseconds within a century: ${distanceMs}`),
    );
  });
});

describe('resolveInstant', () => {
  test.each([
    ['-1d', '2026-02-28T12:00:00.000Z'],
    ['0s', '2026-03-01T12:00:00.000Z'],
    ['+1ms', '2026-03-01T12:00:00.001Z'],
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00:00.250+02:00', '2026-01-31T06:00:00.250Z'],
  ])('%s is %s', (text, iso) => {
    expect(resolveInstant(text, NOW).toISOString()).toBe(iso);
  });

  test.each([
    ['2026-02-30T00:00:00Z', 'no such day'],
    ['2026-01-31T08:00:00', 'no offset'],
    ['2026-01-31', 'no time'],
    ['2026-01-31T08:00:00.1234Z', 'more than milliseconds'],
    ['yesterday', 'words'],
  ])('%s is refused: %s', (text) => {
    expect(isInstant(text)).toBe(false);
    expect(() => resolveInstant(text, NOW)).toThrow(new RangeError(`Not an instant: ${text}`));
  });
});
