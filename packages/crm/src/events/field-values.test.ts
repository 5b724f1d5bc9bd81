import { expect, test } from 'vitest';
import type { CrmPropertyType } from '../port/setup.ts';
import { toPropertyValue } from './field-values.ts';

const options = [
  { value: 'warm', label: 'Warm lead' },
  { value: 'B2B', label: 'Business, other' },
];

test.each<[CrmPropertyType, string | number | boolean, unknown]>([
  ['text', 12, '12'],
  ['text', ' as it is ', ' as it is '],
  ['number', '12.50', 12.5],
  ['number', ' ', null],
  ['number', 'twelve', null],
  ['boolean', 'Yes', true],
  ['boolean', 0, false],
  ['boolean', 'maybe', null],
  ['date', '2026-03-01T10:00:00Z', '2026-03-01'],
  ['date', '1 March', null],
  ['datetime', '2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
  ['datetime', '2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['datetime', '2026-03-01 10:00', '2026-03-01T10:00:00.000Z'],
  ['datetime', '2026-13-01', null],
  ['option', 'warm LEAD', 'warm'],
  ['option', 'cold', null],
  ['options', 'warm lead; b2b', ['warm', 'B2B']],
  ['options', 'business, other', ['B2B']],
  ['options', 'warm, warm', ['warm']],
  ['options', 'warm, cold', null],
])('%s takes %j as %j', (type, value, expected) => {
  expect(toPropertyValue(value, { type, options })).toEqual(expected);
});

test('options that are not known are taken as they are', () => {
  expect(toPropertyValue('any', { type: 'option', options: null })).toBe('any');
  expect(toPropertyValue('a;b', { type: 'options', options: null })).toEqual(['a', 'b']);
});
