import { expect, test } from 'vitest';
import { parseSeconds } from './duration.ts';

test.each([
  ['90s', 90],
  ['30m', 1800],
  ['2h', 7200],
  ['1d', 86_400],
  ['1h30m', 5400],
  ['2d12h', 216_000],
  ['1.5h', 5400],
  ['45', 45],
  ['', null],
  ['30 m', null],
  ['-1m', null],
  ['30M', null],
])('%s: %s', (text, seconds) => {
  expect(parseSeconds(text)).toBe(seconds);
});
