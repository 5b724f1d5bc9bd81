import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NetworkError, PaginationError, SvcError } from '../errors/errors.ts';
import { createList, type Page, type PageAnswer, walkCursors } from './paginate.ts';

type Answer = PageAnswer<number>;

/** Pages by cursor; `''` is the first. */
const pagesOf = (pages: Record<string, Answer>) => async (cursor: string | null) => {
  const page = pages[cursor ?? ''];
  if (!page) throw new Error(`no page ${cursor}`);
  return page;
};

async function collect(fetchPage: (cursor: string | null) => Promise<Answer>): Promise<number[]> {
  const rows: number[] = [];
  for await (const page of walkCursors(fetchPage, null)) rows.push(...page.data);
  return rows;
}

describe('walkCursors', () => {
  test('only hasMore ends a list, not empty or short pages', async () => {
    const rows = await collect(
      pagesOf({
        '': { data: [], hasMore: true, nextCursor: 'a' },
        a: { data: [1], hasMore: true, nextCursor: 'b' },
        b: { data: [], hasMore: true, nextCursor: 'c' },
        // A cursor beside `hasMore: false` is not followed.
        c: { data: [2, 3], hasMore: false, nextCursor: 'd' },
      }),
    );
    expect(rows).toEqual([1, 2, 3]);
  });

  test('each row comes once, however the rows are cut into pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer(), { maxLength: 4 }), { minLength: 1, maxLength: 30 }),
        async (cut) => {
          const rows = await collect(async (cursor) => {
            const index = Number(cursor ?? 0);
            const hasMore = index + 1 < cut.length;
            return { data: cut[index] ?? [], hasMore, nextCursor: hasMore ? String(index + 1) : null };
          });
          expect(rows).toEqual(cut.flat());
        },
      ),
    );
  });

  test.each([
    [
      'the same cursor',
      { '': { data: [1], hasMore: true, nextCursor: 'a' }, a: { data: [2], hasMore: true, nextCursor: 'a' } },
    ],
    [
      'a longer loop',
      {
        '': { data: [1], hasMore: true, nextCursor: 'a' },
        a: { data: [2], hasMore: true, nextCursor: 'b' },
        b: { data: [3], hasMore: true, nextCursor: 'a' },
      },
    ],
    ['hasMore without a cursor', { '': { data: [1], hasMore: true, nextCursor: null } }],
  ])('%s is an error', async (_name, pages) => {
    const rows: number[] = [];
    const walk = async () => {
      for await (const page of walkCursors(pagesOf(pages), null)) rows.push(...page.data);
    };
    await expect(walk()).rejects.toThrow(PaginationError);
    // The faulty page is not yielded.
    expect(rows).toEqual(
      Object.keys(pages)
        .slice(1)
        .map((_key, index) => index + 1),
    );
  });
});

describe('createList', () => {
  /** Counts all requests, and the requests in flight. */
  function createCountedList(pageCount: number) {
    const seen = { opened: 0, fetched: 0, wanted: [] as (number | undefined)[] };
    const list = createList<number>(async function* (rowsWanted) {
      seen.opened += 1;
      for (let n = 0; n < pageCount; n += 1) {
        seen.fetched += 1;
        seen.wanted.push(rowsWanted?.());
        const page: Page<number> = { data: [n * 2, n * 2 + 1], hasMore: n + 1 < pageCount, resume: null };
        yield page;
      }
    });
    return { list, seen };
  }

  test('nothing is fetched before the first row is asked for, and no page early', async () => {
    const { list, seen } = createCountedList(3);
    expect(seen.opened).toBe(0);
    const rows = list[Symbol.asyncIterator]();
    expect(seen.opened).toBe(0);
    await rows.next();
    await rows.next();
    expect(seen.fetched).toBe(1);
    await rows.next();
    expect(seen.fetched).toBe(2);
  });

  test('concurrent next() calls are answered in order', async () => {
    const { list } = createCountedList(2);
    const rows = list[Symbol.asyncIterator]();
    const results = await Promise.all([rows.next(), rows.next(), rows.next(), rows.next(), rows.next()]);
    expect(results.map(({ value }) => value)).toEqual([0, 1, 2, 3, undefined]);
  });

  test('toArray({ limit }) fetches no more than it needs', async () => {
    const { list, seen } = createCountedList(100);
    expect(await list.toArray({ limit: 3 })).toEqual([0, 1, 2]);
    expect(seen.fetched).toBe(2);
    expect(seen.wanted).toEqual([3, 1]);
    expect(await list.toArray({ limit: 0 })).toEqual([]);
    expect(seen.opened).toBe(1);
    await expect(list.toArray({ limit: -1 })).rejects.toThrow(/limit/);
    expect((await list.toArray()).length).toBe(200);
  });

  test('an error of toArray has no resume point, because no rows were returned', async () => {
    const list = createList<number>(async function* () {
      yield { data: [1], hasMore: true, resume: { cursor: 'a' } };
      const error = new NetworkError('reset', { code: null, nothingSent: false });
      error.resume = { cursor: 'a' };
      throw error;
    });
    const error = await list.toArray().catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(SvcError);
    expect(error).not.toHaveProperty('resume');
  });
});

