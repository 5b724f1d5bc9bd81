import { expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

test('JSON gives its value', () => {
  expect(parseJson(' {"a": [1, -2.5e3, true, null, "\\u00e4\\""]} ')).toEqual({
    value: { a: [1, -2500, true, null, 'ä"'] },
    problem: null,
  });
});

test.each([
  ['', 'Line 1, column 1: a value is missing, or is no JSON'],
  ['{"a": 1,}', 'Line 1, column 9: a name in double quotes is missing'],
  ['{\n  "a": 1\n  "b": 2\n}', 'Line 3, column 3: a comma or } is missing'],
  ['{"a" 1}', 'Line 1, column 6: a colon is missing'],
  ['{"a": x}', 'Line 1, column 7: a value is missing, or is no JSON'],
  ["{'a': 1}", 'Line 1, column 2: a name in double quotes is missing'],
  ['[1, 2,]', 'Line 1, column 7: a value is missing, or is no JSON'],
  ['[01]', 'Line 1, column 2: a value is missing, or is no JSON'],
  ['["a\n"]', 'Line 1, column 2: the text that begins here has no end, or a character that needs a backslash'],
  ['[1', 'Line 1, column 3: a comma or ] is missing'],
  ['{} {}', 'Line 1, column 4: nothing may follow the end'],
  ['[True]', 'Line 1, column 2: a value is missing, or is no JSON'],
])('%j: %s', (text, problem) => {
  expect(parseJson(text)).toEqual({ problem });
});
