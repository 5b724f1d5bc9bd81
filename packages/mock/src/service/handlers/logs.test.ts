/** Pages, counts and single rows of the logs: requests, syncs, deliveries, events, webhook deliveries. */
import { encodeCursor } from '@svc/domain/requests/cursor';
import { compareNewestFirst } from '@svc/domain/requests/page';
import { describe, expect, test } from 'vitest';
import { ask, createDemoWorld, DEMO, MONTH, NOW, read, readAll, refusal } from '../../../test/support/demo.ts';

const world = createDemoWorld();
const MAIN = [1, 2, 3];
type LogRow = { readonly id: number | string; readonly createdAt: Date };
const listed = <Row extends LogRow>(rows: readonly Row[], isVisible: (row: Row) => boolean) =>
  rows
    .filter(isVisible)
    .toSorted((a, b) => compareNewestFirst(a, b))
    .map(({ id }) => id);
const ofConnections =
  (ids: readonly number[]) =>
  ({ connectionId }: { readonly connectionId: number | null }) =>
    connectionId !== null && ids.includes(connectionId);
const shownIds = (rows: readonly { readonly id: number | string }[]) => rows.map(({ id }) => id);

describe('listSyncs', () => {
  test.each([500, 137])('200: pages of %d hold every visible row once, newest first', (limit) => {
    expect(shownIds(readAll(world, `/api/v1/syncs?${MONTH}`, limit))).toEqual(listed(DEMO.syncs, ofConnections(MAIN)));
  });

  test('200 with a hundred complete rows by default', () => {
    const page = read(world, `/api/v1/syncs?${MONTH}`);
    expect([page.data.length, page.hasMore]).toEqual([100, true]);
    const row = DEMO.syncs.find(({ id }) => id === page.data[0].id);
    const { accountId: _accountId, ...shown } = { ...row, createdAt: row?.createdAt.toISOString() };
    expect(page.data[0]).toEqual(shown);
  });

  test('200 with hasMore false when the rows exactly fill a page', () => {
    const rows = readAll(world, `/api/v1/syncs?${MONTH}&status=warning`, 500);
    const page = read(world, `/api/v1/syncs?${MONTH}&status=warning&limit=${rows.length}`);
    expect(page).toEqual({ data: rows, hasMore: false, nextCursor: null });
    const shorter = read(world, `/api/v1/syncs?${MONTH}&status=warning&limit=${rows.length - 1}`);
    expect([shorter.data, shorter.hasMore]).toEqual([rows.slice(0, -1), true]);
  });

  test('200 with the requested status, source and connection', () => {
    const rows = readAll(world, `/api/v1/syncs?${MONTH}&status=error&sourceId=1&connectionId=1`, 500);
    const expected = DEMO.syncs.filter((row) => row.status === 'error' && row.sourceId === 1 && row.connectionId === 1);
    expect(shownIds(rows)).toEqual(listed(expected, () => true));
    expect(rows.length).toBeGreaterThan(0);
  });

  test('200 with a connection key: only its connection', () => {
    const rows = readAll(world, `/api/v1/syncs?${MONTH}`, 500, 'osapi_demo_connection_salesforce');
    expect(shownIds(rows)).toEqual(listed(DEMO.syncs, ofConnections([2])));
  });

  test('200 and empty for an inaccessible connection, 404 for an inaccessible source', () => {
    expect(read(world, `/api/v1/syncs?${MONTH}&connectionId=4`)).toEqual({
      data: [],
      hasMore: false,
      nextCursor: null,
    });
    expect(refusal(world, `/api/v1/syncs?${MONTH}&connectionId=4&sourceId=13`)).toEqual([404, 'Source 13 not found']);
  });

  test('400 names the first invalid parameter', () => {
    const message = (query: string) => refusal(world, `/api/v1/syncs?${query}`)[1];
    expect(message('cursor=x')).toMatch(/^from /);
    expect(message(`${MONTH}&cursor=x&limit=0`)).toMatch(/^cursor /);
    expect(message(`${MONTH}&limit=0&status=x`)).toMatch(/^limit /);
    expect(message(`${MONTH}&status=x&connectionId=x&sourceId=x`)).toMatch(/^status /);
    expect(message(`${MONTH}&connectionId=x&sourceId=x`)).toMatch(/^connectionId /);
    expect(message(`${MONTH}&sourceId=x`)).toMatch(/^sourceId /);
  });

  test('400 for a cursor of another list', () => {
    const cursor = encodeCursor({ rows: 'request', createdAt: NOW, id: 1 });
    expect(ask(world, `/api/v1/syncs?${MONTH}&cursor=${cursor}`).status).toBe(400);
  });
});

