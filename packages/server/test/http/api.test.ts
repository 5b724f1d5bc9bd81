/** The public read endpoints on both databases through real HTTP. */
import { openapiJson, openapiYaml } from '@svc/contract/document';
import { servedDocument } from '@svc/domain/pages/served-document';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { backends } from '@svc/engine/test/backends';
import { NOW, startTestServer, type TestServer } from '../support/harness.ts';

const DAY_MS = 86_400_000;
const MONTH = `from=${new Date(NOW.getTime() - 31 * DAY_MS).toISOString()}&to=${NOW.toISOString()}`;

describe.each(backends)('the API on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('operations', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(backend);
    });
    afterAll(async () => {
      await server.close();
    });

    describe('authentication', () => {
      test.each([
        ['a missing key', {}],
        ['another scheme', { authorization: 'Basic osapi_demo_read' }],
        ['a key without its prefix', { authorization: 'Bearer demo_read' }],
        ['an unknown key', { authorization: 'Bearer osapi_nobody' }],
        ['a revoked key', { authorization: 'Bearer osapi_demo_revoked' }],
        ['a rotated key', { authorization: 'Bearer osapi_demo_rotated' }],
        ['an empty key', { authorization: 'Bearer ' }],
      ])('the same 401 for %s', async (_name, headers) => {
        const response = await fetch(`${server.url}/api/v1/me`, { headers });
        expect(response.status).toBe(401);
        expect(await response.json()).toEqual({ statusCode: 401, message: 'Invalid API key', error: 'Unauthorized' });
        expect(response.headers.get('www-authenticate')).toBe('Bearer realm="api"');
        expect(response.headers.get('link')).toContain('rel="service-desc"');
      });

      test('200 for any letter case of the scheme', async () => {
        const response = await fetch(`${server.url}/api/v1/me`, {
          headers: { authorization: 'bearer osapi_demo_read' },
        });
        expect(response.status).toBe(200);
      });

      test('403 when no connection of the account is API-enabled', async () => {
        const answer = await server.get('getMe', '/api/v1/me', 'osapi_demo_no_api');
        expect(answer.status).toBe(403);
        expect(answer.json.message).toBe('API access is not enabled for this account');
      });
    });

    describe('getMe', () => {
      test('200 with an account key: all API-enabled connections by id, and eleven links', async () => {
        const { json } = await server.get('getMe', '/api/v1/me');
        expect(json.connections.map((connection: { id: number }) => connection.id)).toEqual([1, 2, 3]);
        expect(json.apiKey).toEqual({
          name: expect.any(String),
          scopes: ['read'],
          connectionScope: 'account',
          connectionId: null,
        });
        expect(Object.keys(json.links)).toHaveLength(11);
        const lastWeek = `from=2026-03-24T12:00:00.000Z&to=${NOW.toISOString()}`;
        expect(json.links.syncs.href).toBe(`${server.url}/api/v1/syncs?${lastWeek}`);
      });

      test('200 with a connection key: its one connection, in both fields', async () => {
        const { json } = await server.get('getMe', '/api/v1/me', 'osapi_demo_connection_read');
        expect(json.connections).toHaveLength(1);
        expect(json.apiKey).toMatchObject({ connectionScope: 'connection', connectionId: json.connections[0].id });
      });
    });

    describe('getAccountStatus', () => {
      test('200 and not ready when a CRM is disconnected, with the remediation', async () => {
        const { json } = await server.get('getAccountStatus', '/api/v1/account/status');
        expect(json.ready).toBe(false);
        expect(json.checkedAt).toBe(NOW.toISOString());
        expect(json.blockers).toMatchObject([{ code: 'crm_disconnected', connectionId: 3, crm: 'PIPEDRIVE' }]);
        const statuses = new Set(
          json.connections.flatMap((c: Record<string, { status?: string }>) =>
            Object.values(c).flatMap((part) => part?.status ?? []),
          ),
        );
        expect([...statuses].sort()).toEqual(['disabled', 'disconnected', 'error', 'not_configured', 'ready']);
      });

      test('200 with a connection key: one connection', async () => {
        const { json } = await server.get('getAccountStatus', '/api/v1/account/status', 'osapi_demo_connection_read');
        expect(json.connections).toHaveLength(1);
      });
    });

    describe('listConnections', () => {
      test('200 in the order of /me, without connections that have no API access', async () => {
        const { json } = await server.get('listConnections', '/api/v1/connections');
        expect(json.connections.map((c: { id: number; status: string }) => [c.id, c.status])).toEqual([
          [1, 'ready'],
          [2, 'error'],
          [3, 'disconnected'],
        ]);
      });
    });

    describe('listSources', () => {
      test('200 with inbound URLs of both forms and bindings', async () => {
        const { json } = await server.get('listSources', '/api/v1/sources');
        const expected = server.world.sources.filter((source) => [1, 2, 3].includes(source.connectionId));
        expect(json.sources.map((source: { id: number }) => source.id)).toEqual(
          expected.map((source) => source.id).sort((a, b) => a - b),
        );
        expect(json.sources[0].url).toBe(`${server.url}/webhooks/demo-smartlead`);
        expect(json.sources.some((s: { url: string }) => /\/webhooks\/\d+\/\d+$/.test(s.url))).toBe(true);
        expect(json.sources.some((s: { replyRelay: unknown }) => s.replyRelay !== null)).toBe(true);
        expect(json.sources.some((s: { destinations: unknown[] }) => s.destinations.length > 0)).toBe(true);
      });

      test('200 and empty for an account without sources', async () => {
        const { json } = await server.get('listSources', '/api/v1/sources', 'osapi_demo_empty');
        expect(json).toEqual({ sources: [] });
      });
    });

    describe('listSyncs', () => {
      const visible = () =>
        server.world.syncs
          .filter((sync) => [1, 2, 3].includes(sync.connectionId))
          .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id)
          .map((sync) => sync.id);

      test.each([500, 137, 499])(
        '200: the pages contain each visible row once, newest first (limit %d)',
        async (limit) => {
          const ids: number[] = [];
          let cursor: string | null = null;
          do {
            const suffix: string = cursor === null ? '' : `&cursor=${cursor}`;
            const { json } = await server.get('listSyncs', `/api/v1/syncs?${MONTH}&limit=${limit}${suffix}`);
            ids.push(...json.data.map((sync: { id: number }) => sync.id));
            expect(json.hasMore).toBe(json.nextCursor !== null);
            cursor = json.nextCursor;
          } while (cursor !== null);
          expect(ids).toEqual(visible());
        },
      );

      test('200 with 100 rows by default', async () => {
        const { json } = await server.get('listSyncs', `/api/v1/syncs?${MONTH}`);
        expect(json.data).toHaveLength(100);
      });

      test('200 filtered by status, source and connection', async () => {
        const { json } = await server.get(
          'listSyncs',
          `/api/v1/syncs?${MONTH}&limit=500&status=error&sourceId=1&connectionId=1`,
        );
        expect(json.data.length).toBeGreaterThan(0);
        for (const sync of json.data) expect(sync).toMatchObject({ status: 'error', sourceId: 1, connectionId: 1 });
        const expected = server.world.syncs.filter((sync) => sync.status === 'error' && sync.sourceId === 1);
        expect(json.data).toHaveLength(expected.length);
      });

      test('200 and empty for a connection outside the access', async () => {
        for (const connectionId of [4, 5, 999_999]) {
          const { json } = await server.get('listSyncs', `/api/v1/syncs?${MONTH}&connectionId=${connectionId}`);
          expect(json).toEqual({ data: [], hasMore: false, nextCursor: null });
        }
      });

      test('404 for a source outside the access or of another tenant', async () => {
        for (const sourceId of [9, 13, 999_999]) {
          const answer = await server.get('listSyncs', `/api/v1/syncs?${MONTH}&sourceId=${sourceId}`);
          expect([answer.status, answer.json.message]).toEqual([404, `Source ${sourceId} not found`]);
        }
      });

      test.each([
        ['no range', ''],
        ['from after to', `from=2026-03-02&to=2026-03-01`],
        ['more than 31 days', `from=2026-01-01&to=2026-03-01`],
        ['an impossible date', `from=2026-02-30&to=2026-03-01`],
        ['an unknown status', `${MONTH}&status=failed`],
        ['a limit of 0', `${MONTH}&limit=0`],
        ['a limit of 501', `${MONTH}&limit=501`],
        ['a repeated limit', `${MONTH}&limit=5&limit=5`],
        ['a malformed cursor', `${MONTH}&cursor=nonsense`],
        ['a bad source id', `${MONTH}&sourceId=x`],
      ])('400 for %s', async (_name, query) => {
        expect((await server.get('listSyncs', `/api/v1/syncs?${query}`)).status).toBe(400);
      });

      test('200 for exactly 31 days, 400 for one millisecond more', async () => {
        const from = new Date(NOW.getTime() - 31 * DAY_MS - 1).toISOString();
        const answer = await server.get('listSyncs', `/api/v1/syncs?from=${from}&to=${NOW.toISOString()}`);
        expect(answer.status).toBe(400);
      });
    });

    describe('listSourceSyncs', () => {
      test('200 with the syncs of the source in the path; a sourceId in the query is ignored', async () => {
        const { json } = await server.get('listSourceSyncs', `/api/v1/sources/1/syncs?${MONTH}&limit=500&sourceId=2`);
        expect(json.data.length).toBeGreaterThan(0);
        for (const sync of json.data) expect(sync.sourceId).toBe(1);
      });

      test('404 when the source is not accessible or its id has the wrong form', async () => {
        for (const id of ['13', '0', '-1', 'x', '99999999999999999999']) {
          const answer = await server.get('listSourceSyncs', `/api/v1/sources/${id}/syncs?${MONTH}`);
          expect([answer.status, answer.json.message]).toEqual([404, `Source ${id} not found`]);
        }
      });
    });

    describe('getSync', () => {
      test('200 with the row as listed', async () => {
        const { json } = await server.get('listSyncs', `/api/v1/syncs?${MONTH}&limit=1`);
        expect((await server.get('getSync', `/api/v1/syncs/${json.data[0].id}`)).json).toEqual(json.data[0]);
      });

      test('404 for a sync of another tenant, of a connection without API access, and of the wrong form', async () => {
        const idOf = (connectionId: number) =>
          server.world.syncs.find((sync) => sync.connectionId === connectionId)?.id;
        for (const id of [idOf(5), idOf(4), 0, 'abc', '1e3']) {
          const answer = await server.get('getSync', `/api/v1/syncs/${id}`);
          expect([answer.status, answer.json.message]).toEqual([404, `Sync ${id} not found`]);
        }
      });
    });

    describe('getSyncMetrics', () => {
      test('200: exact counts of the listed rows; status, cursor and limit are ignored', async () => {
        const { json } = await server.get('getSyncMetrics', `/api/v1/syncs/metrics?${MONTH}&status=x&cursor=x&limit=x`);
        const rows = server.world.syncs.filter((sync) => [1, 2, 3].includes(sync.connectionId));
        const count = (status: string) => rows.filter((sync) => sync.status === status).length;
        expect(json).toEqual({ success: count('success'), warning: count('warning'), error: count('error') });
      });

      test('200 with zeros for a connection outside the access, 404 for such a source', async () => {
        const zeros = await server.get('getSyncMetrics', `/api/v1/syncs/metrics?${MONTH}&connectionId=5`);
        expect(zeros.json).toEqual({ success: 0, warning: 0, error: 0 });
        expect((await server.get('getSyncMetrics', `/api/v1/syncs/metrics?${MONTH}&sourceId=13`)).status).toBe(404);
      });
    });

    describe('discovery', () => {
      test('serves the document in both formats, cacheable and with the same content', async () => {
        const json = await server.get('getOpenapiJson', '/api/v1/openapi.json', null);
        const yaml = await server.get('getOpenapiYaml', '/api/v1/openapi.yaml', null);
        const { branding, urls } = server.running.ctx;
        const [served, servedYaml] = [openapiJson, openapiYaml].map((text) =>
          servedDocument(text, branding, { apiUrl: urls.api, docsUrl: urls.docs }),
        );
        expect(json.text).toBe(served);
        expect(yaml.text).toBe(servedYaml);
        expect(json.json).toEqual(parse(yaml.text));
        for (const answer of [json, yaml]) expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
      });
    });

    describe('health', () => {
      test('live is 200; ready is 503 without a running worker, and names the failed check', async () => {
        expect((await server.get('getHealthLive', '/health/live', null)).json).toEqual({ status: 'ok' });
        const ready = await server.get('getHealthReady', '/health/ready', null);
        expect(ready.status).toBe(503);
        expect(ready.json.checks).toEqual({ database: 'ok', queue: 'error', secrets: 'ok' });
      });
    });

    describe('every answer', () => {
      test('below /api/v1 has a Link header, also a 404 for an unknown route without a key', async () => {
        const response = await fetch(`${server.url}/api/v1/accounts`);
        expect(response.status).toBe(404);
        expect(response.headers.get('link')).toBe(
          `<${server.url}/api/v1/openapi.json>; rel="service-desc"; type="application/json", <${server.url}/docs>; rel="service-doc"; type="text/html"`,
        );
        expect(await response.json()).toMatchObject({ statusCode: 404, error: 'Not Found' });
      });

      test('has its own id and does not reveal the framework', async () => {
        const [a, b] = await Promise.all([fetch(`${server.url}/health/live`), fetch(`${server.url}/nowhere`)]);
        expect(a.headers.get('service-request-id')).toMatch(/^[\w-]{20,}$/);
        expect(a.headers.get('service-request-id')).not.toBe(b.headers.get('service-request-id'));
        expect(b.headers.get('x-powered-by')).toBeNull();
      });

      test('404 for OPTIONS, another letter case and a trailing slash', async () => {
        const ask = async (path: string, method = 'GET') => (await fetch(server.url + path, { method })).status;
        expect(await ask('/api/v1/me', 'OPTIONS')).toBe(404);
        expect(await ask('/webhooks/demo-smartlead', 'OPTIONS')).toBe(404);
        expect(await ask('/API/v1/me')).toBe(404);
        expect(await ask('/api/v1/me/')).toBe(404);
        expect(await ask('/api/v1/me', 'POST')).toBe(404);
      });

      test('HEAD answers like GET without a body', async () => {
        const response = await fetch(`${server.url}/api/v1/me`, {
          method: 'HEAD',
          headers: { authorization: 'Bearer osapi_demo_read' },
        });
        expect([response.status, await response.text()]).toEqual([200, '']);
      });
    });
  });
});
