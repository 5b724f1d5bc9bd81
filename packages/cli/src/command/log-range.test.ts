import { describe, expect, test } from 'vitest';
import { CliError } from '../errors/cli-error.ts';
import { parseDefaultRange, resolveLogRange } from './log-range.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

describe('resolveLogRange', () => {
  test.each([
    [{}, '7d', '2026-03-08T12:00:00.000Z', null, 'last 7 days', ' in the last 7 days'],
    [{ since: '24h' }, '7d', '2026-03-14T12:00:00.000Z', null, 'last 24 hours', ' in the last 24 hours'],
    [{ since: '1d' }, '7d', '2026-03-14T12:00:00.000Z', null, 'last day', ' in the last day'],
    [{ since: 'yesterday' }, '7d', '2026-03-14T00:00:00.000Z', null, 'since 2026-03-14', ' since 2026-03-14'],
    [
      { from: '2026-01', to: '2026-01' },
      '7d',
      '2026-01-01T00:00:00.000Z',
      '2026-01-31T23:59:59.999Z',
      '2026-01-01 to 2026-01-31',
      ' from 2026-01-01 to 2026-01-31',
    ],
    [
      { from: '2026-01-05', to: '2026-01-05' },
      '7d',
      '2026-01-05T00:00:00.000Z',
      '2026-01-05T23:59:59.999Z',
      '2026-01-05',
      ' on 2026-01-05',
    ],
    [
      { since: '2026-01-05T08:30:00Z', until: '1h' },
      '7d',
      '2026-01-05T08:30:00.000Z',
      '2026-03-15T11:00:00.000Z',
      '2026-01-05 08:30Z to 2026-03-15 11:00Z',
      ' from 2026-01-05 08:30Z to 2026-03-15 11:00Z',
    ],
    [
      { until: '2026-01-31' },
      '7d',
      '2026-01-24T23:59:59.999Z',
      '2026-01-31T23:59:59.999Z',
      '2026-01-24 23:59Z to 2026-01-31',
      ' from 2026-01-24 23:59Z to 2026-01-31',
    ],
    [{}, 'all', null, null, 'all time', ''],
    [{ all: true }, '30d', null, null, 'all time', ''],
    [{ all: true }, null, null, null, 'all time', ''],
    [{ all: true, since: '2d' }, '30d', '2026-03-13T12:00:00.000Z', null, 'last 2 days', ' in the last 2 days'],
    [{ all: true, to: '2026-01' }, '7d', null, '2026-01-31T23:59:59.999Z', 'until 2026-01-31', ' until 2026-01-31'],
  ])('%j with the default %s', (flags, fallback, from, to, label, phrase) => {
    const range = resolveLogRange(flags, NOW, fallback);
    expect([iso(range.fromMs), iso(range.toMs), range.label, range.phrase]).toEqual([from, to, label, phrase]);
  });

  test('only a default is marked as such', () => {
    expect(resolveLogRange({}, NOW, '7d').isDefault).toBe(true);
    expect(resolveLogRange({ until: '1h' }, NOW, '7d').isDefault).toBe(true);
    expect(resolveLogRange({ since: '7d' }, NOW, '7d').isDefault).toBe(false);
    expect(resolveLogRange({ all: true }, NOW, '7d').isDefault).toBe(false);
  });

  test('no range, and none by default', () => {
    expect(() => resolveLogRange({}, NOW, null)).toThrow(expect.objectContaining({ exitCode: 2 }));
    expect(() => resolveLogRange({ until: '1h' }, NOW, null)).toThrow('No time range is given');
  });

  test('a range that begins in the future', () => {
    expect(() => resolveLogRange({ since: '2999-01' }, NOW, '7d')).toThrow('begins in the future: 2999-01-01T');
  });

  test('a range that ends before it begins', () => {
    expect(() => resolveLogRange({ since: '1d', until: '2d' }, NOW, '7d')).toThrow(/ends before it begins/);
    expect(() => resolveLogRange({ until: '2026-01' }, NOW, '2026-02')).toThrow(/ends before it begins/);
  });
});

test.each(['30d', '24h', 'yesterday', '2026-01', 'all'])('%s is a default range', (text) => {
  expect(parseDefaultRange(text, 'range')).toBe(text);
});

test.each(['', '7', 'ALL', 'long'])('%j is not a default range', (text) => {
  expect(() => parseDefaultRange(text, 'range')).toThrow(CliError);
});
