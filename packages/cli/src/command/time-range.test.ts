import { describe, expect, test } from 'vitest';
import { CliError } from '../errors/cli-error.ts';
import { parseMoment, resolveRange } from './time-range.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const iso = (text: string, edge: 'start' | 'end') => new Date(parseMoment(text, NOW, edge)).toISOString();

describe('parseMoment', () => {
  test.each([
    ['7d', '2026-03-08T12:00:00.000Z', '2026-03-08T12:00:00.000Z'],
    ['24h', '2026-03-14T12:00:00.000Z', '2026-03-14T12:00:00.000Z'],
    ['2w', '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z'],
    ['90m', '2026-03-15T10:30:00.000Z', '2026-03-15T10:30:00.000Z'],
    ['30s', '2026-03-15T11:59:30.000Z', '2026-03-15T11:59:30.000Z'],
    ['now', '2026-03-15T12:00:00.000Z', '2026-03-15T12:00:00.000Z'],
    ['today', '2026-03-15T00:00:00.000Z', '2026-03-15T23:59:59.999Z'],
    ['yesterday', '2026-03-14T00:00:00.000Z', '2026-03-14T23:59:59.999Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z', '2026-01-31T23:59:59.999Z'],
    ['2026-02', '2026-02-01T00:00:00.000Z', '2026-02-28T23:59:59.999Z'],
    ['2025-12', '2025-12-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z'],
    ['2026-01-31T08:30:00+02:00', '2026-01-31T06:30:00.000Z', '2026-01-31T06:30:00.000Z'],
    ['2026-01-31T08:30:00+0200', '2026-01-31T06:30:00.000Z', '2026-01-31T06:30:00.000Z'],
    ['2026-01-31T08:30:00.5-03', '2026-01-31T11:30:00.500Z', '2026-01-31T11:30:00.500Z'],
    ['2026-01-31t08:30z', '2026-01-31T08:30:00.000Z', '2026-01-31T08:30:00.000Z'],
    ['0000-02-29', '0000-02-29T00:00:00.000Z', '0000-02-29T23:59:59.999Z'],
    ['0099-12', '0099-12-01T00:00:00.000Z', '0099-12-31T23:59:59.999Z'],
    ['9999-12', '9999-12-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
    ['2026-01-31T08:30Z', '2026-01-31T08:30:00.000Z', '2026-01-31T08:30:00.000Z'],
  ])('%s', (text, start, end) => {
    expect([iso(text, 'start'), iso(text, 'end')]).toEqual([start, end]);
  });

  test.each([
    '',
    'soon',
    '7',
    '7y',
    '-7d',
    '2026',
    '2026-13',
    '2026-02-30',
    '2026-01-31T25:00Z',
    '2026-01-31Tnoon',
    '2026-01-31T08:30+25:00',
    '2026-01-31T08:30+2',
    '0001-02-29',
    '01/02/2026',
  ])('%j is not a time', (text) => {
    expect(() => parseMoment(text, NOW, 'start')).toThrow(CliError);
  });

  test('a date-time without offset is refused', () => {
    expect(() => parseMoment('2026-01-31T08:00:00', NOW, 'start')).toThrow(
      expect.objectContaining({ exitCode: 2, hint: 'Write 2026-01-31T08:00:00Z for UTC.' }),
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
