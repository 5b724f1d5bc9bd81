import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextPageMark, type PageMark } from './page-mark.ts';

/** Returns how many pages are read until they are found to repeat; null when they end. */
function pagesUntilRepeat(cursors: Iterable<string>): number | null {
  let mark: PageMark | null = null;
  let count = 0;
  for (const cursor of cursors) {
    count += 1;
    mark = nextPageMark(mark, cursor);
    if (mark === null) return count;
  }
  return null;
}

function* circle(start: number, length: number): Generator<string> {
  for (let page = 0; page < start; page += 1) yield `start${page}`;
  for (let page = 0; ; page += 1) yield `circle${page % length}`;
}

test.each([
  ['the same page', 0, 1, 2],
  ['two pages in turn', 0, 2, 4],
  ['three pages after one', 1, 3, 7],
])('%s', (_name, start, length, pages) => {
  expect(pagesUntilRepeat(circle(start, length))).toBe(pages);
});

test('every circle is found: after three times its length and its start', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.integer({ min: 1, max: 300 }), (start, length) => {
      expect(pagesUntilRepeat(circle(start, length))).toBeLessThanOrEqual(3 * (start + length) + 1);
    }),
  );
});

test('different cursors never count as repeated', () => {
  const cursors = Array.from({ length: 10_000 }, (_, index) => String(index));
  expect(pagesUntilRepeat(cursors)).toBeNull();
});