describe('listSourceSyncs', () => {
  test('200 with the syncs of the source in the path', () => {
    const rows = readAll(world, `/api/v1/sources/1/syncs?${MONTH}&sourceId=2`, 500);
    expect(shownIds(rows)).toEqual(listed(DEMO.syncs, (row) => row.sourceId === 1 && ofConnections(MAIN)(row)));
  });

  test('404 when the source is not accessible or its id is malformed', () => {
    for (const id of ['13', '0', 'x']) {
      expect(refusal(world, `/api/v1/sources/${id}/syncs?${MONTH}`)).toEqual([404, `Source ${id} not found`]);
    }
  });
});

describe('getSync', () => {
  test('200 as in the list', () => {
    const rows = readAll(world, `/api/v1/syncs?${MONTH}`, 500);
    for (const row of [rows[0], rows.at(-1)]) expect(read(world, `/api/v1/syncs/${row.id}`)).toEqual(row);
  });

  test("404 for another tenant's, a hidden connection's or an unknown id", () => {
    const idOf = (connectionId: number) => DEMO.syncs.find((sync) => sync.connectionId === connectionId)?.id;
    for (const id of [idOf(5), idOf(4), 9_999_999, '1e3']) {
      expect(refusal(world, `/api/v1/syncs/${id}`)).toEqual([404, `Sync ${id} not found`]);
    }
  });
});

describe('getSyncMetrics', () => {
  test('200: exact counts, within the filters and the range', () => {
    const count = (rows: typeof DEMO.syncs) =>
      Object.fromEntries(
        ['success', 'warning', 'error'].map((status) => [status, rows.filter((row) => row.status === status).length]),
      );
    const rows = DEMO.syncs.filter(ofConnections(MAIN));
    expect(read(world, `/api/v1/syncs/metrics?${MONTH}&status=x&limit=x`)).toEqual(count(rows));
    const ofSource = rows.filter(({ sourceId }) => sourceId === 2);
    expect(read(world, `/api/v1/syncs/metrics?${MONTH}&sourceId=2`)).toEqual(count(ofSource));
    const from = new Date(NOW.getTime() - 5 * 86_400_000);
    const week = rows.filter(({ createdAt }) => createdAt >= from && createdAt <= NOW);
    const query = `from=${from.toISOString()}&to=${NOW.toISOString()}`;
    expect(read(world, `/api/v1/syncs/metrics?${query}`)).toEqual(count(week));
  });
});

