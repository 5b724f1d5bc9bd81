/**
 * Specification, "Observability", rule 3, its note on status filters, and "Events log": pages of a list.
 *
 * The rule: newest first by (`createdAt`, `id`), both descending; a page holds `limit` rows and `hasMore` says whether
 * the list goes on; `nextCursor` is null exactly when it does not. A scan that had to stop before it had filled the
 * page answers what it found, possibly nothing, with `hasMore` true and a cursor at the last row it looked at.
 */
import type { Page } from '@svc/contract/types';
import { type CursorIds, type CursorRows, encodeCursor, type Position } from './cursor.ts';
import { compareValues } from '../values/order.ts';

export type { Page } from '@svc/contract/types';

/** How far a scan with a cap came. */
export interface Scan<Id extends number | string> {
  /** The last row looked at, whether it matched or not; null when there was none. */
  readonly lastScanned: Position<Id> | null;
  /** Whether the scan came to the end of the list (or of the range), so that nothing lies below it. */
  readonly reachedEnd: boolean;
}

/** Sort order of a list: later instants first, then larger ids; string ids by code unit. */
export function compareNewestFirst<Id extends number | string>(a: Position<Id>, b: Position<Id>): number {
  return compareValues(b.createdAt.getTime(), a.createdAt.getTime()) || compareValues(b.id, a.id);
}

/** Whether a row belongs below the cursor: strictly, the cursor's own row was on the page before. */
export function isAfterCursor<Id extends number | string>(row: Position<Id>, cursor: Position<Id>): boolean {
  return compareNewestFirst(row, cursor) > 0;
}

/** A page from rows in list order that were read with `limit + 1`: the extra row only proves that the list goes on. */
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
 * A page from the matching rows of a scan that may have stopped at its cap.
 * @throws RangeError when the scan stopped without having looked at a row: its cursor would not move.
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
  if (scan.lastScanned === null) throw new RangeError('a scan that goes on must have looked at a row');
  return {
    data: rows.map(toResource),
    hasMore: true,
    nextCursor: encodeCursor({ rows: rowType, ...pick(scan.lastScanned) }),
  };
}

/** A whole row often serves as its own position: keep its other columns, `rows` among them, out of the cursor. */
function pick<Id extends number | string>({ createdAt, id }: Position<Id>): Position<Id> {
  return { createdAt, id };
}
