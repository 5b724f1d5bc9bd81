/**
 * Specification, "Observability", rules 1 to 3: what every list of a long log asks for.
 *
 * The rule: the range is looked at first, then the cursor, then the limit; the first that is wrong is the one that the
 * refusal names. Filters of a list come after these.
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
  /** Rows of a page, 100 unless told. */
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