describe('listRequests', () => {
  const visible = listed(
    DEMO.requests,
    (row) => ofConnections(MAIN)(row) || (row.connectionId === null && row.accountId === 1),
  );

  test('200: an account key also sees requests of deleted sources', () => {
    const rows = readAll(world, `/api/v1/requests?${MONTH}`, 97);
    expect(shownIds(rows)).toEqual(visible);
    expect(rows.some(({ sourceId }) => sourceId === null)).toBe(true);
    expect(read(world, `/api/v1/requests/metrics?${MONTH}`)).toEqual({ count: visible.length });
  });

  test('200: a connection key or an account without sources does not see them', () => {
    const own = readAll(world, `/api/v1/requests?${MONTH}`, 500, 'osapi_demo_connection');
    expect(shownIds(own)).toEqual(listed(DEMO.requests, ofConnections([1])));
    const withoutSources = createDemoWorld({ data: { sources: [] } });
    expect(readAll(withoutSources, `/api/v1/requests?${MONTH}`, 500).some(({ sourceId }) => sourceId === null)).toBe(
      false,
    );
  });

  test('200 for one source, by filter and by path', () => {
    const expected = listed(DEMO.requests, ({ sourceId }) => sourceId === 1);
    expect(shownIds(readAll(world, `/api/v1/requests?${MONTH}&sourceId=1`, 500))).toEqual(expected);
    expect(shownIds(readAll(world, `/api/v1/sources/1/requests?${MONTH}&sourceId=2`, 500))).toEqual(expected);
    expect(read(world, `/api/v1/requests/metrics?${MONTH}&sourceId=1`)).toEqual({ count: expected.length });
  });

  test('404 for a source that is not accessible', () => {
    for (const path of ['requests', 'requests/metrics']) {
      expect(refusal(world, `/api/v1/${path}?${MONTH}&sourceId=13`)).toEqual([404, 'Source 13 not found']);
    }
  });
});

describe('listDeliveries', () => {
  test('200 with everything, or a status and a destination', () => {
    const all = readAll(world, `/api/v1/deliveries?${MONTH}`, 50);
    expect(shownIds(all)).toEqual(listed(DEMO.deliveries, ofConnections(MAIN)));
    const id = all[0].destinationId;
    const expected = listed(DEMO.deliveries, (row) => row.destinationId === id && row.status === 'error');
    expect(expected.length).toBeGreaterThan(0);
    expect(shownIds(readAll(world, `/api/v1/deliveries?${MONTH}&destinationId=${id}&status=error`, 500))).toEqual(
      expected,
    );
    const path = `/api/v1/destinations/${id}/deliveries?${MONTH}&destinationId=1&status=error`;
    expect(shownIds(readAll(world, path, 500))).toEqual(expected);
  });

  test('404 for a destination that is not accessible', () => {
    const stranger = DEMO.destinations.find(({ connectionId }) => connectionId === 4)?.id;
    const message = `Destination ${stranger} not found`;
    expect(refusal(world, `/api/v1/deliveries?${MONTH}&destinationId=${stranger}`)).toEqual([404, message]);
    expect(refusal(world, `/api/v1/destinations/${stranger}/deliveries?${MONTH}`)).toEqual([404, message]);
    expect(refusal(world, `/api/v1/destinations/${stranger}/deliveries/metrics?${MONTH}`)).toEqual([404, message]);
  });
});

describe('getDestinationDeliveryMetrics', () => {
  test('200 with the counts of the destination', () => {
    for (const { id } of DEMO.destinations.filter(ofConnections(MAIN))) {
      const rows = DEMO.deliveries.filter(({ destinationId }) => destinationId === id);
      const counts = read(world, `/api/v1/destinations/${id}/deliveries/metrics?${MONTH}`);
      expect(counts.success + counts.error).toBe(rows.length);
    }
  });
});

describe('listEvents', () => {
  const visible = (ids: readonly number[]) =>
    DEMO.events.filter((row) => row.accountId === 1 && (row.connectionId === null || ids.includes(row.connectionId)));
  const isDelivered = (id: string) =>
    DEMO.webhookDeliveries.some((row) => row.eventId === id && row.status === 'SUCCEEDED');

  test('200 with events of the account and of visible connections', () => {
    expect(shownIds(readAll(world, '/api/v1/events', 3))).toEqual(listed(visible(MAIN), () => true));
    const own = readAll(world, '/api/v1/events', 100, 'osapi_demo_connection_read');
    expect(shownIds(own)).toEqual(listed(visible([1]), () => true));
    expect(own.some(({ connectionId }) => connectionId === null)).toBe(true);
  });

  test.each([true, false])('200 with delivered=%s', (delivered) => {
    const rows = readAll(world, `/api/v1/events?delivered=${delivered}`, 2);
    expect(shownIds(rows)).toEqual(listed(visible(MAIN), ({ id }) => isDelivered(id) === delivered));
    for (const row of rows) expect(row.delivered).toBe(delivered);
  });

  test('200 with the requested types', () => {
    const rows = readAll(world, '/api/v1/events?type=sync.failed&type=test.ping', 100);
    expect(shownIds(rows)).toEqual(listed(visible(MAIN), ({ type }) => type !== 'sync.recovered'));
    expect(ask(world, '/api/v1/events?type=connection.failed').status).toBe(400);
  });
});

