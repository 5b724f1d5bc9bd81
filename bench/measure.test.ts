import { describe, expect, test } from 'vitest';
import { formatResult, interleave, median, type Result, summarise } from './measure.ts';
import { withSection } from './results-file.ts';

describe('interleave', () => {
  test('runs each contender once per round in a rotating order and drops the warm-up', async () => {
    const order: string[] = [];
    let time = 0;
    const contender = (what: string) => () => {
      order.push(what);
      time += 1;
      return time;
    };
    const rows = await interleave(2, { a: contender('a'), b: contender('b'), c: contender('c') }, 1);
    expect(order.join('')).toBe('abcbcacab');
    expect(rows).toEqual([
      { what: 'a', samples: [6, 8] },
      { what: 'b', samples: [4, 9] },
      { what: 'c', samples: [5, 7] },
    ]);
  });
});

test('median of odd, even and no samples', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN]);
});

const result: Result = {
  title: 'start-up',
  unit: 'ms',
  floor: 'floor',
  rows: [
    { what: 'floor', samples: [40, 41, 42] },
    { what: 'ours', samples: [80, 82, 90] },
  ],
};

test('summarise compares with the floor, and refuses a floor that was not measured', () => {
  expect(summarise(result)).toEqual([
    { what: 'floor', median: 41, ratio: 1, difference: 0 },
    { what: 'ours', median: 82, ratio: 2, difference: 41 },
  ]);
  expect(() => summarise({ ...result, floor: 'other' })).toThrow('no row is called other');
  expect(() => summarise({ ...result, rows: [...result.rows, { what: 'idle', samples: [] }] })).toThrow(
    'never measured',
  );
});

test('formatResult is a Markdown table', () => {
  expect(formatResult(result).split('\n')).toEqual([
    'start-up (3 interleaved rounds)',
    '',
    '| what  | median (ms) | ratio to floor | over it (ms) |',
    '|-------|------------:|---------------:|-------------:|',
    '| floor |        41.0 |           1.00 |              |',
    '| ours  |        82.0 |           2.00 |        +41.0 |',
  ]);
});

describe('withSection', () => {
  test('adds a section, replaces it in place, and leaves the others alone', () => {
    const one = withSection('# Results\n', 'one', 'first');
    const both = withSection(one, 'two', 'second');
    const again = withSection(both, 'one', 'newer');
    expect(again).toBe(both.replace('first', 'newer'));
    expect(withSection(again, 'one', 'newer')).toBe(again);
  });
});
