import { expect, test } from 'vitest';
import { field, objectField, toId, toInteger, toText } from './json-fields.ts';

test('ignores inherited properties', () => {
  for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
    expect(field({}, name)).toBeUndefined();
    expect(objectField({}, name)).toEqual({});
  }
  expect(field(JSON.parse('{"__proto__":"own"}'), '__proto__')).toBe('own');
});

test.each([
  [7, '7'],
  ['7', '7'],
  [' 7 ', '7'],
  [Number.NaN, null],
  ['', null],
  [true, null],
  [['7'], null],
])('the id %j is %j', (value, expected) => {
  expect(toId(value)).toBe(expected);
});

test.each([
  [3, 3],
  ['3', 3],
  [3.5, null],
  ['3.5', null],
  ['', null],
  [1e300, null],
])('the integer %j is %j', (value, expected) => {
  expect(toInteger(value)).toBe(expected);
});

test('cuts text and replaces a split character', () => {
  expect(toText('a😀', 2)).toBe('a\ufffd');
  expect(toText(' \0 ')).toBeNull();
});
