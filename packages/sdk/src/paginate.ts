import { ConfigurationError, PaginationError, SvcError } from './errors.ts';

/** The body of every paged list (specification, "Observability", rule 3). */
export interface PageAnswer<Row> {
  readonly data: readonly Row[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** Where a list stopped, as plain JSON: keep it and pass it back as `resume`. */
export interface ResumePoint {
  /** Cursor of the next page; `null` for the first page of a window. */
  readonly cursor: string | null;
  /** Only for lists over a date range. */
  readonly window?: WindowPosition;
}

export interface WindowPosition {
  /** The range of the whole list, `to` as it was fixed at the start. */
  readonly from: string;
  readonly to: string;
  /** Newer end of the window the cursor belongs to. */
  readonly windowTo: string;
  /** Rows at a seam that were handed out already and must not come twice. */
  readonly seamIds: readonly (number | string)[];
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
  toArray(options?: { limit?: number }): Promise<Row[]>;
  /**
   * Where the list goes on behind the last page that was handed out whole, by whichever loop was last: to be kept, and given
   * as `resume` to the same list later. Rows of a page that was left half-way come again. Null before the first page is
   * through, and after the last.
   */
  readonly cursor: ResumePoint | null;
}

/** What all lists take. */
export interface ListOptions {
  /** From `list.cursor`, a page or an error of the same list; it brings its own range. */
  resume?: ResumePoint | undefined;
  /** Asks for the next page while this one is worked on. Default false: none is asked for that is not wanted. */
  prefetch?: boolean | undefined;
}

/** Opens the list from its start; `rowsWanted`, asked before each page, lets pages be smaller than usual. */
export type OpenPages<Row> = (rowsWanted?: () => number) => AsyncGenerator<Page<Row>, void, undefined>;

export function createList<Row>(openPages: OpenPages<Row>, { resume, prefetch = false }: ListOptions = {}): List<Row> {
  let position = resume ?? null;
  async function* open(): AsyncGenerator<Page<Row>, void, undefined> {
    // Loaded by those who want it.
    yield* prefetch ? (await import('./read-ahead.ts')).readAhead(openPages()) : openPages();
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
    async *[Symbol.asyncIterator]() {
      for await (const page of open()) {
        const last = page.data.length - 1;
        if (last < 0) position = page.resume;
        for (const [index, row] of page.data.entries()) {
          if (index === last) position = page.resume;
          yield row;
        }
      }
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
