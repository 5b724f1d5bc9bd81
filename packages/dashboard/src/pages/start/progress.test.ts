import { expect, test } from 'vitest';
import { choose, stateOf } from './progress.ts';

test('a step waits for all earlier ones, also when it was done before', () => {
  const states = (steps: readonly boolean[]) => steps.map((_, index) => stateOf(steps, index));
  expect(states([false, false, false])).toEqual(['now', 'later', 'later']);
  expect(states([true, false, true])).toEqual(['done', 'now', 'later']);
  expect(states([true, true, true])).toEqual(['done', 'done', 'done']);
});

test('a step that needs only the first one begins with it', () => {
  expect(stateOf([false, false, false], 2, { mayBeginAfter: 1 })).toBe('later');
  expect(stateOf([true, false, false], 2, { mayBeginAfter: 1 })).toBe('now');
});

test('the address names a row, or one that is gone', () => {
  const rows = [{ id: 3 }, { id: 7 }];
  expect(choose(rows, '7')).toEqual({ id: 7 });
  expect(choose(rows, '8')).toBeUndefined();
  expect(choose(rows, '')).toBeUndefined();
});
