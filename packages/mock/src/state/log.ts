/**
 * An immutable log of rows by (`createdAt`, `id`), oldest first, in chunks. A change makes a new log that shares the unchanged
 * chunks, so a snapshot is a reference and a world of 100,000 rows costs nothing to copy. Indexes are cached per chunk
 * (`WeakMap`), so all logs that hold the chunk share them.
 */
import type { Position } from '@svc/domain/requests/cursor';
import { compareNewestFirst, isAfterCursor } from '@svc/domain/requests/page';

export interface LogRow {
  readonly id: number | string;
  readonly createdAt: Date;
}

export interface Log<Row extends LogRow> {
  /** Never empty. */
  readonly chunks: readonly (readonly Row[])[];
  readonly length: number;
}

const CHUNK_ROWS = 512;

export const EMPTY_LOG: Log<never> = { chunks: [], length: 0 };

/** @param rows in any order */
export function createLog<Row extends LogRow>(rows: readonly Row[]): Log<Row> {
  const sorted = isOldestFirst(rows) ? rows : rows.toSorted((a, b) => compareNewestFirst(b, a));
  const chunks: (readonly Row[])[] = [];
  for (let start = 0; start < sorted.length; start += CHUNK_ROWS) chunks.push(sorted.slice(start, start + CHUNK_ROWS));
  return { chunks, length: sorted.length };
}

/** Returns the log with one more row in its place. */
export function addRow<Row extends LogRow>(log: Log<Row>, row: Row): Log<Row> {
  const length = log.length + 1;
  const index = chunkFor(log, row);
  const chunk = log.chunks[index];
  if (chunk === undefined) return { chunks: [...log.chunks, [row]], length };
  const at = firstIndex(chunk, (other) => compareNewestFirst(other, row) < 0);
  // A full chunk at the end stays as it is; elsewhere it is split.
  if (at === chunk.length && index === log.chunks.length - 1 && chunk.length >= CHUNK_ROWS) {
    return { chunks: [...log.chunks, [row]], length };
  }
  const grown = chunk.toSpliced(at, 0, row);
  const parts = grown.length > 2 * CHUNK_ROWS ? [grown.slice(0, CHUNK_ROWS), grown.slice(CHUNK_ROWS)] : [grown];
  return { chunks: log.chunks.toSpliced(index, 1, ...parts), length };
}

/** Returns the log with the row changed; the same log when it does not exist. `createdAt` and `id` may change too. */
export function changeRow<Row extends LogRow>(log: Log<Row>, id: Row['id'], change: (row: Row) => Row): Log<Row> {
  const place = find(log, id);
  if (place === null) return log;
  const { index, at, row } = place;
  const changed = change(row);
  if (changed === row) return log;
  if (changed.id !== row.id || changed.createdAt.getTime() !== row.createdAt.getTime()) {
    return addRow(removeRow(log, id), changed);
  }
  const before = log.chunks[index] ?? [];
  const chunk = before.with(at, changed);
  // Every row keeps its position, so the index is still valid.
  const positions = positionsByChunk.get(before);
  if (positions !== undefined) positionsByChunk.set(chunk, positions);
  return { chunks: log.chunks.with(index, chunk), length: log.length };
}

/** Returns the log without the row. */
export function removeRow<Row extends LogRow>(log: Log<Row>, id: Row['id']): Log<Row> {
  const place = find(log, id);
  if (place === null) return log;
  const chunk = (log.chunks[place.index] ?? []).toSpliced(place.at, 1);
  return { chunks: log.chunks.toSpliced(place.index, 1, ...(chunk.length > 0 ? [chunk] : [])), length: log.length - 1 };
}

export function findRow<Row extends LogRow>(log: Log<Row>, id: Row['id']): Row | null {
  return find(log, id)?.row ?? null;
}

/** Every row, oldest first. */
export function allRows<Row extends LogRow>(log: Log<Row>): Row[] {
  return log.chunks.flat();
}

export interface LogRange {
  /** Both inclusive. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Yields rows newest first, strictly after the cursor and within the range. The cost is that of the yielded rows. */
export function* newestFirst<Row extends LogRow>(
  log: Log<Row>,
  range: LogRange & { readonly after?: Position<Row['id']> | null | undefined } = {},
): Generator<Row, void, undefined> {
  const fromMs = range.from?.getTime() ?? -Infinity;
  const toMs = range.to?.getTime() ?? Infinity;
  const { after } = range;
  const isTooNew = (row: Row): boolean =>
    row.createdAt.getTime() > toMs || (after !== undefined && after !== null && !isAfterCursor(row, after));
  const start = firstIndex(log.chunks, (chunk) => chunk[0] !== undefined && isTooNew(chunk[0]));
  for (let index = start - 1; index >= 0; index -= 1) {
    const chunk = log.chunks[index] ?? [];
    const end = index === start - 1 ? firstIndex(chunk, isTooNew) : chunk.length;
    for (let at = end - 1; at >= 0; at -= 1) {
      const row = chunk[at];
      if (row === undefined) continue;
      if (row.createdAt.getTime() < fromMs) return;
      yield row;
    }
  }
}

/** Caches the result of `compute` for each chunk. */
export function cachePerChunk<Row extends LogRow, Index>(
  compute: (chunk: readonly Row[]) => Index,
): (log: Log<Row>) => Index[] {
  const cache = new WeakMap<readonly Row[], Index>();
  return (log) =>
    log.chunks.map((chunk) => {
      let index = cache.get(chunk);
      if (index === undefined) {
        index = compute(chunk);
        cache.set(chunk, index);
      }
      return index;
    });
}

interface Place<Row> {
  readonly index: number;
  readonly at: number;
  readonly row: Row;
}

const positionsByChunk = new WeakMap<readonly LogRow[], ReadonlyMap<number | string, number>>();

/** Searches from the newest chunk: most lookups are for new rows. */
function find<Row extends LogRow>(log: Log<Row>, id: Row['id']): Place<Row> | null {
  for (let index = log.chunks.length - 1; index >= 0; index -= 1) {
    const chunk = log.chunks[index] ?? [];
    let positions = positionsByChunk.get(chunk);
    if (positions === undefined) {
      positions = new Map(chunk.map((row, at) => [row.id, at]));
      positionsByChunk.set(chunk, positions);
    }
    const at = positions.get(id);
    const row = at === undefined ? undefined : chunk[at];
    if (at !== undefined && row !== undefined) return { index, at, row };
  }
  return null;
}

/** Returns the index of the chunk that the row belongs to: the last one that begins at or before it. */
function chunkFor<Row extends LogRow>(log: Log<Row>, row: Row): number {
  const after = firstIndex(log.chunks, ([first]) => first !== undefined && compareNewestFirst(first, row) < 0);
  return Math.max(0, after - 1);
}

/** Returns the first index from which `isBeyond` is true, by binary search. */
function firstIndex<Item>(items: readonly Item[], isBeyond: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && isBeyond(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isOldestFirst(rows: readonly LogRow[]): boolean {
  return rows.every((row, index) => {
    const before = rows[index - 1];
    return before === undefined || compareNewestFirst(before, row) > 0;
  });
}
