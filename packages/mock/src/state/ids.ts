/** Numeric ids of new rows. */
import type { Log, LogRow } from './log.ts';
import { memoize } from './memoize.ts';

const largestOfChunk = memoize((chunk: readonly LogRow[]) =>
  chunk.reduce((largest, { id }) => (typeof id === 'number' && id > largest ? id : largest), 0),
);

/** Returns one more than the largest id in the log. */
export function nextLogId(log: Log<LogRow & { readonly id: number }>): number {
  return 1 + log.chunks.reduce((largest, chunk) => Math.max(largest, largestOfChunk(chunk)), 0);
}

/** Returns one more than the largest id among the rows. */
export function nextId(rows: readonly { readonly id: number }[]): number {
  return 1 + rows.reduce((largest, { id }) => Math.max(largest, id), 0);
}
