import { toRequestReceipt } from '@svc/domain/resources';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { proveCursorWorksInOtherLists, provePaging, proveTies, readAll } from '../../cases/paging.ts';
import { proveMetricsIgnoreListParameters, proveParameterRefusals, provePathIds } from '../../cases/parameters.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { MONTH, READING_KEYS, UNKNOWN_ID, visibleRows, visibleRequests, within, WORLD } from '../../harness/world.ts';

const MAIN = visibleRequests('osapi_demo_read');
const ofSource = (sourceId: number) => MAIN.filter((row) => row.sourceId === sourceId);

onEveryTarget((api) => {
  describe('listRequests', () => {
    const log = { operationId: 'listRequests', call: {}, rows: MAIN, toResource: toRequestReceipt } as const;
    provePaging(api, log);
    proveTies(api, log);

    test.each(READING_KEYS)('200 with every receipt that %s sees', async (key) => {
      const all = await readAll(api, 'listRequests', { key, query: { ...MONTH, limit: 500 } });
      expect(all).toEqual(within(visibleRequests(key), MONTH).map(toRequestReceipt));
    });

    test.each(READING_KEYS)('200 with the receipts of each source that %s sees', async (key) => {
      await api.read('listRequests', { key, query: MONTH });
      for (const { id: sourceId } of visibleRows(key, WORLD.sources)) {
        const all = await readAll(api, 'listRequests', { key, query: { ...MONTH, sourceId, limit: 500 } });
        const expected = within(visibleRequests(key), MONTH).filter((row) => row.sourceId === sourceId);
        expect(all).toEqual(expected.map(toRequestReceipt));
      }
    });

    test('200 with receipts of deleted sources for account keys only', async () => {
      const orphans = MAIN.filter(({ connectionId }) => connectionId === null);
      expect(orphans.length).toBeGreaterThan(0);
      const account = await readAll(api, 'listRequests', { query: { ...MONTH, limit: 500 } });
      for (const row of orphans) expect(account).toContainEqual(toRequestReceipt(row));
      const key = 'osapi_demo_connection_read';
      const connection = await readAll(api, 'listRequests', { key, query: { ...MONTH, limit: 500 } });
      expect(connection).not.toContainEqual(expect.objectContaining({ connectionId: null }));
    });

    test('200 and an empty page for an account without sources', async () => {
      const answer = await api.read('listRequests', { key: 'osapi_demo_empty', query: MONTH });
      expect(answer).toEqual({ data: [], hasMore: false, nextCursor: null });
    });

    proveCursorWorksInOtherLists(api, log, [
      ['listRequests', { query: { sourceId: 1 } }, ofSource(1)],
      ['listSourceRequests', { params: { sourceId: 5 } }, ofSource(5)],
    ]);

    test('404 for a source that the key does not see; an invalid parameter is 400 before that', async () => {
      for (const sourceId of [9, 13, 15, 16, UNKNOWN_ID]) {
        const answer = await api.call('listRequests', { query: { ...MONTH, sourceId } });
        expect([answer.status, answer.json.message]).toEqual([404, `Source ${sourceId} not found`]);
        expect((await api.call('listRequests', { query: { ...MONTH, sourceId, limit: 0 } })).status).toBe(400);
      }
    });

    proveParameterRefusals(api, 'listRequests', { query: MONTH }, { rows: 'request' });
    proveKeyRefusals(api, 'listRequests', { query: MONTH }, {});
  });

  describe('listSourceRequests', () => {
    const params = { sourceId: 1 };
    const log = {
      operationId: 'listSourceRequests',
      call: { params },
      rows: ofSource(1),
      toResource: toRequestReceipt,
    } as const;
    provePaging(api, log);

    test.each(READING_KEYS)('200 with the receipts of each source of %s', async (key) => {
      const asker = visibleRows(key, WORLD.sources).length === 0 ? 'osapi_demo_read' : key;
      for (const { id: sourceId } of visibleRows(asker, WORLD.sources)) {
        const all = await readAll(api, 'listSourceRequests', {
          key: asker,
          params: { sourceId },
          query: { ...MONTH, limit: 500 },
        });
        const expected = within(visibleRequests(asker), MONTH).filter((row) => row.sourceId === sourceId);
        expect(all).toEqual(expected.map(toRequestReceipt));
      }
    });

    test('200: sourceId in the query is ignored', async () => {
      const plain = await api.read('listSourceRequests', { params, query: MONTH });
      for (const sourceId of ['2', '13', 'x', '', ['1', '2']]) {
        expect(await api.read('listSourceRequests', { params, query: { ...MONTH, sourceId } })).toEqual(plain);
      }
    });

    provePathIds(api, 'listSourceRequests', { query: MONTH }, { param: 'sourceId', resource: 'Source' });
    test('404 comes after 400', async () => {
      const broken = await api.call('listSourceRequests', { params: { sourceId: 'x' }, query: {} });
      expect(broken.status).toBe(400);
      const valid = await api.call('listSourceRequests', { params: { sourceId: 'x' }, query: MONTH });
      expect(valid.status).toBe(404);
    });
    proveParameterRefusals(api, 'listSourceRequests', { params, query: MONTH }, { rows: 'request' });
    proveKeyRefusals(api, 'listSourceRequests', { params, query: MONTH }, { params });
  });

  describe('getRequestMetrics', () => {
    test.each(READING_KEYS)('200 with the count of the list of %s, in total and per source', async (key) => {
      const sources = [undefined, ...visibleRows(key, WORLD.sources).map(({ id }) => id)];
      for (const sourceId of sources) {
        const query = { ...MONTH, sourceId };
        const listed = await readAll(api, 'listRequests', { key, query: { ...query, limit: 500 } });
        const expected = within(visibleRequests(key), MONTH).filter(
          (row) => sourceId === undefined || row.sourceId === sourceId,
        );
        expect(await api.read('getRequestMetrics', { key, query })).toEqual({ count: expected.length });
        expect(listed).toHaveLength(expected.length);
      }
    });

    test('200 with both ends of the range included', async () => {
      const row = MAIN[100];
      if (row === undefined) throw new Error('the log is too short for this case');
      const at = row.createdAt.toISOString();
      const answer = await api.read('getRequestMetrics', { query: { from: at, to: at } });
      expect(answer).toEqual({ count: within(MAIN, { from: at, to: at }).length });
    });

    test('404 for a source that the key does not see', async () => {
      for (const sourceId of [9, 13, 15, 16, UNKNOWN_ID]) {
        const answer = await api.call('getRequestMetrics', { query: { ...MONTH, sourceId } });
        expect([answer.status, answer.json.message]).toEqual([404, `Source ${sourceId} not found`]);
      }
    });

    proveMetricsIgnoreListParameters(api, 'getRequestMetrics', { query: { ...MONTH, sourceId: 1 } });
    proveParameterRefusals(api, 'getRequestMetrics', { query: MONTH });
    proveKeyRefusals(api, 'getRequestMetrics', { query: MONTH }, {});
  });
});
