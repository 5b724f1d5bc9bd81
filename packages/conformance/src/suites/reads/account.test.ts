import { accountStatus, RECENT_RECEIPTS_MAX, RECENT_RECEIPTS_MS } from '@svc/domain/account/account-status';
import { countDeliveries, countSyncs } from '@svc/domain/syncs/metrics';
import type { ConnectionRow } from '@svc/domain/world';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { proveMetricsIgnoreListParameters, proveParameterRefusals } from '../../cases/parameters.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import {
  accessOf,
  DAY_MS,
  MONTH,
  NOW,
  READING_KEYS,
  UNKNOWN_ID,
  visibleRows,
  visibleDeliveries,
  visibleRequests,
  visibleSyncs,
  within,
  WORLD,
} from '../../harness/world.ts';

onEveryTarget((api) => {
  describe('getAccountStatus', () => {
    test.each(READING_KEYS)('200 with the status of every connection that %s sees', async (key) => {
      expect(await api.read('getAccountStatus', { key })).toEqual(expectedStatus(key, api.target().baseUrl));
    });

    test('200 and not ready with a disconnected CRM; every component status occurs', async () => {
      const answer = await api.read('getAccountStatus');
      expect(answer.ready).toBe(false);
      expect(answer.blockers).toMatchObject([{ code: 'crm_disconnected', connectionId: 3, crm: 'PIPEDRIVE' }]);
      const parts = answer.connections.flatMap((part: Record<string, { status?: string }>) =>
        Object.values(part).flatMap((value) => value?.status ?? []),
      );
      expect([...new Set(parts)].sort()).toEqual(['disabled', 'disconnected', 'error', 'not_configured', 'ready']);
    });

    test('200 and ready for a connection key whose connection is ready', async () => {
      const answer = await api.read('getAccountStatus', { key: 'osapi_demo_connection_read' });
      expect([answer.ready, answer.connections.length, answer.blockers]).toEqual([true, 1, []]);
    });

    test('200 and ready with warnings', async () => {
      const answer = await api.read('getAccountStatus', { key: 'osapi_demo_empty' });
      expect(answer.warnings.map(({ code }: { code: string }) => code)).toEqual([
        'destinations_not_configured',
        'blocklists_not_configured',
      ]);
      expect(answer.ready).toBe(true);
    });

    proveKeyRefusals(api, 'getAccountStatus');

    test('200 with the time of the check', async () => {
      await api.target().clock.advance(1_234);
      const checkedAt = api.target().clock.now().toISOString();
      expect(await api.read('getAccountStatus')).toMatchObject({ checkedAt });
    });
  });

  describe('getAccountMetrics', () => {
    test.each(READING_KEYS)('200 with the counts of all rows that %s sees', async (key) => {
      const answer = await api.read('getAccountMetrics', { key, query: MONTH });
      expect(answer).toEqual(expectedMetrics(key, MONTH, {}));
    });

    test.each(READING_KEYS)(
      '200 with the counts of each source of %s; the filter does not apply to deliveries',
      async (key) => {
        await api.read('getAccountMetrics', { key, query: MONTH });
        for (const { id: sourceId } of visibleRows(key, WORLD.sources)) {
          const answer = await api.read('getAccountMetrics', { key, query: { ...MONTH, sourceId } });
          expect(answer).toEqual(expectedMetrics(key, MONTH, { sourceId }));
        }
      },
    );

    test.each(READING_KEYS)(
      '200 with the counts of each connection, zeros for those that %s does not see',
      async (key) => {
        for (const connectionId of [...WORLD.connections.map(({ id }) => id), UNKNOWN_ID]) {
          const answer = await api.read('getAccountMetrics', { key, query: { ...MONTH, connectionId } });
          expect(answer).toEqual(expectedMetrics(key, MONTH, { connectionId }));
        }
      },
    );

    test('200 with zero requests and syncs for an unrelated source and connection', async () => {
      const answer = await api.read('getAccountMetrics', { query: { ...MONTH, sourceId: 1, connectionId: 2 } });
      expect(answer).toEqual(expectedMetrics('osapi_demo_read', MONTH, { sourceId: 1, connectionId: 2 }));
      expect([answer.requests.count, answer.syncs.success]).toEqual([0, 0]);
      expect(answer.destinationDeliveries.success).toBeGreaterThan(0);
    });

    test('200 with the range as instants, and the same counts as the single metrics', async () => {
      const day = { from: '2026-03-20', to: '2026-03-25T00:00:00+02:00' };
      const answer = await api.read('getAccountMetrics', { query: day });
      const range = { from: '2026-03-20T00:00:00.000Z', to: '2026-03-24T22:00:00.000Z' };
      expect(answer).toEqual(expectedMetrics('osapi_demo_read', range, {}));
      expect(await api.read('getRequestMetrics', { query: day })).toEqual(answer.requests);
      expect(await api.read('getSyncMetrics', { query: day })).toEqual(answer.syncs);
    });

    test('404 for a source that the key does not see, with any connectionId', async () => {
      for (const sourceId of [9, 13, UNKNOWN_ID]) {
        for (const connectionId of [undefined, 1, 5, UNKNOWN_ID]) {
          const answer = await api.call('getAccountMetrics', { query: { ...MONTH, sourceId, connectionId } });
          expect([answer.status, answer.json.message]).toEqual([404, `Source ${sourceId} not found`]);
        }
      }
    });

    test('400 for an invalid parameter even if the source is not visible', async () => {
      const long = { ...MONTH, from: new Date(NOW.getTime() - 40 * DAY_MS).toISOString() };
      const inRange = { ...MONTH, connectionId: 'x' };
      for (const query of [long, inRange]) {
        const answer = await api.call('getAccountMetrics', { query: { ...query, sourceId: UNKNOWN_ID } });
        expect(answer.status).toBe(400);
      }
    });

    proveMetricsIgnoreListParameters(api, 'getAccountMetrics', { query: MONTH });
    proveParameterRefusals(api, 'getAccountMetrics', { query: MONTH });
    proveKeyRefusals(api, 'getAccountMetrics', { query: MONTH }, {});
  });
});

