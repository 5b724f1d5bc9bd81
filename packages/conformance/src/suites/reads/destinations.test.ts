import { toDestination } from '@svc/domain/resources';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { provePathIds } from '../../cases/parameters.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { READING_KEYS, visibleRows, WORLD } from '../../harness/world.ts';

onEveryTarget((api) => {
  describe('listDestinations', () => {
    test.each(READING_KEYS)('200 with the destinations of %s by ascending id', async (key) => {
      const destinations = visibleRows(key, WORLD.destinations).map(toDestination);
      expect(await api.read('listDestinations', { key })).toEqual({ destinations });
    });

    test('200 with the union of the bindings; empty lists when unbound', async () => {
      const { destinations } = await api.read('listDestinations');
      const byId = new Map(destinations.map((row: { id: number }) => [row.id, row]));
      expect(byId.get(3)).toMatchObject({
        eventTypes: ['EMAIL_REPLY', 'LEAD_UNSUBSCRIBED'],
        isDelayed: true,
        sourceIds: [1, 2],
      });
      expect(byId.get(5)).toMatchObject({ eventTypes: [], isDelayed: false, sourceIds: [], description: '' });
    });

    test('200 and empty for an account without destinations', async () => {
      expect(await api.read('listDestinations', { key: 'osapi_demo_empty' })).toEqual({ destinations: [] });
    });

    proveKeyRefusals(api, 'listDestinations');
  });

  describe('getDestination', () => {
    test.each(READING_KEYS)('200 with each destination that %s sees, as listed', async (key) => {
      const asker = visibleRows(key, WORLD.destinations).length === 0 ? 'osapi_demo_read' : key;
      for (const row of visibleRows(asker, WORLD.destinations)) {
        expect(await api.read('getDestination', { key: asker, params: { id: row.id } })).toEqual(toDestination(row));
      }
    });

    provePathIds(api, 'getDestination', {}, { param: 'id', resource: 'Destination' });
    proveKeyRefusals(api, 'getDestination', { params: { id: 1 } }, { params: { id: 'x' } });
  });
});
