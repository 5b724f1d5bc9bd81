import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addKeys, EMPTY_KEYS, hasKey, type KeySet } from './key-set.ts';

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => String(from + index));

test('property: holds the added keys, and earlier sets stay the same', () => {
  const key = fc.integer({ min: 0, max: 1_500 }).map(String);
  const added = fc.oneof(fc.array(key, { maxLength: 5 }), fc.constant(numbers(700)));
  fc.assert(
    fc.property(fc.array(added, { maxLength: 8 }), (steps) => {
      const plain = new Set<string>();
      const before: [KeySet, Set<string>][] = [];
      let keys = EMPTY_KEYS;
      for (const step of steps) {
        before.push([keys, new Set(plain)]);
        keys = addKeys(keys, step);
        for (const each of step) plain.add(each);
      }
      for (const [held, wanted] of [...before, [keys, plain] as const]) {
        for (const each of numbers(1_501)) expect(hasKey(held, each)).toBe(wanted.has(each));
      }
    }),
    { numRuns: 20 },
  );
});

test('adding a key shares full chunks; adding known keys returns the same set', () => {
  const many = addKeys(EMPTY_KEYS, numbers(5_000));
  const more = addKeys(many, ['new']);
  const shared = more.chunks.filter((chunk) => many.chunks.includes(chunk));
  expect(shared.length).toBeGreaterThanOrEqual(many.chunks.length - 1);
  expect(many.chunks.every(({ size }) => size <= 512)).toBe(true);
  expect(addKeys(many, ['7', '4999'])).toBe(many);
});
