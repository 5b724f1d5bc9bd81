import { expect, test } from 'vitest';
import { addEntry, EMPTY_HISTORY, entriesOf, type History } from './history.ts';

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const extend = (history: History<number>, from: number, to: number): History<number> =>
  numbers(from, to).reduce<History<number>>(addEntry, history);

test('a history stays as it was when it is extended, also in two ways', () => {
  const base = extend(EMPTY_HISTORY, 0, 3);
  const first = extend(base, 10, 12);
  const second = extend(base, 20, 22);
  const third = extend(first, 12, 13);
  expect(entriesOf(base)).toEqual([0, 1, 2]);
  expect(entriesOf(first)).toEqual([0, 1, 2, 10, 11]);
  expect(entriesOf(second)).toEqual([0, 1, 2, 20, 21]);
  expect(entriesOf(third)).toEqual([0, 1, 2, 10, 11, 12]);
  expect([third.length, EMPTY_HISTORY.length, entriesOf(EMPTY_HISTORY)]).toEqual([6, 0, []]);
});

test('the newest 10,000 entries are kept, and at most 500 more', () => {
  const past = extend(EMPTY_HISTORY, 0, 10_500);
  const history = extend(past, 10_500, 25_000);
  expect(entriesOf(past)).toEqual(numbers(0, 10_500));
  expect(history.length).toBeGreaterThanOrEqual(10_000);
  expect(history.length).toBeLessThanOrEqual(10_500);
  expect(entriesOf(history)).toEqual(numbers(25_000 - history.length, 25_000));
});
