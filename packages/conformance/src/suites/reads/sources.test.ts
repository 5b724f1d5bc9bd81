import { toSource } from '@svc/domain/resources';
import type { SourceRow } from '@svc/domain/world';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { READING_KEYS, findRow, visibleRows, WORLD } from '../../harness/world.ts';

onEveryTarget((api) => {
  describe('listSources', () => {
    test.each(READING_KEYS)(
      '200 with the sources of %s by ascending id, with their destinations and relays',
      async (key) => {
        const sources = visibleRows(key, WORLD.sources).map((row) => expectedSource(row, api.target().baseUrl));
        expect(await api.read('listSources', { key })).toEqual({ sources });
      },
    );

    test('200 and empty for an account without sources', async () => {
      expect(await api.read('listSources', { key: 'osapi_demo_empty' })).toEqual({ sources: [] });
    });

    test('200 with URLs of both forms', async () => {
      const { sources } = await api.read('listSources');
      const urls = sources.map(({ url }: { url: string }) => url);
      expect(urls).toContain(`${api.target().baseUrl}/webhooks/demo-smartlead`);
      expect(urls).toContain(`${api.target().baseUrl}/webhooks/8100452/1207`);
    });

    proveKeyRefusals(api, 'listSources');
  });
});

function expectedSource(row: SourceRow, syncUrl: string) {
  const destinations = WORLD.destinations
    .toSorted((a, b) => a.id - b.id)
    .flatMap(({ url, description, bindings }) =>
      bindings
        .filter(({ sourceId }) => sourceId === row.id)
        .map(({ eventTypes, isDelayed }) => ({ url, description, eventTypes, isDelayed })),
    );
  const replyRelay = WORLD.replyRelays.find(({ sourceIds }) => sourceIds.includes(row.id)) ?? null;
  const { crm } = findRow(WORLD.connections, ({ id }) => id === row.connectionId, 'connection of the source');
  return toSource({ ...row, crm, destinations, replyRelay }, syncUrl);
}
