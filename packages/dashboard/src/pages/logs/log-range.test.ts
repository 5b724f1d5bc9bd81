import { expect, test } from 'vitest';
import { fromLocalField, toApiRange, toLocalField } from './log-range.ts';

const NOW = new Date('2026-03-31T12:00:00Z');

test('a named range ends now', () => {
  expect(toApiRange({ range: '7d', from: '', to: '' }, NOW)).toEqual({ from: '2026-03-24T12:00:00.000Z' });
});

test('an unknown name means a day', () => {
  expect(toApiRange({ range: 'ages', from: '', to: '' }, NOW)).toEqual({ from: '2026-03-30T12:00:00.000Z' });
});

test('exact instants win over a name', () => {
  const exact = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
  expect(toApiRange({ range: '1h', ...exact }, NOW)).toEqual(exact);
});

test('a field of local time keeps the instant', () => {
  expect(fromLocalField(toLocalField('2026-03-01T08:30:00.000Z'))).toBe('2026-03-01T08:30:00.000Z');
  expect(toLocalField('yesterday')).toBe('');
  expect(fromLocalField('')).toBe('');
});
