import { formatCount, startProgress } from '../terminal/progress.ts';
import type { Rows } from './print-list.ts';

/** How often the progress is shown: once per page. */
const PROGRESS_ROWS = 500;

export interface FilterOptions {
  /** The plural of the rows, for the progress. */
  readonly rowsName: string;
  readonly isJson: boolean;
}

/** Filters the rows of a list while it is read, for filters that the API does not have. A limit counts matches. */
export function filterRows<Row>(
  list: AsyncIterable<Row>,
  matches: (row: Row) => boolean,
  { rowsName, isJson }: FilterOptions,
): Required<Rows<Row>> {
  let read = 0;
  return {
    countRead: () => read,
    async toArray({ limit = Number.POSITIVE_INFINITY } = {}) {
      const found: Row[] = [];
      const progress = startProgress(isJson ? null : process.stderr);
      try {
        for await (const row of list) {
          read += 1;
          if (matches(row)) found.push(row);
          if (found.length >= limit) break;
          if (read % PROGRESS_ROWS === 0)
            progress.show(`${formatCount(read)} ${rowsName} read, ${formatCount(found.length)} match`);
        }
      } finally {
        progress.end();
      }
      return found;
    },
  };
}
