import type { List, LogParams } from '@svc/sdk';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The API finds log rows by time only. Pages that one search may read, because the rate limit is 120 requests a minute. */
const PAGES_MAX = 10;

interface LogRow {
  readonly id: number;
}

type OpenLog<Row> = (range: LogParams) => List<Row>;

/** Finds a row by its id in growing windows before `beforeMs`, nearest first. Returns null if it is not among the rows read. */
export async function findRowBefore<Row extends LogRow>(
  open: OpenLog<Row>,
  id: number,
  beforeMs: number,
): Promise<Row | null> {
  let pagesLeft = PAGES_MAX;
  let toMs = beforeMs;
  for (const reachMs of [10 * MINUTE_MS, DAY_MS, 30 * DAY_MS]) {
    const fromMs = beforeMs - reachMs;
    for await (const { data } of open(toRange(fromMs, toMs)).pages()) {
      const found = data.find((row) => row.id === id);
      if (found !== undefined) return found;
      pagesLeft -= 1;
      if (pagesLeft === 0) return null;
    }
    toMs = fromMs;
  }
  return null;
}

export interface FoundRows<Row> {
  readonly rows: readonly Row[];
  /** Rows from this time on were not all read; null if all were. */
  readonly incompleteFrom: string | null;
}

/** Finds all rows of a range that `isWanted` accepts, in growing windows, oldest window first. */
export async function findRows<Row extends LogRow>(
  open: OpenLog<Row>,
  isWanted: (row: Row) => boolean,
  range: { readonly fromMs: number; readonly toMs: number },
): Promise<FoundRows<Row>> {
  const found = new Map<number, Row>();
  const result = (incompleteFrom: string | null) => ({ rows: [...found.values()], incompleteFrom });
  let pagesLeft = PAGES_MAX;
  let startMs = range.fromMs;
  for (const reachMs of [HOUR_MS, DAY_MS, Number.POSITIVE_INFINITY]) {
    const endMs = Math.min(range.fromMs + reachMs, range.toMs);
    if (endMs < startMs) break;
    for await (const { data, hasMore } of open(toRange(startMs, endMs)).pages()) {
      for (const row of data) if (isWanted(row)) found.set(row.id, row);
      pagesLeft -= 1;
      if (pagesLeft === 0 && (hasMore || endMs < range.toMs)) return result(new Date(startMs).toISOString());
    }
    startMs = endMs;
  }
  return result(null);
}

function toRange(fromMs: number, toMs: number): LogParams {
  return { from: new Date(fromMs), to: new Date(toMs) };
}
