import type { PollResult } from './poll-log.ts';
import type { WindowRow } from './windows.ts';

/** How far before the newest row each poll reads: a row may become visible after a newer one. */
const OVERLAP_MS = 60_000;

export interface NewRows<Row> {
  /**
   * Reads the log once. This takes one request, or more when there are more new rows than a page holds.
   *
   * @returns the rows that were not returned before, oldest first
   */
  poll(): Promise<PollResult<Row>>;
}

/**
 * Finds the new rows of a growing log. Each row is returned once, in whatever order rows become visible within a minute. A poll that
 * fails half-way loses nothing: the next poll returns the same rows.
 *
 * @param openPages opens the log at its newest row, one request per page. Rows before the given time (milliseconds; -Infinity until
 *   a row is known) may be left out
 * @param sinceMs time of the oldest row to return, by the service's clock; null: only rows that come after the first poll
 */
export function createNewRows<Row extends WindowRow>(
  openPages: (fromMs: number) => AsyncIterable<{ readonly data: readonly Row[] }>,
  sinceMs: number | null,
): NewRows<Row> {
  /** Creation times of the returned rows, by id. */
  const seen = new Map<number | string, number>();
  let isFirst = true;
  let newestMs = Number.NEGATIVE_INFINITY;
  const floor = () => Math.max(sinceMs ?? Number.NEGATIVE_INFINITY, newestMs - OVERLAP_MS);

  /** Reads rows until `take` returns false. @returns the number of requests */
  async function walk(take: (row: Row) => boolean): Promise<number> {
    let requests = 0;
    for await (const { data } of openPages(floor())) {
      requests += 1;
      if (!data.every(take)) break;
    }
    return requests;
  }

  return {
    async poll() {
      const found: Row[] = [];
      let newest = newestMs;
      const requests = await walk((row) => {
        const createdMs = Date.parse(row.createdAt);
        newest = Math.max(newest, createdMs);
        if (createdMs < (isFirst && sinceMs === null ? newest - OVERLAP_MS : floor())) return false;
        if (!seen.has(row.id)) found.push(row);
        return true;
      });
      newestMs = newest;
      for (const { id, createdAt } of found) seen.set(id, Date.parse(createdAt));
      for (const [id, createdMs] of seen) if (createdMs < floor()) seen.delete(id);
      const isBaseline = isFirst && sinceMs === null;
      isFirst = false;
      return { rows: isBaseline ? [] : found.reverse(), requests };
    },
  };
}
