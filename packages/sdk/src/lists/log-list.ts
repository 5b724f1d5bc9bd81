import { DATE_RANGE_MAX_MS, OBSERVABILITY_PAGE_MAX } from '@svc/contract/limits';
import type { ApiPromise, CallContext } from '../calls/call.ts';
import { ConfigurationError } from '../errors/errors.ts';
import { createList, type List, type ListOptions, type PageAnswer } from './paginate.ts';
import type { Stop } from './read-ahead.ts';
import { createShapeCheck } from '../calls/shape.ts';
import { type DateRange, parseInstantMs, type WindowRow, walkWindows } from './windows.ts';

/** A time range (README.md#lists). */
export interface RangeParams {
  /** Start, inclusive. ISO-8601 with offset, or a date (midnight UTC). */
  from: string | Date;
  /** End, in the same forms. Default: the time of the first request; rows that come later are not part of the list. */
  to?: string | Date | undefined;
}

/** Options of lists over a time range. An end more than 31 days in the future is moved to 31 days in the future. */
export interface LogParams extends RangeParams, ListOptions {
  /** Rows per request, 1 to 500. Default 500, which takes the fewest requests. */
  pageSize?: number | undefined;
}

/** The part of a query that differs from page to page. */
export interface PageQuery extends DateRange {
  limit: number;
  cursor?: string;
}

/** Creates a lazy list over a time range of any length. */
export function createLogList<Row extends WindowRow>(
  context: CallContext,
  params: LogParams,
  fetchPage: (query: PageQuery, stop?: Stop) => ApiPromise<PageAnswer<Row>>,
): List<Row> {
  const pageSize = params.pageSize ?? OBSERVABILITY_PAGE_MAX;
  return createList(async function* (rowsWanted, stop) {
    // Computed when the first page is asked for: a range without an end ends then.
    yield* walkWindows({
      range: limitEnd(toRange(params, context.now()), context.now()),
      resume: params.resume ?? null,
      fetchPage: (window, cursor, knownRows) => {
        const limit = rowsWanted === undefined ? pageSize : Math.min(pageSize, rowsWanted() + knownRows);
        return fetchPage({ ...window, limit, ...(cursor === null ? {} : { cursor }) }, stop);
      },
    });
  }, params);
}

/** Returns the range as text, ending now by default. @throws ConfigurationError for an invalid date */
export function toRange({ from, to }: RangeParams, nowMs: number): DateRange {
  return { from: toInstant(from), to: to === undefined ? new Date(nowMs).toISOString() : toInstant(to) };
}

/** Limits how far the end lies in the future: each window up to the year 9999 would cost a request. */
function limitEnd(range: DateRange, nowMs: number): DateRange {
  const latestMs = nowMs + DATE_RANGE_MAX_MS;
  if (!(parseInstantMs(range.to) > latestMs)) return range;
  const to = parseInstantMs(range.from) > latestMs ? range.from : new Date(latestMs).toISOString();
  return { from: range.from, to };
}

/** Leaves strings unchanged: the service reports what is wrong with them. */
function toInstant(value: string | Date): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw new ConfigurationError('from and to must be valid dates, or ISO-8601 text');
}

/** Checks the fields that paging needs. */
export const findPageFault = createShapeCheck<PageAnswer<unknown>>({ data: 'objects', hasMore: 'boolean' });
