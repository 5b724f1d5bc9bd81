import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testRuleCases } from '../../test/rule-suite.ts';
import { parseDateRange } from './date-range.ts';
import { ApiError, badRequest } from '../errors/errors.ts';
import type { RawParameter } from './parameters.ts';

testRuleCases('date-range', ({ rule }) => {
  rule<{ from?: RawParameter; to?: RawParameter }>('parseDateRange', parseDateRange);
});

describe('hints at common mistakes', () => {
  test.each([
    ['2026-01-01T00:00:00 02:00', ' (a plus sign in a query is written %2B)'],
    ['2026-01-01T00:00:00 02:00!', ''],
    ['2026-01-01T00:00:00', ' (the offset is missing)'],
    ['2026-01-01T00:00!', ''],
    ['yesterday', ''],
  ])('%s%s', (from, hint) => {
    const form = 'an ISO-8601 date (2026-01-31) or date-time with offset (2026-01-31T09:30:00Z)';
    expect(() => parseDateRange({ from, to: '2026-01-31' })).toThrow(
      badRequest(`from must be ${form}, not "${from}"${hint}`),
    );
  });
});

const DAYS_31_MS = 31 * 24 * 60 * 60 * 1000;
const instantMs = fc.integer({ min: Date.UTC(1970, 0, 2), max: Date.UTC(2100, 0, 1) });

/** Formats an instant with the given offset. */
function writeInstant(ms: number, offsetMinutes: number): string {
  const shown = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1);
  const minutes = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${shown}${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

describe('laws of parseDateRange', () => {
  test('reads every range up to 31 days exactly, with any offsets', () => {
    const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(instantMs, fc.integer({ min: 0, max: DAYS_31_MS }), offset, offset, (fromMs, spanMs, a, b) => {
        const range = parseDateRange({ from: writeInstant(fromMs, a), to: writeInstant(fromMs + spanMs, b) });
        expect([range.from.getTime(), range.to.getTime()]).toEqual([fromMs, fromMs + spanMs]);
      }),
    );
  });

  test('400 for every longer and every reversed range', () => {
    const spanMs = fc.oneof(
      fc.integer({ min: DAYS_31_MS + 1, max: 2 * DAYS_31_MS }),
      fc.integer({ min: -1e9, max: -1 }),
    );
    fc.assert(
      fc.property(instantMs, spanMs, (fromMs, span) => {
        const query = { from: writeInstant(fromMs, 0), to: writeInstant(fromMs + span, 0) };
        expect(() => parseDateRange(query)).toThrow(ApiError);
      }),
    );
  });

  test('accepts exactly the dates that exist', () => {
    const year = fc.integer({ min: 1, max: 9999 });
    const twoDigits = fc.integer({ min: 0, max: 99 });
    fc.assert(
      fc.property(
        year,
        fc.integer({ min: 0, max: 13 }),
        fc.oneof(fc.integer({ min: 0, max: 32 }), twoDigits),
        (y, m, d) => {
          const text = [String(y).padStart(4, '0'), String(m).padStart(2, '0'), String(d).padStart(2, '0')].join('-');
          const read = new Date(`${text}T00:00:00Z`);
          const exists = !Number.isNaN(read.getTime()) && read.toISOString().startsWith(text);
          if (exists) expect(parseDateRange({ from: text, to: text })).toEqual({ from: read, to: read });
          else expect(() => parseDateRange({ from: text, to: text })).toThrow('names no moment of the calendar');
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('any text gives a range or a 400', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9T:Z+. -]{1,30}$/));
    fc.assert(
      fc.property(text, text, (from, to) => {
        try {
          const range = parseDateRange({ from, to });
          expect(range.from.getTime()).toBeLessThanOrEqual(range.to.getTime());
        } catch (error) {
          expect(error).toMatchObject({ name: 'ApiError', statusCode: 400 });
        }
      }),
    );
  });
});
