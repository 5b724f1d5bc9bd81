import { DATE_RANGE_MAX_MS, OBSERVABILITY_PAGE_MAX } from '@svc/contract/limits';
import type { ApiPromise, CallContext } from '../calls/call.ts';
import { ConfigurationError } from '../errors/errors.ts';
import { createList, type List, type ListOptions, type PageAnswer } from './paginate.ts';
import type { Stop } from './read-ahead.ts';
import { createShapeCheck } from '../calls/shape.ts';
import { type DateRange, parseInstantMs, type WindowRow, walkWindows } from './windows.ts';

/** What all logs take: a range of time (specification, "Observability"). */
export interface RangeParams {
  /** Start, counted in. ISO-8601 with offset, or a date (midnight UTC). */
  from: string | Date;
  /** End. Default: now, as of the first request; rows that come later are not part of the list. */
  to?: string | Date | undefined;
}

/** An end more than 31 days ahead of the client's clock is taken for one that is 31 days ahead. */
export interface LogParams extends RangeParams, ListOptions {
  /** Rows per request, 1 to 500. Default 500: fewest requests against the rate limit. */
  pageSize?: number | undefined;
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
  fetchPage: (query: PageQuery, stop?: Stop) => ApiPromise<PageAnswer<Row>>,
): List<Row> {
  const pageSize = params.pageSize ?? OBSERVABILITY_PAGE_MAX;
  return createList(async function* (rowsWanted, stop) {
    // Not before the first page is asked for: the range is as of then.
    yield* walkWindows({
      range: endSoon(toRange(params, context.now()), context.now()),
      resume: params.resume ?? null,
      fetchPage: (window, cursor, knownRows) => {
        const limit = rowsWanted === undefined ? pageSize : Math.min(pageSize, rowsWanted() + knownRows);
        return fetchPage({ ...window, limit, ...(cursor === null ? {} : { cursor }) }, stop);
      },
    });
  }, params);
}

/** @throws ConfigurationError */
export function toRange({ from, to }: RangeParams, nowMs: number): DateRange {
  return { from: toInstant(from), to: to === undefined ? new Date(nowMs).toISOString() : toInstant(to) };
}

/** Each window up to a year 9999 would cost a request, and no rows are there. */
function endSoon(range: DateRange, nowMs: number): DateRange {
  const latestMs = nowMs + DATE_RANGE_MAX_MS;
  if (!(parseInstantMs(range.to) > latestMs)) return range;
  const to = parseInstantMs(range.from) > latestMs ? range.from : new Date(latestMs).toISOString();
  return { from: range.from, to };
}

/** Strings go as they are: the service says what is wrong with them. */
function toInstant(value: string | Date): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw new ConfigurationError('from and to must be valid dates, or ISO-8601 text');
}

/** Paging cannot begin with a body that has no rows. */
export const findPageFault = createShapeCheck<PageAnswer<unknown>>({ data: 'objects', hasMore: 'boolean' });
