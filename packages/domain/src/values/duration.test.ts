import { expect, test } from 'vitest';
import { parseDuration } from './duration.ts';

test.each([
  ['500ms', 500],
  ['90s', 90_000],
  ['90m', 5_400_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['2w', 1_209_600_000],
  ['1h30m', 5_400_000],
  ['2d12h', 216_000_000],
  ['1w2d3h4m5s6ms', 788_645_006],
  ['1m500ms', 60_500],
  ['1.5h', 5_400_000],
  ['1.1h', 3_960_000],
  ['0s', 0],
])('%s is %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '45', '30 m', '-1m', '30M', '1y', '30m1h', '1h1h', '1h30', 'h', '.5h', '1.h', '1h 30m', '1h-30m'])(
  '%j is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeNull();
  },
);
