import { LIMITS } from '@svc/contract/limits';
import type { ApiPromise, CallContext } from './call.ts';
import { createList, type List, type PageAnswer, type ResumePoint } from './paginate.ts';
import { type DateRange, type WindowRow, walkWindows } from './windows.ts';

/** What all logs take: a range of time (specification, "Observability"). */
export interface RangeParams {
  /** Start, counted in. ISO-8601 with offset, or a date (midnight UTC). */
  from: string | Date;
  /** End. Default: now, as of the first request; rows that come later are not part of the list. */
  to?: string | Date | undefined;
}

export interface LogParams extends RangeParams {
  /** Rows per request, 1 to 500. Default 500: fewest requests against the rate limit. */
  pageSize?: number | undefined;
  /** From an earlier page or error of the same list; it brings its own range. */
  resume?: ResumePoint | undefined;
}

/** The part of a query that differs from page to page. */
export interface PageQuery extends DateRange {
  limit: number;
  cursor?: string;
}

/** A log as a lazy list over a range of any span. */
export function createLogList<Row extends WindowRow>(
  context: CallContext,
  params: LogParams,
  fetchPage: (query: PageQuery) => ApiPromise<PageAnswer<Row>>,
): List<Row> {
  const pageSize = params.pageSize ?? LIMITS.observabilityPageMax;
  return createList((rowsWanted = pageSize) =>
    walkWindows({
      range: toRange(params, context.now()),
      resume: params.resume ?? null,
      fetchPage: (window, cursor) =>
        fetchPage({ ...window, limit: Math.min(pageSize, rowsWanted), ...(cursor === null ? {} : { cursor }) }),
    }),
  );
}

export function toRange({ from, to }: RangeParams, nowMs: number): DateRange {
  return { from: toInstant(from), to: to === undefined ? new Date(nowMs).toISOString() : toInstant(to) };
}

/** Strings go as they are: the service says what is wrong with them. */
function toInstant(value: string | Date): string {
  return typeof value === 'string' ? value : value.toISOString();
}

/** Paging cannot begin with a body that has no list. */
export function findPageFault(page: PageAnswer<unknown>): string | null {
  const isPage = Array.isArray(page?.data) && typeof page.hasMore === 'boolean';
  return isPage ? null : 'is not a page of a list';
}
