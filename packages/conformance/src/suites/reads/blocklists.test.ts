import { toBlocklist } from '@svc/domain/resources';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { proveParameterRefusals } from '../../cases/parameters.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { accessOf, READING_KEYS, UNKNOWN_ID, visibleRows, WORLD } from '../../harness/world.ts';

onEveryTarget((api) => {
  describe('listBlocklists', () => {
    test.each(READING_KEYS)('200 with the block lists of %s by ascending id', async (key) => {
      const blocklists = visibleRows(key, WORLD.blocklists).map(toBlocklist);
      expect(await api.read('listBlocklists', { key })).toEqual({ blocklists });
    });

    test.each(READING_KEYS)(
      '200 with the block lists of each connection, none for those that %s does not see',
      async (key) => {
        for (const connectionId of [...WORLD.connections.map(({ id }) => id), UNKNOWN_ID]) {
          const isVisible = accessOf(key).connectionIds.includes(connectionId);
          const rows = isVisible
            ? visibleRows(key, WORLD.blocklists).filter((row) => row.connectionId === connectionId)
            : [];
          const answer = await api.read('listBlocklists', { key, query: { connectionId } });
          expect(answer).toEqual({ blocklists: rows.map(toBlocklist) });
        }
      },
    );

    test('200 with every status, paused or not', async () => {
      const { blocklists } = await api.read('listBlocklists');
      const statuses = new Set(blocklists.map(({ status }: { status: string }) => status));
      expect([...statuses].sort()).toEqual(['CREATED', 'FETCHING', 'SYNCED', 'SYNCING', 'SYNCING_NEW_CONTACTS']);
      expect(new Set(blocklists.map((row: { isEnabled: boolean }) => row.isEnabled)).size).toBe(2);
    });

    proveParameterRefusals(api, 'listBlocklists', {});
    proveKeyRefusals(api, 'listBlocklists', {}, { query: { connectionId: 'x' } });
  });
});
