/**
 * A killed server loses nothing that it acknowledged and duplicates nothing: no sync, no CRM engagement, no delivery. A
 * payload may reach a destination twice, but at least once. Real processes, real HTTP, SIGKILL.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import type { Database } from '@svc/engine/store/database/db';
import { openPglite } from '@svc/engine/store/database/pglite';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { expectConserved, inboundPosts, KINDS, pointTo, startDestination } from '../support/event-load.ts';
import { type Process, runServerCommandHere, startServerProcess, startSimulatorProcess } from '../support/processes.ts';

const POSTS = sized(1_500);
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
      const loaded = await runServerCommandHere(['world', 'load', world, ...target.args], env);
      expect(loaded).toMatchObject({ code: 0 });
      const prepared = await target.openDatabase();
      const before = await pointTo(prepared, destination.url);
      await prepared.close();

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
      expect(acknowledged.length).toBeGreaterThan(POSTS / 3);
      await expectConserved(db, { before, acknowledged, destination, simulatorUrl: simulator.url });
    },
    600_000,
  );
});

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
