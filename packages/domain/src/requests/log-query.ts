/**
 * The parameters of every log list (`listSyncs`, `listRequests`, `listDeliveries`, `listEvents`).
 *
 * The rule: the range is checked first, then the cursor, the limit, and the list's own filters. The error names the first
 * one that is wrong.
 */
import { LIMITS } from '@svc/contract/limits';
import { type CursorIds, type CursorRows, parseCursor, type Position } from './cursor.ts';
import { type DateRange, parseDateRange } from './date-range.ts';
import { parseLimit, type RawParameter } from './parameters.ts';

/** The logs that are listed by range. */
export type RangedRows = Extract<CursorRows, 'request' | 'sync' | 'delivery'>;

export interface LogQuery<Rows extends RangedRows> {
  readonly range: DateRange;
  /** Rows strictly below this position; undefined for the first page. */
  readonly after: Position<CursorIds[Rows]> | undefined;
  /** Rows per page. Default: 100. */
  readonly pageSize: number;
}

const PAGE = { default: LIMITS.observabilityPageDefault, max: LIMITS.observabilityPageMax };

/** @throws ApiError 400 */
export function parseLogQuery<Rows extends RangedRows>(
  rowType: Rows,
  query: Readonly<Record<string, RawParameter>>,
): LogQuery<Rows> {
  const range = parseDateRange(query);
  const after = parseCursor(rowType, query['cursor']);
  const pageSize = parseLimit(query['limit'], PAGE);
  return { range, after, pageSize };
}
