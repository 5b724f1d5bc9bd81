/**
 * Pages of a list: `listSyncs`, `listRequests`, `listDeliveries`, `listEvents`, `listWebhookDeliveries`.
 *
 * The rule: rows are sorted by `createdAt` and `id`, both descending. A page holds at most `limit` rows; `hasMore` says
 * whether more follow, and `nextCursor` is null exactly when none do. A scan that reaches its cap before the page is full
 * returns the rows found so far, possibly none, with `hasMore` true and a cursor at the last row scanned.
 */
import type { Page } from '@svc/contract/types';
import { type CursorIds, type CursorRows, encodeCursor, type Position } from './cursor.ts';
import { compareValues } from '../values/order.ts';

export type { Page } from '@svc/contract/types';

/** The progress of a scan with a cap. */
export interface Scan<Id extends number | string> {
  /** The last row scanned, matching or not; null when there was none. */
  readonly lastScanned: Position<Id> | null;
  /** Whether the scan reached the end of the list or range. */
  readonly reachedEnd: boolean;
}

/** Compares rows for sorting: later instants first, then larger ids; string ids by code unit. */
export function compareNewestFirst<Id extends number | string>(a: Position<Id>, b: Position<Id>): number {
  return compareValues(b.createdAt.getTime(), a.createdAt.getTime()) || compareValues(b.id, a.id);
}

/** Whether a row comes after the cursor. The cursor's own row does not: it was on the previous page. */
export function isAfterCursor<Id extends number | string>(row: Position<Id>, cursor: Position<Id>): boolean {
  return compareNewestFirst(row, cursor) > 0;
}

/** Builds a page from up to `limit + 1` rows in list order. The extra row only proves that more follow. */
export function buildPage<Row, Resource, Rows extends CursorRows>(
  rows: readonly Row[],
  limit: number,
  toPosition: (row: Row) => Position<CursorIds[Rows]>,
  toResource: (row: Row) => Resource,
  rowType: Rows,
): Page<Resource> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    data: shown.map(toResource),
    hasMore,
    nextCursor: hasMore ? encodeCursor({ rows: rowType, ...pick(toPosition(last)) }) : null,
  };
}

/**
 * Builds a page from the matching rows of a scan that may have stopped at its cap.
 * @throws RangeError when the scan stopped without scanning a row, because its cursor would not advance
 */
export function buildScannedPage<Row, Resource, Rows extends CursorRows>(
  rows: readonly Row[],
  limit: number,
  toPosition: (row: Row) => Position<CursorIds[Rows]>,
  toResource: (row: Row) => Resource,
  rowType: Rows,
  scan: Scan<CursorIds[Rows]>,
): Page<Resource> {
  if (rows.length > limit || scan.reachedEnd) return buildPage(rows, limit, toPosition, toResource, rowType);
  if (scan.lastScanned === null) throw new RangeError('an unfinished scan must have scanned a row');
  return {
    data: rows.map(toResource),
    hasMore: true,
    nextCursor: encodeCursor({ rows: rowType, ...pick(scan.lastScanned) }),
  };
}

/** Picks the two columns of a position, since callers may pass a whole row. */
function pick<Id extends number | string>({ createdAt, id }: Position<Id>): Position<Id> {
  return { createdAt, id };
}