describe('reading a list', () => {
  /** Pages of three rows, with a log of requests and yields. */
  function listOf(pageCount: number, options: { prefetch?: boolean } = {}) {
    const asked: number[] = [];
    const list = createList<number>(async function* () {
      for (let page = 0; page < pageCount; page += 1) {
        asked.push(page);
        const hasMore = page + 1 < pageCount;
        const data = page === 1 ? [] : [page * 10, page * 10 + 1, page * 10 + 2];
        yield { data, hasMore, resume: hasMore ? { cursor: `after ${page}` } : null };
      }
    }, options);
    return { list, asked };
  }

  test('concurrent calls of next() are answered in order', async () => {
    const { list } = listOf(3);
    const rows = list[Symbol.asyncIterator]();
    const answers = await Promise.all(Array.from({ length: 8 }, () => rows.next()));
    expect(answers.map(({ value }) => value)).toEqual([0, 1, 2, 20, 21, 22, undefined, undefined]);
    expect(answers.map(({ done }) => done)).toEqual([false, false, false, false, false, false, true, true]);
  });

  test('calls of next() keep their order while earlier ones wait for a page', async () => {
    const { list } = listOf(3);
    const rows = list[Symbol.asyncIterator]();
    const first = await rows.next();
    const [second, third, fourth] = [rows.next(), rows.next(), rows.next()];
    await second;
    const fifth = rows.next();
    const all = [first, ...(await Promise.all([second, third, fourth, fifth]))];
    expect(all.map(({ value }) => value)).toEqual([0, 1, 2, 20, 21]);
    expect((await rows.next()).value).toBe(22);
    expect(await rows.next()).toEqual({ done: true, value: undefined });
  });

  test('calls of next() keep their order at every moment while a page arrives', async () => {
    const data = Array.from({ length: 30 }, (_unused, index) => index);
    const rows = createList<number>(async function* () {
      yield { data, hasMore: false, resume: null };
    })[Symbol.asyncIterator]();
    const answers = [rows.next(), rows.next(), rows.next(), rows.next(), rows.next()];
    while (answers.length < data.length) {
      // One microtask: the page is loaded before all pending calls have their rows.
      await Promise.resolve();
      answers.push(rows.next());
    }
    expect((await Promise.all(answers)).map(({ value }) => value)).toEqual(data);
  });

  test('after return() and throw() no rows come, even when the page has more', async () => {
    const ended = listOf(3).list[Symbol.asyncIterator]();
    await ended.next();
    expect(await ended.return()).toEqual({ done: true, value: undefined });
    expect(await ended.next()).toEqual({ done: true, value: undefined });
    const failed = listOf(3).list[Symbol.asyncIterator]();
    await failed.next();
    await expect(failed.throw(new Error('mine'))).rejects.toThrow('mine');
    expect(await failed.next()).toEqual({ done: true, value: undefined });
  });

  test('the cursor points after the last page that was read completely', async () => {
    const { list } = listOf(4);
    expect(list.cursor).toBeNull();
    const rows = list[Symbol.asyncIterator]();
    await rows.next();
    await rows.next();
    expect(list.cursor).toBeNull();
    await rows.next();
    expect(list.cursor).toEqual({ cursor: 'after 0' });
    // It passes the empty page once the next row was read.
    await rows.next();
    expect(list.cursor).toEqual({ cursor: 'after 1' });
    await rows.return();
    for await (const _page of list.pages()) break;
    expect(list.cursor).toEqual({ cursor: 'after 0' });
    expect(await list.toArray({ limit: 3 })).toEqual([0, 1, 2]);
    expect(list.cursor).toEqual({ cursor: 'after 0' });
    await list.toArray();
    expect(list.cursor).toBeNull();
  });

  test('the cursor starts as the given resume point', () => {
    const resume = { cursor: 'kept' };
    expect(createList<number>(async function* () {}, { resume }).cursor).toEqual(resume);
  });

  test('prefetch requests the next page early; without it none is requested early', async () => {
    for (const [prefetch, expected] of [
      [false, [0]],
      [true, [0, 1]],
    ] as const) {
      const { list, asked } = listOf(4, { prefetch });
      for await (const _page of list.pages()) {
        await Promise.resolve();
        expect(asked).toEqual(expected);
        break;
      }
      expect(asked).toEqual(expected);
      expect(await listOf(4, { prefetch }).list.toArray()).toEqual([0, 1, 2, 20, 21, 22, 30, 31, 32]);
    }
  });

  test('the error of a prefetched page is thrown when that page is read', async () => {
    const list = createList<number>(
      async function* () {
        yield { data: [1], hasMore: true, resume: { cursor: 'a' } };
        throw new NetworkError('gone', { code: null, nothingSent: false });
      },
      { prefetch: true },
    );
    const seen: number[] = [];
    const read = async () => {
      for await (const row of list) seen.push(row);
    };
    await expect(read()).rejects.toThrow('gone');
    expect(seen).toEqual([1]);
  });
});