function expectedStatus(key: string, baseUrl: string) {
  const { connectionIds } = accessOf(key);
  const connections = WORLD.connections.filter(({ id }) => connectionIds.includes(id)).map(factsOf);
  return accountStatus({ connections, now: NOW, dashboardUrl: `${baseUrl}/dashboard`, docsUrl: `${baseUrl}/docs` });
}

function factsOf(connection: ConnectionRow) {
  const own = <Row extends { connectionId: number }>(rows: readonly Row[]) =>
    rows.filter(({ connectionId }) => connectionId === connection.id);
  return {
    ...connection,
    hasCrmToken: connection.crmToken !== null,
    sources: own(WORLD.sources).map(({ id, platform }) => {
      const recentOutcomes = WORLD.requests
        .filter(
          ({ sourceId, createdAt }) => sourceId === id && createdAt.getTime() >= NOW.getTime() - RECENT_RECEIPTS_MS,
        )
        .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id)
        .slice(0, RECENT_RECEIPTS_MAX)
        .map(({ outcome }) => outcome);
      return { id, platform, recentOutcomes };
    }),
    destinations: own(WORLD.destinations).map(({ url, bindings }) => ({
      url,
      eventTypes: bindings.flatMap(({ eventTypes }) => eventTypes),
    })),
    replyRelays: own(WORLD.replyRelays).map(({ sourceIds }) => ({ isBound: sourceIds.length > 0 })),
    blocklists: own(WORLD.blocklists),
  };
}

function expectedMetrics(
  key: string,
  range: { from: string; to: string },
  { sourceId, connectionId }: { sourceId?: number; connectionId?: number },
) {
  const ofConnection = (row: { connectionId: number | null }) =>
    connectionId === undefined || row.connectionId === connectionId;
  const ofSource = (row: { sourceId: number | null }) => sourceId === undefined || row.sourceId === sourceId;
  const requests = within(visibleRequests(key), range).filter((row) => ofConnection(row) && ofSource(row));
  return {
    ...range,
    requests: { count: requests.length },
    syncs: countSyncs(within(visibleSyncs(key), range).filter((row) => ofConnection(row) && ofSource(row))),
    destinationDeliveries: countDeliveries(within(visibleDeliveries(key), range).filter(ofConnection)),
  };
}
