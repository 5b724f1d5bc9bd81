/**
 * An ordered log as an immutable value: rows by (`createdAt`, `id`), oldest first, in chunks. A change makes a new log that
 * shares every chunk it did not touch, so that a snapshot is a reference and a world of 100,000 rows costs nothing to copy.
 * What is looked up often is remembered per chunk (`WeakMap`), and therefore shared by all logs that hold the chunk.
 */
import type { Position } from '@svc/domain/requests/cursor';
import { compareNewestFirst, isAfterCursor } from '@svc/domain/requests/page';

export interface LogRow {
  readonly id: number | string;
  readonly createdAt: Date;
}

export interface Log<Row extends LogRow> {
  /** None is empty. */
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

/** The log with one more row, wherever it belongs. */
export function addRow<Row extends LogRow>(log: Log<Row>, row: Row): Log<Row> {
  const length = log.length + 1;
  const index = chunkFor(log, row);
  const chunk = log.chunks[index];
  if (chunk === undefined) return { chunks: [...log.chunks, [row]], length };
  const at = firstIndex(chunk, (other) => compareNewestFirst(other, row) < 0);
  // A full chunk at the end stays as it is; elsewhere it is cut in two, so that no chunk grows without end.
  if (at === chunk.length && index === log.chunks.length - 1 && chunk.length >= CHUNK_ROWS) {
    return { chunks: [...log.chunks, [row]], length };
  }
  const grown = chunk.toSpliced(at, 0, row);
  const parts = grown.length > 2 * CHUNK_ROWS ? [grown.slice(0, CHUNK_ROWS), grown.slice(CHUNK_ROWS)] : [grown];
  return { chunks: log.chunks.toSpliced(index, 1, ...parts), length };
}

/**
 * The log with one more row at its end, whatever its instant: for logs in the order in which things happened, under a clock that
 * may be set back. They are read as a whole (`allRows`), never by place.
 */
export function appendRow<Row extends LogRow>(log: Log<Row>, row: Row): Log<Row> {
  const last = log.chunks.at(-1);
  const length = log.length + 1;
  if (last === undefined || last.length >= CHUNK_ROWS) return { chunks: [...log.chunks, [row]], length };
  return { chunks: log.chunks.with(-1, [...last, row]), length };
}

/** The log with the row of that id changed; the same log when there is none. `createdAt` and `id` may change too. */
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
  // Every row is where it was, so what is known of the places still holds.
  const positions = positionsByChunk.get(before);
  if (positions !== undefined) positionsByChunk.set(chunk, positions);
  return { chunks: log.chunks.with(index, chunk), length: log.length };
}

/** The log without the row of that id. */
export function removeRow<Row extends LogRow>(log: Log<Row>, id: Row['id']): Log<Row> {
  const place = find(log, id);
  if (place === null) return log;
  const chunk = (log.chunks[place.index] ?? []).toSpliced(place.at, 1);
  return { chunks: log.chunks.toSpliced(place.index, 1, ...(chunk.length > 0 ? [chunk] : [])), length: log.length - 1 };
}

/** The log without all but its newest `count` rows, give or take a chunk: for logs that must not grow for ever. */
export function keepNewest<Row extends LogRow>(log: Log<Row>, count: number): Log<Row> {
  const [oldest] = log.chunks;
  if (oldest === undefined || log.length - oldest.length < count) return log;
  return { chunks: log.chunks.slice(1), length: log.length - oldest.length };
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

/** Rows in list order: newest first, strictly below the cursor, within the range. Costs what it yields. */
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

/** Remembers what `compute` makes of a chunk for as long as the chunk lives. */
export function perChunk<Row extends LogRow, Index>(
  compute: (chunk: readonly Row[]) => Index,
): (log: Log<Row>) => Index[] {
  const known = new WeakMap<readonly Row[], Index>();
  return (log) =>
    log.chunks.map((chunk) => {
      let index = known.get(chunk);
      if (index === undefined) {
        index = compute(chunk);
        known.set(chunk, index);
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

/** From the newest chunk on: what is asked for by id is mostly new. */
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

/** Index of the last chunk that begins at or before the row: the one it belongs to. */
function chunkFor<Row extends LogRow>(log: Log<Row>, row: Row): number {
  const after = firstIndex(log.chunks, ([first]) => first !== undefined && compareNewestFirst(first, row) < 0);
  return Math.max(0, after - 1);
}

/** Binary search in what is sorted so that `isBeyond` is false first and true from some index on: that index. */
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
