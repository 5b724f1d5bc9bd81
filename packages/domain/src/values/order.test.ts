import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareValues, sortByCreation, sortById, sortedUnique } from './order.ts';

test('sortById orders by value, not as text, and does not change its argument', () => {
  const rows = [{ id: 10 }, { id: 9 }, { id: 100 }];
  expect(sortById(rows)).toEqual([{ id: 9 }, { id: 10 }, { id: 100 }]);
  expect(rows[0]).toEqual({ id: 10 });
});

test('sortByCreation puts the oldest first, then the smaller id', () => {
  const at = (second: number, id: string) => ({ createdAt: new Date(second * 1000), id });
  const rows = [at(2, 'oswhk_a'), at(1, 'oswhk_z'), at(2, 'oswhk_B'), at(10, 'oswhk_0')];
  expect(sortByCreation(rows).map(({ id }) => id)).toEqual(['oswhk_z', 'oswhk_B', 'oswhk_a', 'oswhk_0']);
  expect(rows[0]?.id).toBe('oswhk_a');
});

test('sortedUnique returns distinct values in ascending order', () => {
  expect(sortedUnique([10, 9, 10, 100, 1])).toEqual([1, 9, 10, 100]);
  expect(sortedUnique(['b', 'a', 'B', 'a'])).toEqual(['B', 'a', 'b']);
  expect(sortedUnique(new Set<string>())).toEqual([]);
});

test('sortedUnique keeps every distinct value, strictly ascending', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer({ min: -20, max: 20 }))), (values) => {
      const sorted = sortedUnique(values);
      expect(new Set(sorted)).toEqual(new Set(values));
      for (const [at, value] of sorted.entries()) {
        if (at > 0) expect(compareValues(sorted[at - 1] ?? value, value)).toBe(-1);
      }
    }),
  );
});

test('compareValues is antisymmetric, and zero for equal values only', () => {
  expect([compareValues(1, 2), compareValues(2, 1), compareValues(2, 2)]).toEqual([-1, 1, 0]);
  expect([compareValues('a', 'b'), compareValues('b', 'a'), compareValues('a', 'a')]).toEqual([-1, 1, 0]);
});
