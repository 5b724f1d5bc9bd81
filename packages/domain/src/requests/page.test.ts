import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCursor, type Position } from './cursor.ts';
import { buildPage, buildScannedPage, compareNewestFirst, isAfterCursor, type Page } from './page.ts';

interface Row extends Position<number> {
  readonly matches: boolean;
}

const START_MS = Date.UTC(2026, 0, 1);
const row = (minute: number, id: number): Row => ({
  createdAt: new Date(START_MS + minute * 60_000),
  id,
  matches: true,
});
const toPosition = (position: Row): Row => position;
const toResource = ({ id }: Row): number => id;
const pageOf = (rows: readonly Row[], limit: number) => buildPage(rows, limit, toPosition, toResource, 'sync');

describe('compareNewestFirst', () => {
  test('later instants come first, then larger ids, by value', () => {
    const rows = [row(0, 2), row(1, 9), row(0, 10), row(1, 3)];
    expect(rows.sort(compareNewestFirst).map(toResource)).toEqual([9, 3, 10, 2]);
    expect(compareNewestFirst(row(0, 1), row(0, 1))).toBe(0);
  });

  test('string ids are compared bytewise, not by a language', () => {
    const at = new Date(START_MS);
    const ids = ['osevt_a', 'osevt_B', 'osevt_10', 'osevt_9', 'osevt__', 'osevt_-'];
    const sorted = ids.map((id) => ({ createdAt: at, id })).sort(compareNewestFirst);
    const bytewise = ids.map((id) => Buffer.from(id)).sort((a, b) => Buffer.compare(a, b));
    expect(sorted.map(({ id }) => id)).toEqual(bytewise.map(String).reverse());
  });
});

describe('isAfterCursor', () => {
  test('accepts only rows strictly after the cursor', () => {
    const cursor = row(5, 50);
    expect(
      [row(5, 50), row(5, 51), row(6, 1), row(5, 49), row(4, 99)].map((each) => isAfterCursor(each, cursor)),
    ).toEqual([false, false, false, true, true]);
  });
});

describe('buildPage', () => {
  test('the extra row sets hasMore and is not shown; the cursor is the last row shown', () => {
    const page = pageOf([row(3, 3), row(2, 2), row(1, 1)], 2);
    expect(page).toEqual({ data: [3, 2], hasMore: true, nextCursor: expect.any(String) });
    expect(decodeCursor('sync', page.nextCursor ?? '')).toEqual({ createdAt: row(2, 2).createdAt, id: 2 });
  });

  test('a page that is exactly full is the last one', () => {
    expect(pageOf([row(2, 2), row(1, 1)], 2)).toEqual({ data: [2, 1], hasMore: false, nextCursor: null });
  });

  test('an empty list has one empty page', () => {
    expect(pageOf([], 2)).toEqual({ data: [], hasMore: false, nextCursor: null });
  });
});

describe('buildScannedPage', () => {
  const scanned = (rows: Row[], limit: number, lastScanned: Row | null, reachedEnd: boolean) =>
    buildScannedPage(rows, limit, toPosition, toResource, 'sync', { lastScanned, reachedEnd });

  test('a scan that stopped at its cap gives a short page; the cursor is the last row scanned', () => {
    const page = scanned([row(9, 9)], 2, row(4, 4), false);
    expect(page).toMatchObject({ data: [9], hasMore: true });
    expect(decodeCursor('sync', page.nextCursor ?? '')).toEqual({ createdAt: row(4, 4).createdAt, id: 4 });
  });

  test('a scan without matches before its cap gives an empty page with hasMore', () => {
    expect(scanned([], 2, row(4, 4), false)).toEqual({ data: [], hasMore: true, nextCursor: expect.any(String) });
  });

  test('the cursor of a page that is exactly full at the cap is the last row scanned', () => {
    const page = scanned([row(9, 9), row(8, 8)], 2, row(4, 4), false);
    expect(decodeCursor('sync', page.nextCursor ?? '').id).toBe(4);
  });

  test('with more matches than fit, the cursor is the last row shown', () => {
    for (const reachedEnd of [true, false]) {
      const page = scanned([row(9, 9), row(8, 8), row(7, 7)], 2, row(4, 4), reachedEnd);
      expect(page.data).toEqual([9, 8]);
      expect(decodeCursor('sync', page.nextCursor ?? '').id).toBe(8);
    }
  });

  test('a scan that reached the end gives the last page', () => {
    expect(scanned([row(9, 9)], 2, row(4, 4), true)).toEqual({ data: [9], hasMore: false, nextCursor: null });
    expect(scanned([], 2, null, true)).toEqual({ data: [], hasMore: false, nextCursor: null });
  });

  test('throws for a scan that neither advanced nor ended', () => {
    expect(() => scanned([], 2, null, false)).toThrow(new RangeError('an unfinished scan must have scanned a row'));
  });
});