describe('getEvent', () => {
  test('200 with its deliveries, newest first', () => {
    for (const event of readAll(world, '/api/v1/events', 100)) {
      const { deliveries, ...shown } = read(world, `/api/v1/events/${event.id}`);
      expect(shown).toEqual(event);
      expect(shownIds(deliveries)).toEqual(listed(DEMO.webhookDeliveries, (row) => row.eventId === event.id));
    }
  });

  test('404 for an event of a connection that the key does not see', () => {
    const hidden = DEMO.events.find(({ connectionId }) => connectionId === 4)?.id;
    expect(refusal(world, `/api/v1/events/${hidden}`)).toEqual([404, `Event ${hidden} not found`]);
    const other = DEMO.events.find(({ connectionId }) => connectionId === 2)?.id;
    expect(ask(world, `/api/v1/events/${other}`).status).toBe(200);
    expect(ask(world, `/api/v1/events/${other}`, { key: 'osapi_demo_connection' }).status).toBe(404);
  });
});

describe('listWebhookDeliveries', () => {
  const webhook = DEMO.webhookDeliveries[0]?.webhookId;

  test("200 with the webhook's deliveries, of all statuses or one", () => {
    const path = `/api/v1/webhooks/${webhook}/deliveries`;
    const ofWebhook = (row: { readonly webhookId: string }) => row.webhookId === webhook;
    expect(shownIds(readAll(world, path, 2))).toEqual(listed(DEMO.webhookDeliveries, ofWebhook));
    for (const status of ['PENDING', 'SUCCEEDED', 'FAILED', 'DEAD']) {
      const expected = listed(DEMO.webhookDeliveries, (row) => ofWebhook(row) && row.status === status);
      expect(shownIds(readAll(world, `${path}?status=${status}`, 1))).toEqual(expected);
    }
  });
});

describe('a scan cap', () => {
  const capped = createDemoWorld({ settings: { scanCap: 40 } });

  test.each([
    ['syncs', `/api/v1/syncs?${MONTH}&status=error`],
    ['requests', `/api/v1/requests?${MONTH}&sourceId=1`],
    ['deliveries', `/api/v1/deliveries?${MONTH}&status=error`],
    ['events', '/api/v1/events?delivered=false'],
  ])('makes short and empty pages of %s that together are the whole list', (_name, target) => {
    expect(readAll(capped, target, 25)).toEqual(readAll(world, target, 25));
  });

  test('ends a page at a row that the key sees', () => {
    const tight = createDemoWorld({ settings: { scanCap: 1 } });
    const first = read(tight, `/api/v1/syncs?${MONTH}&status=error`);
    const [newest] = DEMO.syncs.filter(ofConnections(MAIN)).toSorted(compareNewestFirst);
    if (newest === undefined) throw new Error('the demo world has syncs');
    const data = newest.status === 'error' ? [expect.objectContaining({ id: newest.id })] : [];
    const nextCursor = encodeCursor({ rows: 'sync', createdAt: newest.createdAt, id: newest.id });
    expect(first).toEqual({ data, hasMore: true, nextCursor });
  });

  test('does not exceed the limit', () => {
    expect(read(capped, `/api/v1/syncs?${MONTH}&limit=40`).data).toHaveLength(40);
    expect(read(capped, `/api/v1/syncs?${MONTH}&limit=39`).data).toHaveLength(39);
    expect(read(capped, `/api/v1/syncs?${MONTH}&limit=500`).data).toHaveLength(40);
  });
});
