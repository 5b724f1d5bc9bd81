import { EVENT_TYPES, PREFIXES } from '@svc/contract/vocabulary';
import { canSeeEvent } from '@svc/domain/requests/access';
import { compareNewestFirst } from '@svc/domain/requests/page';
import { toPlatformEvent, toPlatformEventWithDeliveries } from '@svc/domain/resources';
import type { EventRow } from '@svc/domain/world';
import { describe, expect, test } from 'vitest';
import { proveAccess } from '../../cases/access.ts';
import { proveFeed, proveFeedRefusals } from '../../cases/feeds.ts';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { readAll } from '../../cases/paging.ts';
import { provePrefixedPathIds } from '../../cases/parameters.ts';
import type { Query } from '../../harness/client.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { accessOf, READING_KEYS, WORLD } from '../../harness/world.ts';

const KEYS = READING_KEYS.filter((key) => key !== 'osapi_demo_no_webhooks');
const deliveriesOf = (eventId: string) => WORLD.webhookDeliveries.filter((row) => row.eventId === eventId);
const isDelivered = ({ id }: EventRow) => deliveriesOf(id).some(({ status }) => status === 'SUCCEEDED');
const toResource = (row: EventRow) => toPlatformEvent(row, isDelivered(row));

function visibleEvents(key: string): EventRow[] {
  const access = accessOf(key);
  return WORLD.events
    .filter((row) => row.accountId === access.accountId && canSeeEvent(access, row.connectionId))
    .toSorted(compareNewestFirst);
}

const MAIN = visibleEvents('osapi_demo_read');

