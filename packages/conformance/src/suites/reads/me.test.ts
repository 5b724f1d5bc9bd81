import { meResponse } from '@svc/domain/account/me';
import { describe, expect, test } from 'vitest';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { DAY_MS, keyRow, NOW, READING_KEYS, findRow, visibleRows, WORLD } from '../../harness/world.ts';

onEveryTarget((api) => {
  describe('getMe', () => {
    test.each(READING_KEYS)('200 with account, key and connections of %s', async (key) => {
      const row = keyRow(key);
      const { baseUrl } = api.target();
      expect(await api.read('getMe', { key })).toEqual(
        meResponse({
          account: findRow(WORLD.accounts, ({ id }) => id === row.accountId, 'account of the key'),
          key: row,
          connections: visibleRows(key, withOwnId()),
          urls: { apiUrl: baseUrl, docsUrl: `${baseUrl}/docs` },
          now: NOW,
        }),
      );
    });

    test('200 with connectionId and connection of a connection key', async () => {
      const { apiKey, connections } = await api.read('getMe', { key: 'osapi_demo_connection_salesforce' });
      expect(apiKey).toMatchObject({ connectionScope: 'connection', connectionId: 2 });
      expect(connections).toHaveLength(1);
      expect(connections[0].id).toBe(apiKey.connectionId);
    });

    test.each(READING_KEYS)('200 with links that answer 200 with the same key: %s', async (key) => {
      const { links } = await api.read('getMe', { key });
      // The documentation is not part of the API.
      const { documentation, ...ours } = links;
      expect(documentation.href).toMatch(/^https?:/);
      expect(Object.keys(ours)).toHaveLength(10);
      for (const { href, description } of Object.values<{ href: string; description: string }>(ours)) {
        expect(href.startsWith(`${api.target().baseUrl}/api/v1/`)).toBe(true);
        expect(description).not.toBe('');
        const answer = await api.fetch(href, { headers: { authorization: `Bearer ${key}` } });
        expect(answer.status, href).toBe(200);
        await answer.arrayBuffer();
      }
    });

    test('200 with a link to the contract', async () => {
      const { links } = await api.read('getMe');
      const answer = await api.fetch(links.openapi.href);
      expect(await answer.json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    });

    test('200 with example queries for the account owner and the last 7 days', async () => {
      const { account, links } = await api.read('getMe');
      const queryOf = (href: string) => Object.fromEntries(new URL(href).searchParams);
      const week = (to: Date) => ({ from: new Date(to.getTime() - 7 * DAY_MS).toISOString(), to: to.toISOString() });
      for (const name of ['accountMetrics', 'requests', 'syncs']) expect(queryOf(links[name].href)).toEqual(week(NOW));
      expect(queryOf(links.contactsOutreach.href)).toEqual({ email: account.email });
    });

    test('200 with the scheme in any case', async () => {
      for (const authorization of ['bearer osapi_demo_read', 'BEARER osapi_demo_read', 'Bearer   osapi_demo_read']) {
        expect((await api.call('getMe', { key: null, headers: { authorization } })).status).toBe(200);
      }
    });

    test('200: links do not depend on forwarded host headers', async () => {
      const plain = await api.read('getMe');
      const headers = { 'x-forwarded-host': 'evil.example.com', forwarded: 'host=evil.example.com' };
      expect(await api.read('getMe', { headers })).toEqual(plain);
    });

    proveKeyRefusals(api, 'getMe');
  });
});

/** Adds `connectionId`, so that `visibleRows` works for connections. */
function withOwnId() {
  return WORLD.connections.map((connection) => ({ ...connection, connectionId: connection.id }));
}
