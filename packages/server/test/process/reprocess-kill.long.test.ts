/**
 * Servers that are killed while a run reads old receipts again: real processes, real HTTP, both databases. Each receipt
 * gives its event, its sync and its engagement once, and the run ends with the right counts.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHubspotSimulator } from '@svc/simulators';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { executeAdmin } from '../../src/admin/execute.ts';
import { readConfig } from '@svc/engine/config/config';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import type { Database } from '@svc/engine/store/database/db';
import { openPglite } from '@svc/engine/store/database/pglite';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { type Process, runServerCommandHere, startServerProcess } from '../support/processes.ts';

const RECEIPTS = sized(1_000);
/** One in this many repeats the receipt before it. */
const REPEATED = 10;
const EVENTS = RECEIPTS - Math.floor(RECEIPTS / REPEATED);
/** The server is killed when the run has looked at this many receipts, or at more. */
const KILLED_AT = [0, 0.1, 0.4, 0.7].map((share) => Math.ceil(RECEIPTS * share));
const databaseUrl = inject('databaseUrl');
const minimalWorld = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));

interface Place {
  env: Record<string, string>;
  /** The embedded database can be opened only while no server runs. */
  open(): Promise<Database>;
}

describe.each(['pglite', 'postgres'])('a run that reads receipts again, on %s', (backend) => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function place(): Promise<Place> {
    if (backend === 'pglite') {
      const folder = await mkdtemp(join(tmpdir(), 'svc-reprocess-'));
      cleanUps.push(() => rm(folder, { recursive: true, force: true }));
      const dataDir = join(folder, 'data');
      return { env: { SVC_DATA_DIR: dataDir }, open: () => openPglite(dataDir) };
    }
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    const { url } = database;
    return { env: { DATABASE_URL: url }, open: async () => openPostgres(url, { maxConnections: 2 }) };
  }

  test.skipIf(backend === 'postgres' && databaseUrl === null)(
    `${RECEIPTS} receipts, ${KILLED_AT.length} SIGKILLs: each event is written once`,
    async () => {
      const { env: placeEnv, open } = await place();
      const crm = await startHubspotSimulator();
      cleanUps.push(() => crm.close());
      const env = {
        ...placeEnv,
        SVC_ENCRYPTION_KEY: generateEncryptionKey(),
        SVC_RATE_LIMIT: 'off',
        SVC_LOG_LEVEL: 'error',
        SVC_HUBSPOT_URL: crm.url,
      };
      expect(await runServerCommandHere(['world', 'load', minimalWorld], env)).toMatchObject({ code: 0 });
      const before = await open();
      const first = (await before.query<{ id: number }>('select coalesce(max(id), 0) + 1 as id from requests')).rows[0];
      await before.query(
        `insert into requests (account_id, connection_id, source_id, path, body, body_sha256, outcome, created_at)
          select c.account_id, c.id, s.id, s.path, convert_to(json_build_object('event_type', 'EMAIL_SENT',
            'stats_id', 'old-' || i, 'to_email', 'old-' || i || '@example.org')::text, 'UTF8'), 'hash-' || i, 'unparsed',
            now() - interval '1 hour' + number * interval '10 ms'
          from sources s join connections c on c.id = s.connection_id, generate_series(1, $1) number,
            lateral (select number - (number % $2 = 0)::int as i) events where s.id = 1 order by number`,
        [RECEIPTS, REPEATED],
      );
      await before.close();

      const start = () => startServerProcess(['--port', '0', '--world'], env);
      let server: Process = await start();
      cleanUps.push(() => server.stop('SIGKILL'));
      const asked = ['requests', 'reprocess', '--source', '1', '--since', '2h', '--no-wait', '--json'];
      const answer = await runServerCommandHere(asked, env);
      expect(answer).toMatchObject({ code: 0 });
      const { run: begun } = JSON.parse(answer.stdout);
      // As the command does, without starting a process for each look: the run would be over before a second one.
      const config = readConfig(env);
      const readRun = async () => {
        const [run] = (await executeAdmin(config, 'requests/runs', { runId: begun.id })).runs;
        if (run === undefined) throw new Error(`There is no run ${begun.id}.`);
        return run;
      };
      const lookedAtWhenKilled: number[] = [];
      for (const enough of KILLED_AT) {
        await expect
          .poll(async () => (await readRun()).lookedAt, { timeout: 240_000, interval: 10 })
          .toBeGreaterThanOrEqual(enough);
        await server.stop('SIGKILL');
        lookedAtWhenKilled.push((await readRun()).lookedAt);
        server = await start();
      }
      await expect.poll(async () => (await readRun()).state, { timeout: 240_000, interval: 500 }).toBe('done');
      expect(lookedAtWhenKilled.filter((lookedAt) => lookedAt < RECEIPTS).length).toBeGreaterThan(1);
      expect(await readRun()).toMatchObject({
        total: RECEIPTS,
        lookedAt: RECEIPTS,
        counts: {
          understood: EVENTS,
          newEvents: EVENTS,
          known: RECEIPTS - EVENTS,
          changed: 0,
          unparsed: 0,
          skipped: 0,
        },
      });
      await expect
        .poll(() => crm.state().counts.engagements, { timeout: 240_000, interval: 500 })
        .toBeGreaterThanOrEqual(EVENTS);
      await server.stop();

      const db = await open();
      cleanUps.push(() => db.close());
      const { rows: events } = await db.query<{ receipts: number; syncs: number; successes: number }>(
        `select count(distinct e.id)::int as receipts, count(s.id) filter (where s.retry_of_sync_id is null)::int as syncs,
            count(s.id) filter (where s.status = 'success')::int as successes
          from inbound_events e left join syncs s on s.inbound_event_id = e.id where e.request_id >= $1 group by e.request_id`,
        [first?.id],
      );
      expect(events).toHaveLength(EVENTS);
      expect(
        events.filter(({ receipts, syncs, successes }) => receipts !== 1 || syncs !== 1 || successes !== 1),
      ).toEqual([]);
      expect(crm.state().counts).toMatchObject({ engagements: EVENTS });
      const { rows: outcomes } = await db.query<{ outcome: string; count: number }>(
        'select outcome, count(*)::int as count from requests where id >= $1 group by outcome order by outcome desc',
        [first?.id],
      );
      expect(outcomes).toEqual([
        { outcome: 'synced', count: EVENTS },
        { outcome: 'duplicate', count: RECEIPTS - EVENTS },
      ]);
      const { rowCount: runJobs } = await db.query(`select from jobs where kind = 'reprocess-receipts'`);
      expect(runJobs).toBe(0);
    },
  );
});
