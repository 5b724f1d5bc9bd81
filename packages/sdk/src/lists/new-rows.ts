import type { Look } from './poll-log.ts';
import type { WindowRow } from './windows.ts';

/** How far behind the newest row is still looked: a row may become visible after one that is newer. */
const OVERLAP_MS = 60_000;

export interface NewRows<Row> {
  /**
   * One look at the log, which takes one request unless more rows are new than a page has.
   *
   * @returns what was not returned before, oldest first
   */
  look(): Promise<Look<Row>>;
}

/**
 * A log as it grows. Each row comes once, whatever the order in which rows become visible within a minute. A look that fails
 * half-way has returned nothing, and the next one finds what it would have found.
 *
 * @param openPages opens the log from its newest row, a page a request; it need not go below the moment that it is given, in
 *   milliseconds, which is -Infinity as long as nothing is known of the log
 * @param sinceMs how far back to begin; null: with what comes after the first look. The service's clock is the only one that counts
 */
export function createNewRows<Row extends WindowRow>(
  openPages: (fromMs: number) => AsyncIterable<{ readonly data: readonly Row[] }>,
  sinceMs: number | null,
): NewRows<Row> {
  /** When they came, by id. */
  const seen = new Map<number | string, number>();
  let isFirst = true;
  let newestMs = Number.NEGATIVE_INFINITY;
  const floor = () => Math.max(sinceMs ?? Number.NEGATIVE_INFINITY, newestMs - OVERLAP_MS);

  /** Until `take` wants no more. @returns how many requests it took */
  async function walk(take: (row: Row) => boolean): Promise<number> {
    let requests = 0;
    for await (const { data } of openPages(floor())) {
      requests += 1;
      if (!data.every(take)) break;
    }
    return requests;
  }

  return {
    async look() {
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
      const wasThere = isFirst && sinceMs === null;
      isFirst = false;
      return { rows: wasThere ? [] : found.reverse(), requests };
    },
  };
}
