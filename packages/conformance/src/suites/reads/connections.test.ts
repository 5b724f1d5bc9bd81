import { toConnection } from '@svc/domain/resources';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { READING_KEYS, accessOf, WORLD } from '../../harness/world.ts';

onEveryTarget((api) => {
  describe('listConnections', () => {
    test.each(READING_KEYS)('200 with the connections of %s by ascending id', async (key) => {
      const { connectionIds } = accessOf(key);
      const connections = WORLD.connections
        .filter(({ id }) => connectionIds.includes(id))
        .toSorted((a, b) => a.id - b.id)
        .map((row) => toConnection({ ...row, hasCrmToken: row.crmToken !== null }));
      expect(connections.length > 0).toBe(key !== 'osapi_demo_connection_no_api');
      expect(await api.read('listConnections', { key })).toEqual({ connections });
    });

    test('200 in the order of getMe and getAccountStatus', async () => {
      const { connections } = await api.read('listConnections');
      const ids = connections.map(({ id }: { id: number }) => id);
      const me = await api.read('getMe');
      const status = await api.read('getAccountStatus');
      expect(me.connections.map(({ id }: { id: number }) => id)).toEqual(ids);
      expect(status.connections.map((part: { connectionId: number }) => part.connectionId)).toEqual(ids);
    });

    test('200 without CRM tokens', async () => {
      const { text } = await api.call('listConnections');
      const leaked = WORLD.connections.filter(({ crmToken }) => crmToken !== null && text.includes(crmToken));
      expect(leaked).toEqual([]);
    });

    proveKeyRefusals(api, 'listConnections');
  });
});
