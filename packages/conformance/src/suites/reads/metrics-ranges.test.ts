/**
 * `getAccountMetrics` and the metrics of each log: they count what the lists show, rows at both ends of the range
 * included.
 */
import { countDeliveries, countSyncs } from '@svc/domain/syncs/metrics';
import { describe, expect, test } from 'vitest';
import { onEveryTarget } from '../../harness/suite.ts';
import { visibleDeliveries, visibleRequests, visibleSyncs, within } from '../../harness/world.ts';

interface Range {
  readonly from: string;
  readonly to: string;
}

const KEY = 'osapi_demo_read';
const REQUESTS = visibleRequests(KEY);
const SYNCS = visibleSyncs(KEY);
const DELIVERIES = visibleDeliveries(KEY);
const OF_DESTINATION = DELIVERIES.filter(({ destinationId }) => destinationId === 1);

/** Returns ranges between two rows: with both ends, without either end, and a single row. */
function rangesOf(rows: readonly { readonly createdAt: Date }[]): Range[] {
  const newest = rows[Math.floor(rows.length / 4)];
  const oldest = rows[Math.floor(rows.length / 2)];
  if (newest === undefined || oldest === undefined) throw new Error('the log is too short for this case');
  const at = (row: { readonly createdAt: Date }, ms = 0) => new Date(row.createdAt.getTime() + ms).toISOString();
  return [
    { from: at(oldest), to: at(newest) },
    { from: at(oldest, 1), to: at(newest) },
    { from: at(oldest), to: at(newest, -1) },
    { from: at(newest), to: at(newest) },
  ];
}

onEveryTarget((api) => {
  describe('getRequestMetrics', () => {
    test.each(rangesOf(REQUESTS))('200 with the requests from $from to $to', async (query) => {
      const answer = await api.read('getRequestMetrics', { key: KEY, query: { ...query } });
      expect(answer).toEqual({ count: within(REQUESTS, query).length });
    });
  });

  describe('getSyncMetrics', () => {
    test.each(rangesOf(SYNCS))('200 with the syncs from $from to $to', async (query) => {
      const answer = await api.read('getSyncMetrics', { key: KEY, query: { ...query } });
      expect(answer).toEqual(countSyncs(within(SYNCS, query)));
    });
  });

  describe('getDestinationDeliveryMetrics', () => {
    test.each(rangesOf(OF_DESTINATION))('200 with the deliveries from $from to $to', async (query) => {
      const call = { key: KEY, params: { id: 1 }, query: { ...query } };
      const answer = await api.read('getDestinationDeliveryMetrics', call);
      expect(answer).toEqual(countDeliveries(within(OF_DESTINATION, query)));
    });
  });

  describe('getAccountMetrics', () => {
    const ranges = [REQUESTS, SYNCS, DELIVERIES].flatMap(rangesOf);
    test.each(ranges)('200 with all counts from $from to $to', async (query) => {
      expect(await api.read('getAccountMetrics', { key: KEY, query: { ...query } })).toEqual({
        ...query,
        requests: { count: within(REQUESTS, query).length },
        syncs: countSyncs(within(SYNCS, query)),
        destinationDeliveries: countDeliveries(within(DELIVERIES, query)),
      });
    });
  });
});
