/** Two API processes that read logs from a real standby: paused, resumed, promoted and made anew. */
import { readFile } from 'node:fs/promises';
import { parseWorld } from '@svc/domain/world';
import { afterEach, expect, inject, test } from 'vitest';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { createNetwork } from '../support/cluster/network.ts';
import { openWorldDatabase } from '../support/cluster/pair-database.ts';
import { startPostgresPair } from '../support/cluster/postgres.ts';
import { createServerNode, type ServerNode } from '../support/cluster/servers.ts';
import { until } from '../support/cluster/until.ts';
import { runServerCommand } from '../support/processes.ts';

const world = parseWorld(
  JSON.parse(await readFile(new URL('../../../../fixtures/demo-world.json', import.meta.url), 'utf8')),
);

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

test.skipIf(inject('databaseUrl') === null)(
  'logs are read from the standby while it follows, and each key sees its own writes in both processes',
  async () => {
    const network = createNetwork();
    cleanUps.push(() => network.close());
    const pair = await startPostgresPair(network);
    if (pair === null) throw new Error('This machine has a PostgreSQL for tests, but not its programs.');
    cleanUps.push(() => pair.close());
    const env = {
      DATABASE_URL: pair.url('postgres'),
      // Both hosts, because each can be the standby.
      DATABASE_READ_URL: pair.url('postgres'),
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_RATE_LIMIT: 'off',
      SVC_LOG_LEVEL: 'warn',
      SVC_METRICS_TOKEN: 'metrics-token-of-the-test',
    };
    const db = await openWorldDatabase(env, world);
    cleanUps.push(() => db.close());
    const nodes = ['app1', 'app2'].map((name) =>
      createServerNode({ host: network.addHost(name), roles: 'api', rate: 1, epochMs: Date.now(), env }),
    );
    for (const node of nodes) {
      cleanUps.push(() => node.signal('SIGKILL'));
      await node.start();
    }
    const [first, second] = nodes;
    if (!first || !second) throw new Error('two servers were started');

    const call = (node: ServerNode, path: string, init: RequestInit = {}) =>
      fetch(`${node.url}${path}`, { headers: { authorization: 'Bearer osapi_demo_write' }, ...init });
    const listEvents = async (node: ServerNode, key: string): Promise<string[]> => {
      const answer = await call(node, '/api/v1/events', { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
      const { data }: { data: { id: string }[] } = JSON.parse(await answer.text());
      return data.map(({ id }) => id);
    };
    const reads = async (node: ServerNode, result: string): Promise<number> => {
      const headers = { authorization: `Bearer ${env.SVC_METRICS_TOKEN}` };
      const text = await (await fetch(`${node.url}/metrics`, { headers })).text();
      return Number(new RegExp(`^svc_replica_reads_total\\{result="${result}"\\} (\\d+)`, 'm').exec(text)?.[1]);
    };
    /** Reads until this many more reads had this result. */
    const untilRead = async (node: ServerNode, result: string, more = 1) => {
      const before = await reads(node, result);
      await until(`reads with the result ${result}`, async () => {
        await listEvents(node, 'osapi_demo_read');
        return (await reads(node, result)) >= before + more;
      });
    };
    const doctor = async () => {
      const { stdout } = await runServerCommand(['doctor'], env);
      return stdout.split('\n').filter((line) => line.includes('read replica'));
    };
    const testWebhook = async (): Promise<string> => {
      const webhook = world.webhooks.find(({ isActive }) => isActive);
      const answer = await call(first, `/api/v1/webhooks/${webhook?.id}/test`, { method: 'POST' });
      return JSON.parse(await answer.text()).eventId;
    };

    for (const node of nodes) await untilRead(node, 'replica');
    expect((await doctor()).map((line) => line.replace(/ \S+:\d+ /, ' HOST '))).toEqual([
      expect.stringContaining('HOST accepts writes, so it is not used now'),
      expect.stringContaining('HOST follows'),
    ]);

    // An idle primary is no lag: for longer than a standby may be behind. After a stall of a process a few reads go to the primary.
    const behindBefore = await reads(first, 'behind');
    const end = Date.now() + 4_000;
    await until('four seconds without writes', async () => {
      await listEvents(first, 'osapi_demo_read');
      return Date.now() > end;
    });
    await untilRead(first, 'replica', 20);
    expect(await reads(first, 'behind')).toBeLessThan(behindBefore + 20);

    const countWarnings = () => first.stderr().split('logs are read from the primary').length - 1;
    const warningsBefore = countWarnings();
    await pair.standby?.query('select pg_wal_replay_pause()');
    const eventId = await testWebhook();
    for (const node of nodes) expect(await listEvents(node, 'osapi_demo_write')).toContain(eventId);
    expect((await Promise.all(nodes.map((node) => reads(node, 'own_write')))).every((count) => count > 0)).toBe(true);
    for (const node of nodes) await untilRead(node, 'behind');
    for (const node of nodes) expect(await listEvents(node, 'osapi_demo_read')).toContain(eventId);
    expect(countWarnings()).toBeGreaterThan(0);
    expect(countWarnings()).toBeLessThanOrEqual(warningsBefore + 1);
    expect((await doctor()).join('\n')).toContain('more than 2 seconds behind');
    await pair.standby?.query('select pg_wal_replay_resume()');
    for (const node of nodes) await untilRead(node, 'replica', 5);
    for (const node of nodes) expect(await listEvents(node, 'osapi_demo_write')).toContain(eventId);

    // Conflicts with recovery: the standby cancels what reads a table while the primary locks it.
    await pair.standby?.query('alter system set max_standby_streaming_delay = 0');
    await pair.standby?.query('select pg_reload_conf()');
    const repeatedBefore = await reads(first, 'repeated');
    let isCanceled = false;
    const readers = Array.from({ length: 4 }, async () => {
      while (!isCanceled) expect(await listEvents(first, 'osapi_demo_read')).toContain(eventId);
    });
    await until('a canceled read', async () => {
      for (let time = 0; time < 20; time += 1)
        await db.query('alter table events alter column summary set statistics -1');
      return (await reads(first, 'repeated')) > repeatedBefore;
    }).finally(() => {
      isCanceled = true;
    });
    await Promise.all(readers);

    await pair.goOnAlone();
    if (network.hasLinks) {
      pair.standby?.host.setLink(false);
      await untilRead(first, 'behind');
      expect(await listEvents(first, 'osapi_demo_read')).toContain(eventId);
      pair.standby?.host.setLink(true);
      await untilRead(first, 'replica');
    }
    await pair.standby?.kill('SIGKILL');
    expect(await listEvents(first, 'osapi_demo_read')).toContain(eventId);
    await untilRead(first, 'behind');
    expect((await doctor()).join('\n')).toMatch(/WARN +read replica .*(?:not available|ECONNREFUSED)/);
    await pair.standby?.start();
    await untilRead(first, 'replica');

    await pair.failOver();
    await until('the API works', async () => (await call(first, '/api/v1/events')).status === 200);
    await untilRead(first, 'behind');
    expect(await listEvents(first, 'osapi_demo_read')).toContain(eventId);
    await pair.addStandby();
    await untilRead(first, 'replica');
    const later = await testWebhook();
    expect(await listEvents(first, 'osapi_demo_write')).toContain(later);
  },
  240_000,
);
