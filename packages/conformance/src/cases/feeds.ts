/** `listEvents` and `listWebhookDeliveries`: pages of 25, at most 100, newest first by (`createdAt`, `id`). */
import type { OperationId } from '@svc/contract/operations';
import { encodeCursor } from '@svc/domain/requests/cursor';
import { compareNewestFirst, isAfterCursor } from '@svc/domain/requests/page';
import { expect, test } from 'vitest';
import type { Call, Query } from '../harness/client.ts';
import type { Api } from '../harness/suite.ts';
import { NOW } from '../harness/world.ts';
import { readAll } from './paging.ts';

interface FeedRow {
  readonly id: string;
  readonly createdAt: Date;
}

export interface Feed<Row extends FeedRow> {
  readonly operationId: OperationId;
  /** Path and key. */
  readonly call: Call;
  readonly rows: readonly Row[];
  readonly toResource: (row: Row) => unknown;
}

const CURSORS = {
  event: encodeCursor({ rows: 'event', createdAt: NOW, id: 'osevt_demo0001' }),
  'webhook-delivery': encodeCursor({ rows: 'webhook-delivery', createdAt: NOW, id: 'oswhd_demo0001' }),
  sync: encodeCursor({ rows: 'sync', createdAt: NOW, id: 1 }),
  request: encodeCursor({ rows: 'request', createdAt: NOW, id: 1 }),
  delivery: encodeCursor({ rows: 'delivery', createdAt: NOW, id: 1 }),
};

export function proveFeed<Row extends FeedRow>(api: Api, feed: Feed<Row>): void {
  const { operationId, call, toResource } = feed;
  const rows = feed.rows.toSorted(compareNewestFirst);
  const resources = rows.map(toResource);
  const query = (more: Query): Call => ({ ...call, query: { ...call.query, ...more } });

  test('200 with twenty-five by default, newest first', async () => {
    const page = await api.read(operationId, call);
    expect(page.data).toEqual(resources.slice(0, 25));
    expect([page.hasMore, page.nextCursor !== null]).toEqual([rows.length > 25, rows.length > 25]);
  });

  test.each([1, 2, 7, 25, 99, 100])('200: all pages of %d together hold every row once, in order', async (limit) => {
    expect(await readAll(api, operationId, query({ limit }))).toEqual(resources);
  });

  test('200 and hasMore false when the rows exactly fill the page', async () => {
    const last = rows.slice(-4);
    const [above, , , end] = last;
    if (above === undefined || end === undefined) throw new Error('too few rows for this case');
    const cursors: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await api.read(operationId, query({ limit: 1, cursor }));
      if (page.data[0].id === above.id) {
        cursors.push(page.nextCursor);
        break;
      }
      cursor = page.nextCursor;
    }
    const [cursor] = cursors;
    expect(await api.read(operationId, query({ limit: 3, cursor }))).toEqual({
      data: last.slice(1).map(toResource),
      hasMore: false,
      nextCursor: null,
    });
    expect(await api.read(operationId, query({ limit: 2, cursor }))).toEqual({
      data: last.slice(1, 3).map(toResource),
      hasMore: true,
      nextCursor: expect.any(String),
    });
  });

  test('200 for a cursor at a position without a row', async () => {
    const place = rows[Math.floor(rows.length / 2)];
    if (place === undefined) throw new Error('too few rows for this case');
    const kind = operationId === 'listEvents' ? 'event' : 'webhook-delivery';
    const prefix = kind === 'event' ? 'osevt_' : 'oswhd_';
    for (const createdAt of [place.createdAt, new Date(place.createdAt.getTime() + 1), new Date(0), NOW]) {
      const position = { createdAt, id: `${prefix}gone` };
      const page = await api.read(
        operationId,
        query({ limit: 100, cursor: encodeCursor({ rows: kind, ...position }) }),
      );
      const below = rows.filter((row) => isAfterCursor(row, position));
      expect(page.data).toEqual(below.slice(0, 100).map(toResource));
    }
  });
}

/** Proves the 400s of `cursor`, `limit` and `more`. */
export function proveFeedRefusals(
  api: Api,
  operationId: OperationId,
  valid: Call,
  own: 'event' | 'webhook-delivery',
  more: readonly Query[],
): void {
  const { [own]: cursor, ...others } = CURSORS;
  const refused: Query[] = [
    ...['', '0', '-1', '01', '1.5', '101', '1e1', 'x', ' 1'].map((limit) => ({ limit })),
    { limit: ['1', '1'] },
    ...['', 'x', `${cursor}=`, cursor.slice(1), `${cursor}A`, ...Object.values(others)].map((text) => ({
      cursor: text,
    })),
    { cursor: [cursor, cursor] },
    ...more,
  ];
  test.each(refused)('400 for %j', async (query) => {
    const answer = await api.call(operationId, { ...valid, query: { ...valid.query, ...query } });
    const [name = ''] = Object.keys(query);
    expect(answer.json).toEqual({ statusCode: 400, message: expect.stringContaining(name), error: 'Bad Request' });
  });

  test('200: unknown parameters are ignored', async () => {
    const query = { ...valid.query, from: 'x', to: 'x', page: '2', Limit: '0', sourceId: 'x', ['__proto__']: 'x' };
    expect(await api.read(operationId, { ...valid, query })).toEqual(await api.read(operationId, valid));
  });
}