onEveryTarget((api) => {
  describe('listEvents', () => {
    proveFeed(api, { operationId: 'listEvents', call: {}, rows: MAIN, toResource });

    test.each(KEYS)('200 with every event that %s sees', async (key) => {
      const all = await readAll(api, 'listEvents', { key, query: { limit: 9 } });
      expect(all).toEqual(visibleEvents(key).map(toResource));
    });

    test('200: a connection key sees events of its connection and of the account; no key sees a hidden connection', async () => {
      const connections = async (key: string) => {
        const rows = await readAll(api, 'listEvents', { key, query: { limit: 100 } });
        return new Set((rows as EventRow[]).map(({ connectionId }) => connectionId));
      };
      expect(await connections('osapi_demo_connection_read')).toEqual(new Set([null, 1]));
      expect(await connections('osapi_demo_connection_salesforce')).toEqual(new Set([null, 2]));
      expect(await connections('osapi_demo_read')).toEqual(new Set([null, 1, 2, 3]));
      expect(WORLD.events.some(({ accountId, connectionId }) => accountId === 1 && connectionId === 4)).toBe(true);
    });

    const filters: Query[] = [
      ...EVENT_TYPES.map((type) => ({ type })),
      { type: ['sync.failed', 'test.ping'] },
      { type: ['test.ping', 'sync.recovered', 'test.ping'] },
      { type: [...EVENT_TYPES] },
      { delivered: 'true' },
      { delivered: 'false' },
      { type: 'sync.failed', delivered: 'false' },
      { type: ['sync.failed', 'sync.recovered'], delivered: 'true' },
    ];
    test.each(filters)('200 for %j, page by page', async (filter) => {
      for (const key of ['osapi_demo_read', 'osapi_demo_connection_read']) {
        const types = [filter['type'] ?? []].flat();
        const expected = visibleEvents(key).filter(
          (row) =>
            (types.length === 0 || types.includes(row.type)) &&
            (filter['delivered'] === undefined || String(isDelivered(row)) === filter['delivered']),
        );
        expect(expected.length).toBeGreaterThan(0);
        const all = await readAll(api, 'listEvents', { key, query: { ...filter, limit: 4 } });
        expect(all).toEqual(expected.map(toResource));
      }
    });

    test('200: events of the same millisecond are ordered by descending id, compared bytewise', async () => {
      const ids = MAIN.map(({ id }) => id);
      const ties = MAIN.filter((row, index) => MAIN[index - 1]?.createdAt.getTime() === row.createdAt.getTime());
      expect(ties.length).toBeGreaterThan(0);
      const listed = await readAll(api, 'listEvents', { query: { limit: 1 } });
      expect((listed as EventRow[]).map(({ id }) => id)).toEqual(ids);
      expect(ids.indexOf('osevt_demo0012a')).toBe(ids.indexOf('osevt_demo0012Z') - 1);
    });

    test('200: a cursor works with another filter', async () => {
      const { data, nextCursor } = await api.read('listEvents', { query: { limit: 10 } });
      const place = data.at(-1).id;
      const rest = await api.read('listEvents', { query: { type: 'sync.failed', limit: 100, cursor: nextCursor } });
      const below = MAIN.slice(MAIN.findIndex(({ id }) => id === place) + 1).filter(
        ({ type }) => type === 'sync.failed',
      );
      expect(rest.data).toEqual(below.map(toResource));
    });

    proveFeedRefusals(api, 'listEvents', {}, 'event', [
      ...['', 'sync.broken', 'Sync.failed', 'sync.*', 'connection.lost', 'sync.failed,test.ping'].map((type) => ({
        type,
      })),
      { type: ['sync.failed', ''] },
      { type: ['sync.failed', 'x'] },
      ...['', '1', '0', 'yes', 'TRUE', 'null'].map((delivered) => ({ delivered })),
      { delivered: ['true', 'true'] },
    ]);
    proveAccess(api, 'listEvents', {}, { query: { limit: 0 } });
    proveKeyRefusals(api, 'listEvents', {}, { query: { limit: 0 } });
  });

  describe('getEvent', () => {
    test.each(KEYS)('200 with each event that %s sees and its deliveries', async (key) => {
      for (const row of visibleEvents(key)) {
        const answer = await api.read('getEvent', { key, params: { id: row.id } });
        expect(answer).toEqual(toPlatformEventWithDeliveries(row, deliveriesOf(row.id)));
      }
      if (visibleEvents(key).length > 0) return;
      await api.read('getEvent', { params: { id: MAIN[0]?.id ?? '' } });
    });

    test('200 with deliveries newest first, including those to a deleted webhook', async () => {
      const row = MAIN.find(({ id }) => deliveriesOf(id).some(({ webhookId }) => webhookId === 'oswhk_demo05'));
      const answer = await api.read('getEvent', { params: { id: row?.id ?? '' } });
      expect(answer.deliveries).toContainEqual(expect.objectContaining({ endpointId: 'oswhk_demo05' }));
      const times = answer.deliveries.map(({ createdAt }: { createdAt: string }) => createdAt);
      expect(times).toEqual(times.toSorted().toReversed());
    });

    test('200 with delivered false when no delivery has succeeded', async () => {
      const undelivered = MAIN.filter((row) => !isDelivered(row));
      expect(undelivered.length).toBeGreaterThan(0);
      for (const { id } of undelivered) expect((await api.read('getEvent', { params: { id } })).delivered).toBe(false);
    });

    test.each(KEYS)('404 to %s for each event that it does not see', async (key) => {
      const own = new Set(visibleEvents(key).map(({ id }) => id));
      for (const { id } of WORLD.events.filter((row) => !own.has(row.id))) {
        const answer = await api.call('getEvent', { key, params: { id } });
        expect([answer.status, answer.json.message]).toEqual([404, `Event ${id} not found`]);
      }
    });

    provePrefixedPathIds(api, 'getEvent', {}, { param: 'id', resource: 'Event', prefix: PREFIXES.event });
    proveAccess(api, 'getEvent', { params: { id: MAIN[0]?.id ?? '' } }, { params: { id: 'x' } });
    proveKeyRefusals(api, 'getEvent', { params: { id: MAIN[0]?.id ?? '' } }, { params: { id: 'x' } });
  });
});
