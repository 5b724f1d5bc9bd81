import { describe, expect, test } from 'vitest';
import { parseMoment, resolveRange, fillMonth } from './time-range.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');

describe('parseMoment', () => {
  test.each([
    ['1h30m', '2026-03-15T10:30:00.000Z'],
    ['yesterday', '2026-03-14T23:59:59.999Z'],
    ['2026-01-31 08:30', '2026-01-31T08:30:00.000Z'],
  ])('%s', (text, end) => {
    expect(new Date(parseMoment(text, NOW, 'end')).toISOString()).toBe(end);
  });

  test('other text is refused with examples', () => {
    expect(() => parseMoment('soon', NOW, 'start')).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: 'soon is not a time',
        hint: 'For example: 7d, 1h30m, yesterday, last-month, 2026-01, 2026-01-31, "2026-01-31 08:00" or 2026-01-31T08:00:00+02:00. Times without offset are UTC.',
      }),
    );
  });

  test.each(['999999999999d', '999999d', '0000-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00'])(
    '%s is out of range',
    (text) => {
      expect(() => parseMoment(text, NOW, 'start')).toThrow(
        expect.objectContaining({ exitCode: 2, message: 'The time is outside of the years 0 to 9999' }),
      );
    },
  );
});

describe('resolveRange', () => {
  test('a day as the end means the end of that day', () => {
    expect(resolveRange({ from: '2026-01-01', to: '2026-01-31' }, NOW)).toEqual({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-31T23:59:59.999Z',
    });
  });
  test('ends now by default', () => {
    expect(resolveRange({ since: '1d' }, NOW)).toEqual({
      from: '2026-03-14T12:00:00.000Z',
      to: '2026-03-15T12:00:00.000Z',
    });
    expect(resolveRange({ since: '2d', until: '1d' }, NOW).to).toBe('2026-03-14T12:00:00.000Z');
  });
  test('without a start: the default of the command, or an error', () => {
    expect(resolveRange({}, NOW, '7d').from).toBe('2026-03-08T12:00:00.000Z');
    expect(() => resolveRange({}, NOW)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
  test('a range that ends before it begins', () => {
    expect(() => resolveRange({ from: '1d', to: '2d' }, NOW)).toThrow(/ends before it begins/);
  });
});

describe('--month', () => {
  const fill = (flags: Record<string, unknown>) => {
    fillMonth(flags, NOW);
    return flags;
  };

  test.each([
    ['2026-02', { from: '2026-02', to: '2026-02' }],
    ['last-month', { from: '2026-02', to: '2026-02' }],
    // It ends now.
    ['2026-03', { from: '2026-03' }],
    ['this-month', { from: '2026-03' }],
  ])('%s', (month, range) => {
    expect(fill({ month })).toEqual({ month, ...range });
  });

  test.each(['7d', '2026', '2026-13', 'yesterday', '2026-01-31'])('%s is refused', (month) => {
    expect(() => fill({ month })).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  test('without it the flags stay as they are', () => {
    expect(fill({ since: '7d' })).toEqual({ since: '7d' });
  });
});
