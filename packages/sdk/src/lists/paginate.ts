import { ConfigurationError, PaginationError, SvcError } from '../errors/errors.ts';
import type { ResumePoint } from '../errors/resume-point.ts';
import type { Stop } from './read-ahead.ts';

/** The body of every paged list (specification, "Observability", rule 3). */
export interface PageAnswer<Row> {
  readonly data: readonly Row[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** One answer of a list. */
export interface Page<Row> {
  /** May be empty although `hasMore` is true. */
  readonly data: readonly Row[];
  /** Whether the list goes on, in this window or the next. */
  readonly hasMore: boolean;
  /** Where the list goes on; `null` after the last page. */
  readonly resume: ResumePoint | null;
}

/**
 * A list that is fetched while it is read: one page in flight at a time, nothing before the first row is asked
 * for, and afresh with each loop.
 *
 * A failure carries the place to resume from (`error.resume`); `toArray`, which hands out nothing when it
 * fails, leaves it out.
 */
export interface List<Row> extends AsyncIterable<Row> {
  /** Rows one by one. Calls of `next()` that are made at the same time are answered one after the other. */
  [Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined>;
  pages(): AsyncGenerator<Page<Row>, void, undefined>;
  /** All rows, or the first `limit`, for which no more is fetched than needed. */
  toArray(options?: { limit?: number | undefined }): Promise<Row[]>;
  /**
   * Where the list goes on behind the last page that was handed out whole, by whichever loop was last: to be kept, and given
   * as `resume` to the same list later. Rows of a page that was left half-way come again. Null before the first page is
   * through, and after the last.
   */
  readonly cursor: ResumePoint | null;
}

/** What all lists take. */
export interface ListOptions {
  /** From `list.cursor`, a page or an error of the same list; it brings its own range. Null: from the start. */
  resume?: ResumePoint | null | undefined;
  /** Asks for the next page while this one is worked on. Default false: none is asked for that is not wanted. */
  prefetch?: boolean | undefined;
}

/** Opens the list from its start; `rowsWanted`, asked before each page, lets pages be smaller than usual; `stop` ends its requests. */
export type OpenPages<Row> = (rowsWanted?: () => number, stop?: Stop) => AsyncGenerator<Page<Row>, void, undefined>;

export function createList<Row>(openPages: OpenPages<Row>, { resume, prefetch = false }: ListOptions = {}): List<Row> {
  let position = resume ?? null;
  async function* open(): AsyncGenerator<Page<Row>, void, undefined> {
    // Loaded by those who want it.
    yield* prefetch ? (await import('./read-ahead.ts')).readAhead((stop) => openPages(undefined, stop)) : openPages();
  }
  return {
    get cursor() {
      return position;
    },
    async *pages() {
      for await (const page of open()) {
        position = page.resume;
        yield page;
      }
    },
    // A generator that hands out the rows of a page without going to sleep for each, which takes three times as long: a tenth of
    // what the page itself takes. Where nothing waits, `next` answers from the page; else the generator does, in order.
    [Symbol.asyncIterator]() {
      let rows: readonly Row[] = [];
      let resumeBehind: ResumePoint | null = null;
      let index = 0;
      let waiting = 0;
      const take = () => {
        const row = rows[index++] as Row;
        if (index === rows.length) position = resumeBehind;
        return row;
      };
      async function* walk(): AsyncGenerator<Row, void, undefined> {
        try {
          for await (const page of open()) {
            ({ data: rows, resume: resumeBehind } = page);
            index = 0;
            if (rows.length === 0) position = resumeBehind;
            while (index < rows.length) yield take();
          }
        } finally {
          rows = [];
        }
      }
      const generator = walk();
      const next = generator.next.bind(generator);
      generator.next = () => {
        if (waiting === 0 && index < rows.length) return Promise.resolve({ done: false, value: take() });
        waiting += 1;
        return next().finally(() => (waiting -= 1));
      };
      return generator;
    },
    async toArray({ limit = Number.POSITIVE_INFINITY } = {}) {
      if (!(limit >= 0)) throw new ConfigurationError('limit must be 0 or more');
      const rows: Row[] = [];
      if (limit === 0) return rows;
      try {
        for await (const page of openPages(() => limit - rows.length)) {
          const wanted = limit - rows.length;
          if (wanted >= page.data.length) position = page.resume;
          rows.push(...page.data.slice(0, wanted));
          if (rows.length >= limit) return rows;
        }
      } catch (error) {
        if (error instanceof SvcError) delete error.resume;
        throw error;
      }
      return rows;
    },
  };
}

export interface CursorPage<Row> extends PageAnswer<Row> {
  /** Cursor of this page; `null` for the first. */
  readonly cursor: string | null;
}

/**
 * Follows `hasMore` and `nextCursor` and nothing else: a page may be short or empty in the middle of a list.
 *
 * @throws PaginationError when a cursor comes back a second time, or `hasMore` comes without one: going on
 * would loop or lose rows.
 */
export async function* walkCursors<Row>(
  fetchPage: (cursor: string | null) => Promise<PageAnswer<Row>>,
  start: string | null,
): AsyncGenerator<CursorPage<Row>, void, undefined> {
  const seen = new Set<string>();
  let cursor = start;
  for (;;) {
    if (cursor !== null) seen.add(cursor);
    const page = await fetchPage(cursor);
    // Before its rows are handed out: of a page that leads back, they may have been handed out already.
    const next = page.hasMore ? checkCursor(page.nextCursor, seen) : null;
    yield { ...page, cursor };
    if (next === null) return;
    cursor = next;
  }
}

function checkCursor(cursor: string | null, seen: ReadonlySet<string>): string {
  if (!cursor) throw new PaginationError('The service said hasMore without a nextCursor');
  if (seen.has(cursor)) throw new PaginationError('The service returned a cursor it had returned before');
  return cursor;
}

/** Notes on a failure where the list can be taken up again; not where it would fail in the same way. */
export function markResume(error: unknown, resume: ResumePoint): unknown {
  if (error instanceof SvcError && !(error instanceof PaginationError)) error.resume = resume;
  return error;
}