describe('laws of paging', () => {
  /** Few instants, for many ties. */
  const rowsWithTies = fc
    .uniqueArray(fc.record({ minute: fc.nat(5), id: fc.integer({ min: 1, max: 500 }), matches: fc.boolean() }), {
      selector: ({ id }) => id,
      maxLength: 60,
    })
    .map((rows) => rows.map(({ minute, id, matches }) => ({ ...row(minute, id), matches })));

  /** Reads all pages as a client does. */
  function walk(readPage: (cursor: Position<number> | null) => Page<number>): { ids: number[]; pages: number } {
    const ids: number[] = [];
    let cursor: Position<number> | null = null;
    for (let pages = 1; pages < 1000; pages += 1) {
      const page = readPage(cursor);
      ids.push(...page.data);
      expect(page.hasMore).toBe(page.nextCursor !== null);
      if (page.nextCursor === null) return { ids, pages };
      cursor = decodeCursor('sync', page.nextCursor);
    }
    throw new Error('paging does not end');
  }

  const below = (rows: readonly Row[], cursor: Position<number> | null) =>
    rows.toSorted(compareNewestFirst).filter((each) => cursor === null || isAfterCursor(each, cursor));

  test('every row is visited exactly once, newest first', () => {
    fc.assert(
      fc.property(rowsWithTies, fc.integer({ min: 1, max: 12 }), (rows, limit) => {
        const { ids, pages } = walk((cursor) => pageOf(below(rows, cursor).slice(0, limit + 1), limit));
        expect(ids).toEqual(rows.toSorted(compareNewestFirst).map(toResource));
        expect(pages).toBe(Math.max(1, Math.ceil(rows.length / limit)));
      }),
    );
  });

  test('scanned pages visit every matching row exactly once', () => {
    const capAndLimit = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }));
    fc.assert(
      fc.property(rowsWithTies, capAndLimit, (rows, [cap, limit]) => {
        const { ids } = walk((cursor) => {
          const rest = below(rows, cursor);
          const scannedRows = rest.slice(0, cap);
          const found = scannedRows.filter(({ matches }) => matches).slice(0, limit + 1);
          return buildScannedPage(found, limit, toPosition, toResource, 'sync', {
            lastScanned: scannedRows.at(-1) ?? null,
            reachedEnd: rest.length <= cap,
          });
        });
        expect(ids).toEqual(
          below(rows, null)
            .filter(({ matches }) => matches)
            .map(toResource),
        );
      }),
    );
  });

  test('new rows do not affect a client that is paging', () => {
    fc.assert(
      fc.property(rowsWithTies, fc.integer({ min: 1, max: 5 }), (rows, limit) => {
        const growing = [...rows];
        let newest = 10;
        const { ids } = walk((cursor) => {
          const page = pageOf(below(growing, cursor).slice(0, limit + 1), limit);
          newest += 1;
          growing.push(row(newest, 1000 + newest));
          return page;
        });
        expect(ids).toEqual(below(rows, null).map(toResource));
      }),
    );
  });
});
