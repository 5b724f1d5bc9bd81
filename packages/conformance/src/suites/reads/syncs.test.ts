import { SYNC_STATUSES } from '@svc/contract/vocabulary';
import { countSyncs } from '@svc/domain/syncs/metrics';
import { toSync } from '@svc/domain/resources';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { proveCursorWorksInOtherLists, provePaging, proveTies, readAll } from '../../cases/paging.ts';
import { proveMetricsIgnoreListParameters, proveParameterRefusals, provePathIds } from '../../cases/parameters.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import {
  accessOf,
  MONTH,
  READING_KEYS,
  UNKNOWN_ID,
  visibleRows,
  visibleSyncs,
  within,
  WORLD,
} from '../../harness/world.ts';

const MAIN = visibleSyncs('osapi_demo_read');
const ofSource = (sourceId: number) => MAIN.filter((row) => row.sourceId === sourceId);
const ofStatus = (status: string) => MAIN.filter((row) => row.status === status);
const EMPTY = { data: [], hasMore: false, nextCursor: null };
const BAD_STATUSES = ['failed', 'SUCCESS', 'success ', 'success,error', ['error', 'error']];
const CONNECTION_IDS = [...WORLD.connections.map(({ id }) => id), UNKNOWN_ID];

onEveryTarget((api) => {
  describe('listSyncs', () => {
    const log = { operationId: 'listSyncs', call: {}, rows: MAIN, toResource: toSync } as const;
    provePaging(api, log);
    proveTies(api, log);

    test.each(READING_KEYS)('200 with every sync that %s sees', async (key) => {
      const all = await readAll(api, 'listSyncs', { key, query: { ...MONTH, limit: 500 } });
      expect(all).toEqual(within(visibleSyncs(key), MONTH).map(toSync));
    });

    test.each(SYNC_STATUSES)('200 with the syncs of status %s, page by page', async (status) => {
      const all = await readAll(api, 'listSyncs', { query: { ...MONTH, status, limit: 33 } });
      expect(all).toEqual(within(ofStatus(status), MONTH).map(toSync));
      expect(all.length).toBeGreaterThan(33);
    });

    test.each(READING_KEYS)(
      '200 with the syncs of each connection, none for those that %s does not see',
      async (key) => {
        for (const connectionId of CONNECTION_IDS) {
          const all = await readAll(api, 'listSyncs', { key, query: { ...MONTH, connectionId, limit: 500 } });
          const expected = within(visibleSyncs(key), MONTH).filter((row) => row.connectionId === connectionId);
          expect(all).toEqual(expected.map(toSync));
        }
      },
    );

    test.each(SYNC_STATUSES)('200 with all filters at once, status %s', async (status) => {
      for (const [sourceId, connectionId] of [
        [1, 1],
        [5, 2],
        [7, 3],
      ]) {
        const query = { ...MONTH, status, sourceId, connectionId, limit: 50 };
        const expected = within(ofStatus(status), MONTH).filter((row) => row.sourceId === sourceId);
        expect(await readAll(api, 'listSyncs', { query })).toEqual(expected.map(toSync));
      }
    });

    test('200 and empty for an unrelated source and connection', async () => {
      expect(await api.read('listSyncs', { query: { ...MONTH, sourceId: 1, connectionId: 2 } })).toEqual(EMPTY);
      expect(await api.read('listSyncs', { query: { ...MONTH, sourceId: 1, connectionId: 5 } })).toEqual(EMPTY);
    });

    test('200 and empty for an account without syncs', async () => {
      expect(await api.read('listSyncs', { key: 'osapi_demo_empty', query: MONTH })).toEqual(EMPTY);
    });

    proveCursorWorksInOtherLists(api, log, [
      ['listSyncs', { query: { status: 'error' } }, ofStatus('error')],
      ['listSyncs', { query: { connectionId: 2 } }, MAIN.filter(({ connectionId }) => connectionId === 2)],
      ['listSourceSyncs', { params: { sourceId: 1 } }, ofSource(1)],
    ]);

    test('404 for a source that the key does not see, with any connectionId; 400 comes first', async () => {
      for (const sourceId of [9, 13, 15, 16, UNKNOWN_ID]) {
        for (const connectionId of [undefined, 1, 4, 5, UNKNOWN_ID]) {
          const answer = await api.call('listSyncs', { query: { ...MONTH, sourceId, connectionId } });
          expect([answer.status, answer.json.message]).toEqual([404, `Source ${sourceId} not found`]);
        }
        for (const bad of [{ limit: 501 }, { connectionId: 'x' }, { status: 'x' }, { cursor: 'x' }]) {
          expect((await api.call('listSyncs', { query: { ...MONTH, sourceId, ...bad } })).status).toBe(400);
        }
      }
    });

    proveParameterRefusals(api, 'listSyncs', { query: MONTH }, { rows: 'sync', badStatuses: BAD_STATUSES });
    proveKeyRefusals(api, 'listSyncs', { query: MONTH }, {});
  });

  describe('listSourceSyncs', () => {
    const params = { sourceId: 1 };
    const log = { operationId: 'listSourceSyncs', call: { params }, rows: ofSource(1), toResource: toSync } as const;
    provePaging(api, log);

    test.each(READING_KEYS)('200 with the syncs of each source of %s', async (key) => {
      const asker = visibleRows(key, WORLD.sources).length === 0 ? 'osapi_demo_read' : key;
      for (const { id: sourceId } of visibleRows(asker, WORLD.sources)) {
        const query = { ...MONTH, limit: 500 };
        const all = await readAll(api, 'listSourceSyncs', { key: asker, params: { sourceId }, query });
        const expected = within(visibleSyncs(asker), MONTH).filter((row) => row.sourceId === sourceId);
        expect(all).toEqual(expected.map(toSync));
      }
    });

    test.each(SYNC_STATUSES)('200 with the syncs of status %s, page by page', async (status) => {
      const all = await readAll(api, 'listSourceSyncs', { params, query: { ...MONTH, status, limit: 9 } });
      expect(all).toEqual(
        within(ofStatus(status), MONTH)
          .filter(({ sourceId }) => sourceId === 1)
          .map(toSync),
      );
    });

    test('200 with connectionId: all syncs for its connection, none for any other', async () => {
      for (const connectionId of CONNECTION_IDS) {
        const query = { ...MONTH, connectionId, limit: 500 };
        const expected = connectionId === 1 ? within(ofSource(1), MONTH) : [];
        expect(await readAll(api, 'listSourceSyncs', { params, query })).toEqual(expected.map(toSync));
      }
    });

    test('200: sourceId in the query is ignored', async () => {
      const plain = await api.read('listSourceSyncs', { params, query: MONTH });
      for (const sourceId of ['2', '13', 'x', '', ['1', '2']]) {
        expect(await api.read('listSourceSyncs', { params, query: { ...MONTH, sourceId } })).toEqual(plain);
      }
    });

    provePathIds(api, 'listSourceSyncs', { query: MONTH }, { param: 'sourceId', resource: 'Source' });
    test('404 comes after 400 and before the filter connectionId', async () => {
      const call = (query: object) =>
        api.call('listSourceSyncs', { params: { sourceId: 13 }, query: { ...MONTH, ...query } });
      expect((await call({ status: 'x' })).status).toBe(400);
      expect((await call({ connectionId: 5 })).status).toBe(404);
    });
    proveParameterRefusals(
      api,
      'listSourceSyncs',
      { params, query: MONTH },
      { rows: 'sync', badStatuses: BAD_STATUSES },
    );
    proveKeyRefusals(api, 'listSourceSyncs', { params, query: MONTH }, { params });
  });

  describe('getSync', () => {
    test.each(READING_KEYS)('200 with one row of each kind that %s sees, as listed', async (key) => {
      const asker = visibleSyncs(key).length === 0 ? 'osapi_demo_read' : key;
      const kinds = Map.groupBy(visibleSyncs(asker), (row) =>
        [row.connectionId, row.status, row.sourceId === null, row.payloadId === null, row.error === null].join(),
      );
      for (const [row] of kinds.values()) {
        if (row === undefined) continue;
        expect(await api.read('getSync', { key: asker, params: { id: row.id } })).toEqual(toSync(row));
      }
    });

    test('200 with null for a missing source', async () => {
      const row = MAIN.find(({ sourceId }) => sourceId === null);
      if (row === undefined) throw new Error('The demo world has no sync without source.');
      expect(await api.read('getSync', { params: { id: row.id } })).toMatchObject({ sourceId: null });
    });

    provePathIds(api, 'getSync', {}, { param: 'id', resource: 'Sync' });
    proveKeyRefusals(api, 'getSync', { params: { id: MAIN[0]?.id ?? 0 } }, { params: { id: 'x' } });
  });

  describe('getSyncMetrics', () => {
    test.each(READING_KEYS)(
      '200 with the counts of the lists of %s: in total, per source, per connection',
      async (key) => {
        const filters = [
          {},
          ...visibleRows(key, WORLD.sources).map(({ id }) => ({ sourceId: id })),
          ...accessOf(key).connectionIds.map((id) => ({ connectionId: id })),
        ];
        for (const filter of filters) {
          const query = { ...MONTH, ...filter };
          const expected = within(visibleSyncs(key), MONTH).filter((row) =>
            Object.entries(filter).every(([name, value]) =>
              Object.entries(row).some(([k, v]) => k === name && v === value),
            ),
          );
          const counts = await api.read('getSyncMetrics', { key, query });
          expect(counts).toEqual(countSyncs(expected));
          const listed = await readAll(api, 'listSyncs', { key, query: { ...query, limit: 500 } });
          expect(counts.success + counts.warning + counts.error).toBe(listed.length);
        }
      },
    );

    test('200 with zeros for connections that the key does not see, unrelated filters and an empty account', async () => {
      const zeros = { success: 0, warning: 0, error: 0 };
      for (const connectionId of [4, 5, 6, 7, 8, UNKNOWN_ID]) {
        expect(await api.read('getSyncMetrics', { query: { ...MONTH, connectionId } })).toEqual(zeros);
      }
      expect(await api.read('getSyncMetrics', { query: { ...MONTH, sourceId: 1, connectionId: 2 } })).toEqual(zeros);
      expect(await api.read('getSyncMetrics', { key: 'osapi_demo_empty', query: MONTH })).toEqual(zeros);
    });

    test('404 for a source that the key does not see, with any connectionId', async () => {
      for (const sourceId of [9, 13, 15, 16, UNKNOWN_ID]) {
        for (const connectionId of [undefined, 1, 5]) {
          const answer = await api.call('getSyncMetrics', { query: { ...MONTH, sourceId, connectionId } });
          expect([answer.status, answer.json.message]).toEqual([404, `Source ${sourceId} not found`]);
        }
      }
    });

    proveMetricsIgnoreListParameters(api, 'getSyncMetrics', { query: { ...MONTH, sourceId: 1, connectionId: 1 } });
    proveParameterRefusals(api, 'getSyncMetrics', { query: MONTH });
    proveKeyRefusals(api, 'getSyncMetrics', { query: MONTH }, {});
  });
});
