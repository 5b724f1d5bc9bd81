/** Which reads go to a standby, and what happens when it fails. The standby of this test is the same database under another handle. */
import { operations } from '@svc/contract/operations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '@svc/engine/store/database/db';
import type { Replicas } from '@svc/engine/store/database/replicas';
import { postgresBackend } from '@svc/engine/test/backends';
import { NOW, startTestServer, type TestServer } from '../support/harness.ts';

let server: TestServer;
let statements = 0;
let failure: Error | null = null;
let writes: (string | null)[] = [];
const replicas: Replicas = {
  choose(lastWriteLsn) {
    writes.push(lastWriteLsn);
    const db: Database = {
      ...server.db,
      query: (statement, values) => {
        statements += 1;
        return failure === null ? server.db.query(statement, values) : Promise.reject(failure);
      },
    };
    return { db };
  },
  lagMs: () => 250,
  close: async () => {},
};

beforeAll(async () => {
  if (postgresBackend.isAvailable) server = await startTestServer(postgresBackend, { replicas });
});
afterAll(() => server?.close());

const RANGE = `from=${new Date(NOW.getTime() - 86_400_000).toISOString()}&to=${NOW.toISOString()}`;
/** Everything that is long: lists and single rows of logs, metrics, and what is looked up in them. */
const LOGS = [
  'getAccountMetrics',
  'getContactOutreach',
  'getDestinationDeliveryMetrics',
  'getEvent',
  'getRequestMetrics',
  'getSync',
  'getSyncMetrics',
  'listDeliveries',
  'listDestinationDeliveries',
  'listEvents',
  'listRequests',
  'listSourceRequests',
  'listSourceSyncs',
  'listSyncs',
  'listWebhookDeliveries',
];

test.skipIf(!postgresBackend.isAvailable)(
  'logs and their metrics are read from a standby, and nothing else',
  async () => {
    const { rows: events } = await server.db.query<{ id: string }>('select id from events order by created_at limit 1');
    const { rows: syncs } = await server.db.query<{ id: number }>(
      'select id from syncs where connection_id = 1 limit 1',
    );
    const [webhook] = server.world.webhooks;
    const read: string[] = [];
    for (const { id, method, path, access } of operations) {
      if (method !== 'GET' || access === 'public') continue;
      const ids: Record<string, string | number | undefined> = { getEvent: events[0]?.id, getSync: syncs[0]?.id };
      const other = path.includes('/webhooks/') ? webhook?.id : 1;
      const url = `${path.replaceAll(/\{\w+\}/g, String(ids[id] ?? other))}?${RANGE}&email=a@example.org`;
      statements = 0;
      await fetch(server.url + url, { headers: { authorization: 'Bearer osapi_demo_read' } });
      if (statements > 0) read.push(id);
    }
    expect(read.toSorted()).toEqual(LOGS);
  },
);

test.skipIf(!postgresBackend.isAvailable)('what the standby cannot answer is read from the primary', async () => {
  const canceled = new Error('canceling statement due to conflict with recovery');
  failure = Object.assign(canceled, { code: '40001' });
  const answer = await server.get('listSyncs', `/api/v1/syncs?${RANGE}&limit=3`);
  expect([answer.status, answer.json.data.length]).toEqual([200, 3]);
  failure = null;
  expect((await server.get('listSyncs', `/api/v1/syncs?${RANGE}&limit=wrong`)).status).toBe(400);
  const scrape = await (await fetch(`${server.url}/metrics`)).text();
  expect(scrape).toContain('svc_replica_reads_total{result="repeated"} 1');
  expect(scrape).toContain('svc_replica_lag_seconds 0.25');
});

test.skipIf(!postgresBackend.isAvailable)('a key reads behind its last write, in every process', async () => {
  const [webhook] = server.world.webhooks.filter(({ isActive }) => isActive);
  const reads = async (key: string) => {
    writes = [];
    await server.get('listEvents', '/api/v1/events', key);
    return writes;
  };
  expect(await reads('osapi_demo_write')).toEqual([null]);
  const at = async () => {
    const { rows } = await server.db.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
    return rows[0]?.lsn ?? '';
  };
  const before = await at();
  const headers = { authorization: 'Bearer osapi_demo_write' };
  expect((await server.post(`/api/v1/webhooks/${webhook?.id}/test`, '', headers)).status).toBeLessThan(300);
  const [written] = await reads('osapi_demo_write');
  const { rows } = await server.db.query<{ isBetween: boolean }>(
    'select $1::pg_lsn > $2::pg_lsn and $1::pg_lsn <= $3::pg_lsn as "isBetween"',
    [written, before, await at()],
  );
  expect(rows).toEqual([{ isBetween: true }]);
  expect(await reads('osapi_demo_read')).toEqual([null]);
});
