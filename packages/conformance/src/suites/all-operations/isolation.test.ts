/**
 * Tenant isolation of reads: every key calls every operation with an id or a filter for rows that it does not see (of other tenants,
 * of a connection without API access, of another connection of its account). The answer must be identical to that for an id that
 * does not exist.
 */
import type { OperationId } from '@svc/contract/operations';
import { describe, expect, test } from 'vitest';
import { comparableAnswer } from '../../harness/comparable-answer.ts';
import type { Call, Query } from '../../harness/client.ts';
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

interface Probe {
  readonly operationId: OperationId;
  readonly status: 200 | 404;
  readonly kind: 'source' | 'destination' | 'sync' | 'connection';
  /** Returns the call for an id; undefined when the key cannot make it. */
  readonly callFor: (id: number, key: string) => Call | undefined;
}

const inQuery =
  (name: string, range: Query = MONTH) =>
  (id: number): Call => ({ query: { ...range, [name]: id } });
const inPath =
  (name: string, query: Query = MONTH) =>
  (id: number): Call => ({ params: { [name]: id }, query });

const PROBES: readonly Probe[] = [
  { operationId: 'getDestination', status: 404, kind: 'destination', callFor: inPath('id', {}) },
  { operationId: 'listDestinationDeliveries', status: 404, kind: 'destination', callFor: inPath('id') },
  { operationId: 'getDestinationDeliveryMetrics', status: 404, kind: 'destination', callFor: inPath('id') },
  { operationId: 'listDeliveries', status: 404, kind: 'destination', callFor: inQuery('destinationId') },
  { operationId: 'getSync', status: 404, kind: 'sync', callFor: inPath('id', {}) },
  { operationId: 'listSourceRequests', status: 404, kind: 'source', callFor: inPath('sourceId') },
  { operationId: 'listSourceSyncs', status: 404, kind: 'source', callFor: inPath('sourceId') },
  { operationId: 'listRequests', status: 404, kind: 'source', callFor: inQuery('sourceId') },
  { operationId: 'getRequestMetrics', status: 404, kind: 'source', callFor: inQuery('sourceId') },
  { operationId: 'listSyncs', status: 404, kind: 'source', callFor: inQuery('sourceId') },
  { operationId: 'getSyncMetrics', status: 404, kind: 'source', callFor: inQuery('sourceId') },
  { operationId: 'getAccountMetrics', status: 404, kind: 'source', callFor: inQuery('sourceId') },
  { operationId: 'listBlocklists', status: 200, kind: 'connection', callFor: inQuery('connectionId', {}) },
  { operationId: 'listSyncs', status: 200, kind: 'connection', callFor: inQuery('connectionId') },
  { operationId: 'getSyncMetrics', status: 200, kind: 'connection', callFor: inQuery('connectionId') },
  { operationId: 'getAccountMetrics', status: 200, kind: 'connection', callFor: inQuery('connectionId') },
  {
    operationId: 'listSourceSyncs',
    status: 200,
    kind: 'connection',
    callFor(connectionId, key) {
      const own = visibleRows(key, WORLD.sources)[0];
      return own && { params: { sourceId: own.id }, query: { ...MONTH, connectionId } };
    },
  },
];

const ROWS = {
  source: WORLD.sources,
  destination: WORLD.destinations,
  sync: WORLD.syncs,
  connection: WORLD.connections.map(({ id }) => ({ id, connectionId: id })),
} as const;

/** Returns one id of each connection that the key does not see. */
function hiddenIds(kind: Probe['kind'], key: string): number[] {
  const { connectionIds } = accessOf(key);
  const byConnection = new Map<number, number>();
  for (const { id, connectionId } of ROWS[kind])
    if (!connectionIds.includes(connectionId)) byConnection.set(connectionId, id);
  return [...byConnection.values()];
}

onEveryTarget((api) => {
  for (const { operationId, status, kind, callFor } of PROBES) {
    const keys = READING_KEYS.filter((key) => callFor(UNKNOWN_ID, key) !== undefined);
    describe(operationId, () => {
      test.each(keys)(`${status} to %s for a ${kind} it does not see, as for an unknown id`, async (key) => {
        const unknown = await api.call(operationId, { ...callFor(UNKNOWN_ID, key), key });
        expect(unknown.status).toBe(status);
        const ids = hiddenIds(kind, key);
        expect(ids.length).toBeGreaterThan(0);
        for (const id of ids) {
          const answer = await api.call(operationId, { ...callFor(id, key), key });
          expect(comparableAnswer(answer, id)).toEqual(comparableAnswer(unknown, UNKNOWN_ID));
        }
      });
    });
  }

  describe('getContactOutreach', () => {
    test.each(READING_KEYS)('200 to %s for a contact of other tenants, as for an unknown one', async (key) => {
      const own = new Set(visibleRows(key, WORLD.syncs).map(({ toEmail }) => toEmail.toLowerCase()));
      for (const { toEmail } of visibleRows(key, WORLD.deliveries)) own.add(toEmail?.toLowerCase() ?? '');
      const { connectionIds } = accessOf(key);
      for (const row of WORLD.categorySignals) if (connectionIds.includes(row.connectionId)) own.add(row.identity);
      const hidden = [...new Set(WORLD.syncs.map(({ toEmail }) => toEmail.toLowerCase()))].filter(
        (email) => email.includes('@') && !own.has(email),
      );
      expect(hidden.length).toBeGreaterThan(10);
      const unknown = await api.call('getContactOutreach', { key, query: { email: 'nobody@example.com' } });
      for (const email of [...hidden.slice(0, 25), 'category-emea@example.com'].filter((each) => !own.has(each))) {
        const answer = await api.call('getContactOutreach', { key, query: { email } });
        expect(comparableAnswer(answer, email)).toEqual(comparableAnswer(unknown, 'nobody@example.com'));
      }
    });
  });

  describe('listSyncs', () => {
    test('200: a cursor of another tenant is only a position', async () => {
      const theirs = await api.read('listSyncs', { key: 'osapi_demo_other', query: { ...MONTH, limit: 10 } });
      const place = within(visibleSyncs('osapi_demo_other'), MONTH)[9];
      if (place === undefined) throw new Error('the other tenant has too few syncs for this case');
      const own = await api.read('listSyncs', { query: { ...MONTH, limit: 500, cursor: theirs.nextCursor } });
      const expected = within(visibleSyncs('osapi_demo_read'), MONTH).filter(
        (row) =>
          row.createdAt < place.createdAt ||
          (row.createdAt.getTime() === place.createdAt.getTime() && row.id < place.id),
      );
      expect(own.data.map(({ id }: { id: number }) => id)).toEqual(expected.slice(0, 500).map(({ id }) => id));
    });
  });
});
