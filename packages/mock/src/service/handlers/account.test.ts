import { describe, expect, test } from 'vitest';
import { ask, createDemoWorld, DEMO, MONTH, NOW, read, refusal } from '../../../test/support/demo.ts';

const world = createDemoWorld();
const ofMain = (row: { readonly connectionId: number | null }) => [1, 2, 3].includes(row.connectionId ?? 0);

describe('getMe', () => {
  test('200 with an account key: every API-enabled connection by id, and the eleven links', () => {
    const me = read(world, '/api/v1/me');
    expect(me.connections.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3]);
    expect(me.apiKey).toMatchObject({ scopes: ['read'], connectionScope: 'account', connectionId: null });
    expect(Object.keys(me.links)).toHaveLength(11);
    expect(me.links.sources.href).toBe('http://api.example.com/api/v1/sources');
  });

  test('200 with a connection key: its connection, also as apiKey.connectionId', () => {
    const me = read(world, '/api/v1/me', 'osapi_demo_connection');
    expect(me.connections.map(({ id }: { id: number }) => id)).toEqual([1]);
    expect(me.apiKey).toMatchObject({ scopes: ['read', 'write'], connectionScope: 'connection', connectionId: 1 });
  });
});

describe('getAccountStatus', () => {
  test('200 and not ready when a CRM is disconnected, with all five component statuses', () => {
    const status = read(world, '/api/v1/account/status');
    expect([status.ready, status.checkedAt]).toEqual([false, NOW.toISOString()]);
    expect(status.blockers).toMatchObject([{ code: 'crm_disconnected', connectionId: 3, crm: 'PIPEDRIVE' }]);
    const parts = status.connections.flatMap((one: object) => Object.values(one)) as { status?: string }[];
    expect([...new Set(parts.flatMap((part) => part.status ?? []))].sort()).toEqual([
      'disabled',
      'disconnected',
      'error',
      'not_configured',
      'ready',
    ]);
  });

  test('200 with a connection key: only its connection', () => {
    const status = read(world, '/api/v1/account/status', 'osapi_demo_connection_read');
    expect([status.ready, status.connections.length]).toEqual([true, 1]);
  });

  test('200 with counts of destinations and bound relays', () => {
    const [hubspot] = read(world, '/api/v1/account/status').connections;
    const destinations = DEMO.destinations.filter(({ connectionId }) => connectionId === 1);
    const bound = DEMO.replyRelays.filter(({ connectionId, sourceIds }) => connectionId === 1 && sourceIds.length > 0);
    expect(hubspot.destinations).toMatchObject({
      forwardingCount: new Set(destinations.map(({ url }) => url)).size,
      replyRelayCount: bound.length,
    });
  });
});

describe('getAccountMetrics', () => {
  test('200 with exact counts of the listed rows', () => {
    const metrics = read(world, `/api/v1/account/metrics?${MONTH}`);
    const syncs = DEMO.syncs.filter(ofMain);
    const deliveries = DEMO.deliveries.filter(ofMain);
    const count = (rows: readonly { readonly status: string }[], status: string) =>
      rows.filter((row) => row.status === status).length;
    expect(metrics).toEqual({
      from: expect.any(String),
      to: NOW.toISOString(),
      requests: {
        count: DEMO.requests.filter((row) => ofMain(row) || (row.connectionId === null && row.accountId === 1)).length,
      },
      syncs: { success: count(syncs, 'success'), warning: count(syncs, 'warning'), error: count(syncs, 'error') },
      destinationDeliveries: {
        success: count(deliveries, 'success'),
        error: count(deliveries, 'error'),
        http2xx: deliveries.filter(({ httpStatus }) => httpStatus !== null && httpStatus >= 200 && httpStatus < 300)
          .length,
      },
    });
    expect(metrics.destinationDeliveries.http2xx).not.toBe(metrics.destinationDeliveries.success);
  });

  test('200: sourceId filters requests and syncs, connectionId all three', () => {
    const all = read(world, `/api/v1/account/metrics?${MONTH}`);
    const source = read(world, `/api/v1/account/metrics?${MONTH}&sourceId=1`);
    expect(source.requests.count).toBe(DEMO.requests.filter(({ sourceId }) => sourceId === 1).length);
    expect(source.destinationDeliveries).toEqual(all.destinationDeliveries);
    const connection = read(world, `/api/v1/account/metrics?${MONTH}&connectionId=1`);
    expect(connection.requests.count).toBe(DEMO.requests.filter((row) => row.connectionId === 1).length);
    expect(connection.destinationDeliveries.success).toBeLessThan(all.destinationDeliveries.success);
    const none = read(world, `/api/v1/account/metrics?${MONTH}&connectionId=5`);
    expect([none.requests, none.syncs]).toEqual([{ count: 0 }, { success: 0, warning: 0, error: 0 }]);
  });

  test('404 for a source that is not accessible, 400 without a range', () => {
    expect(refusal(world, `/api/v1/account/metrics?${MONTH}&sourceId=13&connectionId=5`)).toEqual([
      404,
      'Source 13 not found',
    ]);
    expect(ask(world, '/api/v1/account/metrics').status).toBe(400);
  });
});

describe('listConnections', () => {
  test('200 in the order of /me, without the connection that has no API access', () => {
    const { connections } = read(world, '/api/v1/connections');
    expect(connections.map(({ id, status }: { id: number; status: string }) => [id, status])).toEqual([
      [1, 'ready'],
      [2, 'error'],
      [3, 'disconnected'],
    ]);
  });
});

describe('health and discovery', () => {
  test('200 live and ready', () => {
    expect(read(world, '/health/live')).toEqual({ status: 'ok' });
    expect(read(world, '/health/ready')).toEqual({ status: 'ok', checks: { database: 'ok', queue: 'ok' } });
  });

  test('503 while jobs are off', () => {
    const answer = ask(createDemoWorld({ settings: { runsJobs: false } }), '/health/ready');
    expect(answer.status).toBe(503);
    expect(answer.json).toEqual({ status: 'error', checks: { database: 'ok', queue: 'error' } });
  });

  test('200: the contract in both forms, cacheable', () => {
    const json = ask(world, '/api/v1/openapi.json', { key: null });
    const yaml = ask(world, '/api/v1/openapi.yaml', { key: null });
    expect(json.json.openapi).toMatch(/^3\.1/);
    expect(yaml.body).toMatch(/^openapi: 3\.1/m);
    expect(yaml.headers['Content-Type']).toBe('application/yaml; charset=utf-8');
    for (const { headers } of [json, yaml]) expect(headers['Cache-Control']).toBe('public, max-age=300');
  });
});
