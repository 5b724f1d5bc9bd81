import { describe, expect, test } from 'vitest';
import { createFakeService, json, refusal } from '../../test/fake-service.ts';
import { createClient } from '../client.ts';
import { ConfigurationError } from '../errors/errors.ts';

const sync = (id: number, createdAt: string) => ({ id, createdAt, status: 'success' });

test('`to` defaults to now and does not change within a list', async () => {
  const pages = [
    json({ data: [sync(2, '2026-02-28T00:00:00.000Z')], hasMore: true, nextCursor: 'c' }),
    json({ data: [sync(1, '2026-02-27T00:00:00.000Z')], hasMore: false, nextCursor: null }),
  ];
  const service = createFakeService(refusal(500, 'x'), ...pages);
  const list = createClient(service.options).syncs.list({ from: new Date('2026-02-01'), pageSize: 1 });
  expect((await list.toArray()).map(({ id }) => id)).toEqual([2, 1]);
  // The clock moved during the retry.
  expect(service.requests.map(({ url }) => new URL(url).searchParams.get('to'))).toEqual(
    Array.from({ length: 3 }, () => '2026-03-01T00:00:00.000Z'),
  );
});

describe('an end in the future', () => {
  const EMPTY_PAGE = { data: [], hasMore: false, nextCursor: null };
  const windowsTo = async (to: string | Date) => {
    const service = createFakeService(json(EMPTY_PAGE));
    await createClient(service.options).syncs.list({ from: '2026-02-20', to }).toArray();
    return service.requests.map(({ url }) => new URL(url).searchParams.get('to'));
  };

  test('is sent unchanged within 31 days', async () => {
    expect(await windowsTo('2026-03-31')).toEqual(['2026-03-31', '2026-02-28T00:00:00.000Z']);
  });

  test('costs no further requests beyond 31 days', async () => {
    const ends = ['2026-04-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
    expect(await windowsTo('9999-12-31')).toEqual(ends);
    expect(await windowsTo(new Date('9999-12-31'))).toEqual(ends);
  });

  test('costs no further requests when the range starts in the future too', async () => {
    const service = createFakeService(json(EMPTY_PAGE));
    await createClient(service.options).syncs.list({ from: '2030-01-01', to: '9999-12-31' }).toArray();
    expect(service.requests).toHaveLength(1);
  });
});

describe('page sizes', () => {
  /** Answers as many rows as requested, one per instant. */
  const serve = (
    total: number,
    createdAt = (id: number) => new Date(Date.parse('2026-02-28') - id * 1000).toISOString(),
  ) =>
    createFakeService(({ url }) => {
      const query = new URL(url).searchParams;
      const rows = Array.from({ length: total }, (_unused, index) => sync(index + 1, createdAt(index + 1))).filter(
        (row) => row.createdAt >= (query.get('from') ?? '') && row.createdAt <= (query.get('to') ?? ''),
      );
      const start = Number(query.get('cursor') ?? 0);
      const end = start + Number(query.get('limit'));
      const hasMore = end < rows.length;
      return json({ data: rows.slice(start, end), hasMore, nextCursor: hasMore ? String(end) : null });
    });
  const limitsOf = (requests: readonly Request[]) => requests.map(({ url }) => new URL(url).searchParams.get('limit'));

  test.each([
    [501, ['500', '1']],
    [500, ['500']],
    [3, ['3']],
    [1200, ['500', '500', '200']],
  ])('the first %i', async (limit, limits) => {
    const service = serve(2000);
    const list = createClient(service.options).syncs.list({ from: '2026-02-01', to: '2026-02-28' });
    expect(await list.toArray({ limit })).toHaveLength(limit);
    expect(limitsOf(service.requests)).toEqual(limits);
  });

  test('rows that come twice at a window boundary do not cause a request each', async () => {
    const onSeam = 40;
    const service = serve(60, (id) => (id <= onSeam ? '2026-01-28T00:00:00.000Z' : '2026-01-27T00:00:00.000Z'));
    const list = createClient(service.options).syncs.list({ from: '2026-01-01', to: '2026-02-28' });
    expect(await list.toArray({ limit: onSeam + 1 })).toHaveLength(onSeam + 1);
    expect(limitsOf(service.requests)).toEqual(['41', '41']);
  });

  test('an invalid date rejects when the list is read', async () => {
    const service = serve(1);
    const { syncs } = createClient(service.options);
    const calls = [
      syncs.metrics({ from: new Date('x') }),
      syncs.metrics({ from: '2026-02-01', to: new Date(Number.NaN) }),
      syncs.metrics({ from: 7 as never }),
      syncs.list({ from: new Date('x') }).toArray(),
      syncs
        .list({ from: new Date('x') })
        .pages()
        .next(),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(ConfigurationError);
    expect(service.requests).toEqual([]);
  });
});
