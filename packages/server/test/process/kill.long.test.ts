/**
 * A killed server loses nothing that it acknowledged and duplicates nothing: no sync, no CRM engagement, no delivery. A
 * payload may reach a destination twice, but at least once. Real processes, real HTTP, SIGKILL.
 */
import { once } from 'node:events';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { generateEncryptionKey } from '../../src/secrets/secret-box.ts';
import type { Database } from '../../src/store/database/db.ts';
import { openPglite } from '../../src/store/database/pglite.ts';
import { openPostgres } from '../../src/store/database/postgres.ts';
import {
  getJson,
  type Process,
  runServerCommand,
  startServerProcess,
  startSimulatorProcess,
} from '../support/processes.ts';

const POSTS = sized(5_000);
const KILLS = 3;
const databaseUrl = inject('databaseUrl');
const world = fileURLToPath(new URL('../../../../fixtures/demo-world.json', import.meta.url));

interface Target {
  args: string[];
  env: Record<string, string>;
  openDatabase(): Promise<Database>;
  dispose(): Promise<void>;
}

const targets = {
  pglite: async (): Promise<Target> => {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'svc kill '));
    return {
      args: ['--data-dir', dir],
      env: {},
      openDatabase: () => openPglite(dir),
      dispose: () => rm(dir, { recursive: true, force: true }),
    };
  },
  postgres: async (): Promise<Target> => {
    const database = await createTestDatabase(databaseUrl ?? '');
    return {
      args: [],
      env: { DATABASE_URL: database.url, SVC_ENCRYPTION_KEY: generateEncryptionKey() },
      openDatabase: async () => openPostgres(database.url),
      dispose: () => database.drop(),
    };
  },
};

describe.each(['pglite', 'postgres'] as const)('SIGKILL on %s', (name) => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test.skipIf(name === 'postgres' && databaseUrl === null)(
    `during ${POSTS} inbound posts, ${KILLS} times: no acknowledged receipt is lost, and every event has one first sync and one engagement and reached its destinations`,
    async () => {
      const target = await targets[name]();
      cleanUps.push(() => target.dispose());
      const simulator = await startSimulatorProcess();
      cleanUps.push(() => simulator.stop());
      const destination = await startDestination();
      cleanUps.push(async () => destination.close());
      const env = {
        ...target.env,
        SVC_HUBSPOT_URL: simulator.url,
        SVC_OUTBOUND_ALLOW: '127.0.0.0/8',
        SVC_LOG_LEVEL: 'error',
        SVC_RATE_LIMIT: 'off',
      };
      const loaded = await runServerCommand(['world', 'load', world, ...target.args], env);
      expect(loaded).toMatchObject({ code: 0 });
      const before = await prepare(target, destination.url);

      const start = () => startServerProcess(['--port', '0', '--world', ...target.args], env);
      let server = await start();
      cleanUps.push(() => server.stop('SIGKILL'));
      const acknowledged: number[] = [];
      const posts = await inboundPosts(POSTS);
      for (let round = 0; round <= KILLS; round += 1) {
        const share = posts.slice((round * POSTS) / (KILLS + 1), ((round + 1) * POSTS) / (KILLS + 1));
        const isLast = round === KILLS;
        const posting = postAll(server, share, acknowledged);
        if (!isLast) {
          await posting.atLeast(Math.floor(share.length / 2));
          await server.stop('SIGKILL');
          server = await start();
        }
        await posting.finished;
      }
      await untilIdle(target, server, name);
      await server.stop();

      const db = await target.openDatabase();
      cleanUps.push(() => db.close());
      const { rows: receipts } = await db.query<{ id: number; outcome: string | null }>(
        'select id, outcome from requests where id > $1',
        [before],
      );
      const ids = new Set(receipts.map((receipt) => receipt.id));
      expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
      expect(acknowledged.length).toBeGreaterThan(POSTS / 3);
      const outcomes = countBy(receipts.map((receipt) => receipt.outcome ?? 'pending'));
      expect(outcomes['pending']).toBeUndefined();
      for (const outcome of ['synced', 'duplicate', 'unparsed', 'ignored'])
        expect(outcomes[outcome]).toBeGreaterThan(0);
      expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(receipts.length);

      const { rows: events } = await db.query<{ first: number; request_id: number }>(
        `select e.request_id, (select count(*) from syncs s where s.inbound_event_id = e.id and s.retry_of_sync_id is null) as first
          from inbound_events e`,
      );
      expect(events.filter((event) => event.first !== 1)).toEqual([]);
      // These payloads contain one event each, so the number of events equals that of receipts.
      expect(events.length).toBe(outcomes['synced']);
      expect((await db.query('select from syncs where inbound_event_id is not null')).rowCount).toBe(events.length);
      expect((await db.query(`select from jobs where kind = any($1)`, [KINDS])).rowCount).toBe(0);

      const { rows: forwardings } = await db.query<{ payload: number; destination: number; delivered: number }>(
        `select e.request_id as payload, b.destination_id as destination, (select count(*) from deliveries d
            where d.payload_id = e.request_id and d.destination_id = b.destination_id and d.status = 'success') as delivered
          from inbound_events e join destination_bindings b on b.source_id = e.source_id
          where e.event_type = any(b.event_types)`,
      );
      expect(forwardings.length).toBeGreaterThan(POSTS / 3);
      expect(forwardings.filter((forwarding) => forwarding.delivered !== 1)).toEqual([]);
      expect(forwardings.filter(({ payload, destination: id }) => !destination.got(id, payload))).toEqual([]);

      const state = await getJson(`${simulator.url}/__sim/state`);
      expect(state.counts.engagements).toBe(events.length);
    },
    600_000,
  );

  /** Points every URL of the world at this machine; returns the id of its last request. */
  async function prepare(target: Target, url: string): Promise<number> {
    const db = await target.openDatabase();
    await db.query(`update destinations set url = $1 || id`, [url]);
    await db.query(`update webhooks set url = $1`, [url]);
    const { rows } = await db.query<{ last: number }>('select max(id) as last from requests');
    await db.close();
    return rows[0]?.last ?? 0;
  }
});

