/** The log lists: order, pages, cursors and ranges of a log list. */
import type { OperationId } from '@svc/contract/operations';
import { compareNewestFirst, isAfterCursor } from '@svc/domain/requests/page';
import { expect, test } from 'vitest';
import type { Call, Query } from '../harness/client.ts';
import type { Api } from '../harness/suite.ts';
import { DAY_MS, MONTH, NOW, within } from '../harness/world.ts';

interface LogRow {
  readonly id: number;
  readonly createdAt: Date;
}

export interface Log<Row extends LogRow> {
  readonly operationId: OperationId;
  /** Path and key; the range is added. */
  readonly call: Call;
  /** All rows that the call can return, newest first. */
  readonly rows: readonly Row[];
  readonly toResource: (row: Row) => unknown;
}

/** Reads all pages. */
export async function readAll(api: Api, operationId: OperationId, call: Call): Promise<unknown[]> {
  const all: unknown[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page = await api.read(operationId, { ...call, query: { ...call.query, cursor } });
    all.push(...page.data);
    expect(page.hasMore).toBe(page.nextCursor !== null);
    if (!page.hasMore) return all;
    expect(cursors.has(page.nextCursor), 'each cursor is new').toBe(false);
    cursors.add(page.nextCursor);
    cursor = page.nextCursor;
  }
}

export function provePaging<Row extends LogRow>(api: Api, log: Log<Row>): void {
  const { operationId, call, rows, toResource } = log;
  const month = within(rows, MONTH);
  const resources = month.map(toResource);
  const query = (more: Query = {}): Call => ({ ...call, query: { ...MONTH, ...call.query, ...more } });

  test('200 with a hundred rows by default, newest first', async () => {
    const page = await api.read(operationId, query());
    expect(page.data).toEqual(resources.slice(0, 100));
    expect([page.hasMore, page.nextCursor !== null]).toEqual([month.length > 100, month.length > 100]);
  });

  test.each([500, 499, 97, 20])('200: all pages of %d together hold every row once, in order', async (limit) => {
    expect(await readAll(api, operationId, query({ limit }))).toEqual(resources);
  });

  test('200 and hasMore false when the rows exactly fill the page', async () => {
    const [first, , third] = month.slice(-3);
    if (first === undefined || third === undefined) throw new Error('the log is too short for this case');
    const tail = { ...MONTH, to: first.createdAt.toISOString() };
    const expected = within(rows, tail).map(toResource);
    const page = await api.read(operationId, query({ ...tail, limit: expected.length }));
    expect(page).toEqual({ data: expected, hasMore: false, nextCursor: null });
    const shorter = await api.read(operationId, query({ ...tail, limit: expected.length - 1 }));
    expect(shorter).toEqual({ data: expected.slice(0, -1), hasMore: true, nextCursor: expect.any(String) });
  });

  test('200 with both ends of the range included', async () => {
    const newest = month[Math.floor(month.length / 3)];
    const oldest = month[Math.floor((2 * month.length) / 3)];
    if (newest === undefined || oldest === undefined) throw new Error('the log is too short for this case');
    const at = (row: Row, ms: number) => new Date(row.createdAt.getTime() + ms).toISOString();
    for (const [from, to] of [
      [at(oldest, 0), at(newest, 0)],
      [at(oldest, 1), at(newest, -1)],
      [at(newest, 0), at(newest, 0)],
    ] as const) {
      const expected = within(rows, { from, to }).map(toResource);
      expect(await readAll(api, operationId, query({ from, to, limit: 500 }))).toEqual(expected);
    }
  });

  test('200 for dates, offsets and a range in the future', async () => {
    const day = new Date(NOW.getTime() - 9 * DAY_MS).toISOString().slice(0, 10);
    const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
    const expected = within(rows, { from: day, to: next }).map(toResource);
    expect(await readAll(api, operationId, query({ from: day, to: next, limit: 500 }))).toEqual(expected);
    const shifted = { from: `${day}T02:00:00+02:00`, to: `${day}T18:30:00.000-05:30` };
    expect(await readAll(api, operationId, query({ ...shifted, limit: 500 }))).toEqual(expected);
    const ahead = { from: '2026-04-01', to: '2026-04-20' };
    expect(await api.read(operationId, query(ahead))).toEqual({ data: [], hasMore: false, nextCursor: null });
    expect((await api.call(operationId, query({ from: MONTH.to, to: '2026-05-01T12:00:00Z' }))).status).toBe(200);
  });

  test('200: a cursor works with another range', async () => {
    const page = await api.read(operationId, query({ limit: 10 }));
    const position = month[9];
    if (position === undefined) throw new Error('the log is too short for this case');
    const week = { from: new Date(NOW.getTime() - 12 * DAY_MS).toISOString(), to: NOW.toISOString() };
    const expected = within(rows, week).filter((row) => isAfterCursor(row, position));
    const below = await api.read(operationId, query({ ...week, limit: 500, cursor: page.nextCursor }));
    expect(below.data).toEqual(expected.slice(0, 500).map(toResource));
  });
}

/** Proves that rows of the same millisecond are ordered by descending id, also across pages. */
export function proveTies<Row extends LogRow>(api: Api, log: Log<Row>): void {
  const { operationId, call, rows, toResource } = log;
  const ties = [...Map.groupBy(rows, (row) => row.createdAt.getTime()).values()].filter((group) => group.length > 1);

  test('200: rows of the same millisecond are ordered by descending id', async () => {
    expect(ties.length).toBeGreaterThan(0);
    for (const group of ties) {
      const at = group[0]?.createdAt.toISOString();
      const data = await readAll(api, operationId, { ...call, query: { ...call.query, from: at, to: at, limit: 1 } });
      expect(data).toEqual(group.toSorted(compareNewestFirst).map(toResource));
    }
  });
}

/** Proves that a cursor works with other filters and in other lists of the same rows: they continue below its position. */
export function proveCursorWorksInOtherLists<Row extends LogRow>(
  api: Api,
  log: Log<Row>,
  others: readonly (readonly [operationId: OperationId, call: Call, rows: readonly Row[]])[],
): void {
  test.each(others)('200: its cursor works in %s %j', async (operationId, call, rows) => {
    const first = await api.read(log.operationId, { ...log.call, query: { ...MONTH, ...log.call.query, limit: 40 } });
    const position = within(log.rows, MONTH)[39];
    if (position === undefined) throw new Error('the log is too short for this case');
    const query = { ...MONTH, ...call.query, limit: 500, cursor: first.nextCursor };
    const below = await api.read(operationId, { ...call, query });
    const expected = within(rows, MONTH).filter((row) => isAfterCursor(row, position));
    expect(below.data).toEqual(expected.slice(0, 500).map(log.toResource));
  });
}
