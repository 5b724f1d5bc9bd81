import { ConfigurationError, PaginationError, SvcError } from '../errors/errors.ts';
import type { ResumePoint } from '../errors/resume-point.ts';
import type { Stop } from './read-ahead.ts';

/** The body of every paged list (README.md#lists). */
export interface PageAnswer<Row> {
  readonly data: readonly Row[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** One page of a list. */
export interface Page<Row> {
  /** May be empty although `hasMore` is true. */
  readonly data: readonly Row[];
  /** Whether more rows may follow, in this window or the next. */
  readonly hasMore: boolean;
  /** Position after this page; `null` after the last page. */
  readonly resume: ResumePoint | null;
}

/**
 * A lazy list. No request is made before the first row is asked for, pages are fetched one at a time, and each loop starts again.
 *
 * When a loop fails, `error.resume` holds the position to continue from. `toArray` does not set it, because it returns no rows when
 * it fails.
 *
 * @example
 * for await (const sync of client.syncs.list({ from: '2026-03-01' })) console.log(sync.id);
 */
export interface List<Row> extends AsyncIterable<Row> {
  /** Iterates over the rows. Concurrent calls of `next()` are answered in order. */
  [Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined>;
  /** Iterates over the pages. */
  pages(): AsyncGenerator<Page<Row>, void, undefined>;
  /**
   * Returns all rows, or the first `limit` rows without fetching more than needed.
   *
   * @throws ConfigurationError when `limit` is negative
   */
  toArray(options?: { limit?: number | undefined }): Promise<Row[]>;
  /**
   * Position after the last page that was read completely, by whichever loop ran last. Pass it as `resume` to the same list later:
   * rows of a page that was left half-way come again. Null before the first page is complete, and after the last.
   */
  readonly cursor: ResumePoint | null;
}

/** Options of all lists. */
export interface ListOptions {
  /** Position from `list.cursor`, a page or an error of the same list. The position's range replaces the list's range. Null: from the start. */
  resume?: ResumePoint | null | undefined;
  /** Fetches the next page while the current one is processed. Default false. */
  prefetch?: boolean | undefined;
}

/** Opens the list. `rowsWanted`, called before each page, allows smaller pages; `stop` returns the signal of its requests. */
export type OpenPages<Row> = (rowsWanted?: () => number, stop?: Stop) => AsyncGenerator<Page<Row>, void, undefined>;

export function createList<Row>(openPages: OpenPages<Row>, { resume, prefetch = false }: ListOptions = {}): List<Row> {
  let position = resume ?? null;
  async function* open(): AsyncGenerator<Page<Row>, void, undefined> {
    // Loaded on demand.
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
    // Rows of a loaded page are returned without resuming the generator, which would take three times as long. The generator
    // answers when no row is loaded or an earlier call is pending.
    [Symbol.asyncIterator]() {
      let rows: readonly Row[] = [];
      let resumeAfter: ResumePoint | null = null;
      let index = 0;
      let pending = 0;
      const take = () => {
        const row = rows[index++] as Row;
        if (index === rows.length) position = resumeAfter;
        return row;
      };
      async function* walk(): AsyncGenerator<Row, void, undefined> {
        try {
          for await (const page of open()) {
            ({ data: rows, resume: resumeAfter } = page);
            index = 0;
            if (rows.length === 0) position = resumeAfter;
            while (index < rows.length) yield take();
          }
        } finally {
          rows = [];
        }
      }
      const generator = walk();
      const next = generator.next.bind(generator);
      generator.next = () => {
        if (pending === 0 && index < rows.length) return Promise.resolve({ done: false, value: take() });
        pending += 1;
        return next().finally(() => (pending -= 1));
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
 * Yields all pages from `start` on. Follows only `hasMore` and `nextCursor`: a page in the middle of a list may be short or empty.
 *
 * @throws PaginationError when a cursor repeats, or `hasMore` is set without one: continuing would loop or lose rows
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
    // Checked before the rows are yielded: when the cursor repeats, they may have been yielded already.
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

/** Sets `resume` on an error; not on a `PaginationError`, which would occur again. */
export function markResume(error: unknown, resume: ResumePoint): unknown {
  if (error instanceof SvcError && !(error instanceof PaginationError)) error.resume = resume;
  return error;
}
