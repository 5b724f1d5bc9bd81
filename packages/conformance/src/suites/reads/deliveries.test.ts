import { DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import { countDeliveries } from '@svc/domain/syncs/metrics';
import { toDelivery } from '@svc/domain/resources';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { proveCursorWorksInOtherLists, provePaging, proveTies, readAll } from '../../cases/paging.ts';
import { proveMetricsIgnoreListParameters, proveParameterRefusals, provePathIds } from '../../cases/parameters.ts';
import type { Query } from '../../harness/client.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { MONTH, READING_KEYS, UNKNOWN_ID, visibleRows, visibleDeliveries, within, WORLD } from '../../harness/world.ts';

const MAIN = visibleDeliveries('osapi_demo_read');
const ofDestination = (id: number) => MAIN.filter((row) => row.destinationId === id);
const ofStatus = (status: string) => MAIN.filter((row) => row.status === status);
const BAD_STATUSES = ['warning', 'SUCCESS', 'SUCCEEDED', 'success,error', ['error', 'error']];
const HIDDEN_DESTINATIONS = [6, 7, UNKNOWN_ID];

/** Returns the key itself, or the main account's for a key that sees no destination. */
const keyWithDestinations = (key: string) =>
  visibleRows(key, WORLD.destinations).length === 0 ? 'osapi_demo_read' : key;

onEveryTarget((api) => {
  describe('listDeliveries', () => {
    const log = { operationId: 'listDeliveries', call: {}, rows: MAIN, toResource: toDelivery } as const;
    provePaging(api, log);
    proveTies(api, log);

    test.each(READING_KEYS)('200 with every delivery that %s sees', async (key) => {
      const all = await readAll(api, 'listDeliveries', { key, query: { ...MONTH, limit: 500 } });
      expect(all).toEqual(within(visibleDeliveries(key), MONTH).map(toDelivery));
    });

    test.each(DELIVERY_STATUSES)('200 with the deliveries of status %s, page by page', async (status) => {
      const all = await readAll(api, 'listDeliveries', { query: { ...MONTH, status, limit: 11 } });
      expect(all).toEqual(within(ofStatus(status), MONTH).map(toDelivery));
      expect(all.length).toBeGreaterThan(11);
    });

    test.each(READING_KEYS)(
      '200 with the deliveries of each destination that %s sees, in every status',
      async (key) => {
        await api.read('listDeliveries', { key, query: MONTH });
        for (const { id: destinationId } of visibleRows(key, WORLD.destinations)) {
          for (const status of [undefined, ...DELIVERY_STATUSES]) {
            const query = { ...MONTH, destinationId, status, limit: 100 };
            const expected = within(visibleDeliveries(key), MONTH).filter(
              (row) => row.destinationId === destinationId && (status === undefined || row.status === status),
            );
            expect(await readAll(api, 'listDeliveries', { key, query })).toEqual(expected.map(toDelivery));
          }
        }
      },
    );

    test('200 with historical rows without source, event type, recipient and HTTP status', async () => {
      const all = await readAll(api, 'listDeliveries', { query: { ...MONTH, limit: 500 } });
      for (const name of ['sourceId', 'eventType', 'toEmail', 'payloadId', 'httpStatus']) {
        expect(all, name).toContainEqual(expect.objectContaining({ [name]: null }));
      }
    });

    test('200 and empty for an account without destinations', async () => {
      const answer = await api.read('listDeliveries', { key: 'osapi_demo_empty', query: MONTH });
      expect(answer).toEqual({ data: [], hasMore: false, nextCursor: null });
    });

    proveCursorWorksInOtherLists(api, log, [
      ['listDeliveries', { query: { status: 'error' } }, ofStatus('error')],
      ['listDeliveries', { query: { destinationId: 4 } }, ofDestination(4)],
      ['listDestinationDeliveries', { params: { id: 1 } }, ofDestination(1)],
    ]);

    test('404 for a destination that the key does not see; 400 comes first', async () => {
      for (const destinationId of HIDDEN_DESTINATIONS) {
        const answer = await api.call('listDeliveries', { query: { ...MONTH, destinationId } });
        expect([answer.status, answer.json.message]).toEqual([404, `Destination ${destinationId} not found`]);
        for (const bad of [{ limit: 0 }, { status: 'x' }, { cursor: 'x' }, { to: 'x' }]) {
          expect((await api.call('listDeliveries', { query: { ...MONTH, destinationId, ...bad } })).status).toBe(400);
        }
      }
    });

    proveParameterRefusals(api, 'listDeliveries', { query: MONTH }, { rows: 'delivery', badStatuses: BAD_STATUSES });
    proveKeyRefusals(api, 'listDeliveries', { query: MONTH }, {});
  });

  describe('listDestinationDeliveries', () => {
    const params = { id: 1 };
    const log = {
      operationId: 'listDestinationDeliveries',
      call: { params },
      rows: ofDestination(1),
      toResource: toDelivery,
    } as const;
    provePaging(api, log);

    test.each(READING_KEYS)('200 with the deliveries of each destination of %s', async (key) => {
      const asker = keyWithDestinations(key);
      for (const { id } of visibleRows(asker, WORLD.destinations)) {
        const query = { ...MONTH, limit: 500 };
        const all = await readAll(api, 'listDestinationDeliveries', { key: asker, params: { id }, query });
        const expected = within(visibleDeliveries(asker), MONTH).filter((row) => row.destinationId === id);
        expect(all).toEqual(expected.map(toDelivery));
      }
    });

    test.each(DELIVERY_STATUSES)('200 with the deliveries of status %s, page by page', async (status) => {
      const all = await readAll(api, 'listDestinationDeliveries', { params, query: { ...MONTH, status, limit: 7 } });
      expect(all).toEqual(
        within(ofStatus(status), MONTH)
          .filter((row) => row.destinationId === 1)
          .map(toDelivery),
      );
    });

    test('200: destinationId in the query is ignored', async () => {
      const plain = await api.read('listDestinationDeliveries', { params, query: MONTH });
      for (const destinationId of ['2', '7', 'x', '', ['1', '2']]) {
        const query = { ...MONTH, destinationId };
        expect(await api.read('listDestinationDeliveries', { params, query })).toEqual(plain);
      }
    });

    provePathIds(api, 'listDestinationDeliveries', { query: MONTH }, { param: 'id', resource: 'Destination' });
    test('404 comes after 400', async () => {
      const call = (query: Query) => api.call('listDestinationDeliveries', { params: { id: 7 }, query });
      expect((await call({ ...MONTH, status: 'x' })).status).toBe(400);
      expect((await call(MONTH)).status).toBe(404);
    });
    proveParameterRefusals(
      api,
      'listDestinationDeliveries',
      { params, query: MONTH },
      { rows: 'delivery', badStatuses: BAD_STATUSES },
    );
    proveKeyRefusals(api, 'listDestinationDeliveries', { params, query: MONTH }, { params });
  });

  describe('getDestinationDeliveryMetrics', () => {
    const params = { id: 1 };

    test.each(READING_KEYS)('200 with the counts of the list of each destination of %s', async (key) => {
      const asker = keyWithDestinations(key);
      for (const { id } of visibleRows(asker, WORLD.destinations)) {
        const call = { key: asker, params: { id } };
        const expected = within(visibleDeliveries(asker), MONTH).filter((row) => row.destinationId === id);
        const counts = await api.read('getDestinationDeliveryMetrics', { ...call, query: MONTH });
        expect(counts).toEqual(countDeliveries(expected));
        const listed = await readAll(api, 'listDestinationDeliveries', { ...call, query: { ...MONTH, limit: 500 } });
        expect(counts.success + counts.error).toBe(listed.length);
      }
    });

    test('200 with http2xx counted by HTTP status, not by success', async () => {
      const counts = await api.read('getDestinationDeliveryMetrics', { params, query: MONTH });
      expect(counts.http2xx).not.toBe(counts.success);
    });

    provePathIds(api, 'getDestinationDeliveryMetrics', { query: MONTH }, { param: 'id', resource: 'Destination' });
    proveMetricsIgnoreListParameters(api, 'getDestinationDeliveryMetrics', { params, query: MONTH });
    proveParameterRefusals(api, 'getDestinationDeliveryMetrics', { params, query: MONTH });
    proveKeyRefusals(api, 'getDestinationDeliveryMetrics', { params, query: MONTH }, { params });
  });
});
