import type { List } from '@svc/sdk';
import { type RowsAnswer, ROWS_MAX } from '../answers/answer.ts';
import { decodeCursor, type Position } from '../answers/cursor.ts';
import { resolveRange, type ResolvedRange } from './tool.ts';

/** Pages that one call reads at most: the API allows 120 requests a minute. */
const PAGES_MAX = 10;
const PAGE_ROWS_MAX = 500;

interface SearchArgs {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface OpenAt {
  readonly range: ResolvedRange;
  readonly pageSize: number;
  readonly resume: Position['resume'];
}

export interface Search<Args extends SearchArgs> {
  readonly tool: string;
  readonly args: Args;
  readonly nowMs: number;
  /** Plural of the rows. */
  readonly rowsName: string;
  /** False for logs that the API does not search by time. */
  readonly hasRange: boolean;
  /** @param args those of the first call */
  readonly open: (args: Args, at: OpenAt) => List<object>;
}

/** Reads one page of a log. With a cursor, the page begins after the last row that was shown. */
export async function search<Args extends SearchArgs>(given: Search<Args>): Promise<RowsAnswer> {
  const { cursor, ...others } = given.args;
  const passed = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  const start: Position =
    cursor === undefined
      ? {
          tool: given.tool,
          args: passed,
          range: given.hasRange ? resolveRange(given.args, given.nowMs) : null,
          resume: null,
          skip: 0,
        }
      : decodeCursor(cursor, given.tool, passed);
  const args = start.args as Args;
  const pageSize = args.limit ?? ROWS_MAX;
  const range = start.range ?? { from: '', to: '' };

  let at = start;
  let read: { rows: readonly object[]; resume: Position['resume'] } = { rows: [], resume: null };
  let pagesLeft = PAGES_MAX;
  for await (const page of given.open(args, { range, pageSize, resume: start.resume }).pages()) {
    read = { rows: page.data.slice(at.skip), resume: page.resume };
    pagesLeft -= 1;
    if (read.rows.length > 0 || read.resume === null || pagesLeft === 0) break;
    at = { ...at, resume: read.resume, skip: 0 };
  }
  const where = start.range === null ? '' : ` from ${start.range.from} to ${start.range.to}`;
  return {
    source: given.rowsName,
    rows: read.rows,
    at,
    after: read.resume === null ? null : { ...at, resume: read.resume, skip: 0 },
    summary: (shown) => `${shown === 0 ? 'No' : shown} ${given.rowsName}${where}, newest first.`,
  };
}

export interface Matches<Row> {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** Whether older rows of the range were not read. */
  readonly isIncomplete: boolean;
}

/** Finds the newest rows that `isWanted` accepts, for filters that the API does not have. */
export async function findNewest<Row>(
  open: (pageSize: number) => List<Row>,
  isWanted: (row: Row) => boolean,
  limit: number,
): Promise<Matches<Row>> {
  const rows: Row[] = [];
  let pagesLeft = PAGES_MAX;
  for await (const { data, resume } of open(PAGE_ROWS_MAX).pages()) {
    rows.push(...data.filter(isWanted));
    pagesLeft -= 1;
    if (rows.length >= limit || pagesLeft === 0) return { rows: rows.slice(0, limit), isIncomplete: resume !== null };
  }
  return { rows, isIncomplete: false };
}