/** Jobs that must have ended before the results are compared. */
const KINDS = ['process-receipt', 'write-crm', 'forward-event'];

/** Starts a server with a destination at each path `/1`, `/2`, ... that records its posts. */
async function startDestination() {
  const received = new Set<string>();
  const http = createServer((request, response) => {
    request.resume().once('end', () => {
      received.add(`${request.url} ${String(request.headers['service-payload-id'])}`);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    got: (destinationId: number, payloadId: number) => received.has(`/${destinationId} ${payloadId}`),
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

/** One of twenty posts is a duplicate, one is not understood, one is a test ping; all others are distinct events. */
async function inboundPosts(count: number): Promise<{ path: string; body: string }[]> {
  const reply = JSON.parse(
    await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
  );
  const sent = JSON.parse(
    await readFile(new URL('../../../../fixtures/payloads/instantly/email-sent.json', import.meta.url), 'utf8'),
  );
  const ping = await readFile(
    new URL('../../../../fixtures/payloads/smartlead/odd.test-ping.json', import.meta.url),
    'utf8',
  );
  return Array.from({ length: count }, (_, index) => {
    const lead = `lead-${index}@example.org`;
    switch (index % 20) {
      case 5:
        return { path: 'demo-smartlead', body: '["not", "an event"]' };
      case 6:
        return { path: 'demo-smartlead', body: ping };
      case 7:
        // The same bytes every time: the first is an event, the others repeat it.
        return { path: 'demo-instantly', body: JSON.stringify({ ...sent, lead_email: 'same@example.org' }) };
      default:
        return index % 2 === 0
          ? {
              path: 'demo-smartlead',
              body: JSON.stringify({ ...reply, stats_id: `stats-${index}`, sl_lead_email: lead }),
            }
          : { path: 'demo-instantly', body: JSON.stringify({ ...sent, lead_email: lead }) };
    }
  });
}

/** Posts 16 at a time until all are sent or the server is gone; `atLeast` waits for that many acknowledgements. */
function postAll(server: Process, posts: readonly { path: string; body: string }[], acknowledged: number[]) {
  const waiting = [...posts];
  const wanted = acknowledged.length;
  const send = async () => {
    for (let post = waiting.shift(); post !== undefined; post = waiting.shift()) {
      const response = await fetch(`${server.url}/webhooks/${post.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: post.body,
      }).catch(() => null);
      if (response === null) return;
      if (response.status !== 200) throw new Error(`answered ${response.status}: ${await response.text()}`);
      // The kill may truncate the answer: then the post was not acknowledged.
      const text = await response.text().catch(() => null);
      if (text !== null) acknowledged.push(JSON.parse(text).requestId);
    }
  };
  return {
    finished: Promise.all(Array.from({ length: 16 }, send)),
    atLeast: (count: number) =>
      expect.poll(() => acknowledged.length - wanted, { timeout: 60_000, interval: 1 }).toBeGreaterThanOrEqual(count),
  };
}

/** Waits until no new receipt waits for an outcome, no event for its sync, and no forwarding is pending. */
async function untilIdle(target: Target, server: Process, name: string): Promise<void> {
  const range = {
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const count = async () => {
    if (name === 'postgres') {
      const db = await target.openDatabase();
      const { rowCount } = await db.query(`select from jobs where kind = any($1)`, [KINDS]);
      await db.close();
      return rowCount === 0 ? 'idle' : `${rowCount} jobs`;
    }
    // Only the server can open the embedded database, so this polls the API: idle when the counts do not change.
    const metrics = await fetch(`${server.url}/api/v1/account/metrics?${new URLSearchParams(range)}`, {
      headers: { authorization: 'Bearer osapi_demo_read' },
    });
    return metrics.text();
  };
  let last = '';
  let stillFor = 0;
  await expect
    .poll(
      async () => {
        const now = await count();
        stillFor = now === last ? stillFor + 1 : 0;
        last = now;
        return now === 'idle' || (name !== 'postgres' && stillFor >= 8);
      },
      { timeout: 300_000, interval: 500 },
    )
    .toBe(true);
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
