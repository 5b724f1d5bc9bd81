import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortKeysDeep } from './sort-keys.ts';

test('keys are sorted by name at every depth; lists keep their order', () => {
  const value = { b: [{ d: 1, c: 2 }, 'z', 'a'], aa: null, a: { y: 1, x: { q: 1, p: 2 } }, B: 1 };
  const text = '{"B":1,"a":{"x":{"p":2,"q":1},"y":1},"aa":null,"b":[{"c":2,"d":1},"z","a"]}';
  expect(JSON.stringify(sortKeysDeep(value))).toBe(text);
  expect(Object.keys(value)).toEqual(['b', 'aa', 'a', 'B']);
});

test('keeps values that are not plain objects', () => {
  const at = new Date(0);
  expect(sortKeysDeep({ at }).at).toBe(at);
  expect(sortKeysDeep(null)).toBeNull();
  expect(Object.keys(sortKeysDeep(JSON.parse('{"__proto__":{"a":1}}')))).toEqual(['__proto__']);
});

test('returns equal JSON, and the same text for any order of keys', () => {
  const backwards = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(backwards);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, backwards(inner)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(sortKeysDeep(value)).toEqual(value);
      expect(JSON.stringify(sortKeysDeep(backwards(value)))).toBe(JSON.stringify(sortKeysDeep(value)));
    }),
  );
});
