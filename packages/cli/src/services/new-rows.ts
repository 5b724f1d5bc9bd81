/** How far behind the newest row is still looked: a row may become visible after one that is newer. */
const OVERLAP_MS = 60_000;

export interface LogRow {
  readonly id: number | string;
  readonly createdAt: string;
}

export interface NewRows<Row> {
  /**
   * One look at the log, which takes one request unless more rows are new than a page has.
   *
   * @returns what was not returned before, oldest first
   */
  look(): Promise<Row[]>;
}

/**
 * A log as it grows. Each row comes once, whatever the order in which rows become visible within a minute. A look that fails
 * half-way has returned nothing, and the next one finds what it would have found.
 *
 * @param openLog opens the log from its newest row; it need not go below the moment that it is given, in milliseconds
 * @param sinceMs how far back to begin; null: with what comes after the first look. The service's clock is the only one that counts
 */
export function createNewRows<Row extends LogRow>(
  openLog: (fromMs: number) => AsyncIterable<Row>,
  sinceMs: number | null,
): NewRows<Row> {
  /** When they came, by id. */
  const seen = new Map<number | string, number>();
  let newestMs: number | null = null;
  const floor = () => Math.max(sinceMs ?? 0, (newestMs ?? 0) - OVERLAP_MS);

  return {
    async look() {
      const isFirst = newestMs === null;
      const found: Row[] = [];
      let newest = newestMs ?? sinceMs ?? 0;
      for await (const row of openLog(floor())) {
        const createdMs = Date.parse(row.createdAt);
        newest = Math.max(newest, createdMs);
        const end = isFirst && sinceMs === null ? newest - OVERLAP_MS : floor();
        if (createdMs < end) break;
        if (!seen.has(row.id)) found.push(row);
      }
      newestMs = newest;
      for (const { id, createdAt } of found) seen.set(id, Date.parse(createdAt));
      for (const [id, createdMs] of seen) if (createdMs < floor()) seen.delete(id);
      return isFirst && sinceMs === null ? [] : found.reverse();
    },
  };
}
