import { meResponse } from '@svc/domain/me';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from './cases/keys.ts';
import { onEveryTarget } from './suite.ts';
import { keyRow, READING_KEYS, single, visible, WORLD } from './world.ts';

onEveryTarget((api) => {
  describe('getMe', () => {
    test.each(READING_KEYS)('200 with what %s sees', async (key) => {
      const row = keyRow(key);
      const { baseUrl } = api.target();
      expect(await api.read('getMe', { key })).toEqual(
        meResponse({
          account: single(WORLD.accounts, ({ id }) => id === row.accountId, 'account of the key'),
          key: row,
          connections: visible(key, withOwnId()),
          urls: { apiUrl: baseUrl, docsUrl: `${baseUrl}/docs` },
        }),
      );
    });

    test('200 with the connection of a connection key, named twice', async () => {
      const { apiKey, connections } = await api.read('getMe', { key: 'osapi_demo_connection_salesforce' });
      expect(apiKey).toMatchObject({ connectionScope: 'connection', connectionId: 2 });
      expect(connections).toHaveLength(1);
      expect(connections[0].id).toBe(apiKey.connectionId);
    });

    test('200 with links that lead to operations of this API', async () => {
      const { links } = await api.read('getMe');
      expect(Object.keys(links)).toHaveLength(11);
      for (const { href, description } of Object.values<{ href: string; description: string }>(links)) {
        expect(href.startsWith(`${api.target().baseUrl}/`)).toBe(true);
        expect(description).not.toBe('');
      }
      const answer = await fetch(links.openapi.href);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    });

    test('200 whatever the letter case of the scheme', async () => {
      for (const authorization of ['bearer osapi_demo_read', 'BEARER osapi_demo_read', 'Bearer   osapi_demo_read']) {
        expect((await api.call('getMe', { key: null, headers: { authorization } })).status).toBe(200);
      }
    });

    test('200 whatever Host says: addresses come from configuration', async () => {
      const plain = await api.read('getMe');
      const headers = { 'x-forwarded-host': 'evil.example.com', forwarded: 'host=evil.example.com' };
      expect(await api.read('getMe', { headers })).toEqual(plain);
    });

    proveKeyRefusals(api, 'getMe');
  });
});

/** A connection is its own: the rows that belong to it are found the same way. */
function withOwnId() {
  return WORLD.connections.map((connection) => ({ ...connection, connectionId: connection.id }));
}
