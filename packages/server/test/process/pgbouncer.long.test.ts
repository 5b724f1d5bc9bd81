/**
 * A whole installation whose database is behind pgbouncer in transaction mode, with and without a direct address: set up
 * and administered by commands, used by two processes, and stopped.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { INBOUND_PATHS, readDemoPayloads } from '../../../../scripts/demo-payloads.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import type { Database } from '@svc/engine/store/database/db';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { pointTo, startLoadTargets } from '../support/event-load.ts';
import { hasPgbouncer, startPgbouncer } from '@svc/engine/test/pgbouncer';
import { type Process, runServerCommandHere, startServerProcess } from '../support/processes.ts';

const databaseUrl = inject('databaseUrl');
const WORLD = fileURLToPath(new URL('../../../../fixtures/demo-world.json', import.meta.url));
const TIMEOUT_MS = 180_000;
const PATIENCE = { timeout: 120_000, interval: 100 };
const POOLER = 'reached through a connection pooler';

describe.skipIf(databaseUrl === null || !hasPgbouncer).each([
  { name: 'without DATABASE_DIRECT_URL', isDirect: false },
  { name: 'with DATABASE_DIRECT_URL', isDirect: true },
])('an installation behind pgbouncer $name', ({ isDirect }) => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let env: Record<string, string> = {};
  /** Not through the pooler. */
  let db: Database;
  let all: Process;
  let api: Process;
  let before = 0;

  beforeAll(async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    const pgbouncer = await startPgbouncer(database.url, 4);
    cleanUps.push(() => pgbouncer.stop());
    const targets = await startLoadTargets(cleanUps);
    env = {
      ...{ ...targets.env, SVC_LOG_LEVEL: 'warn', SVC_PORT: '0', SVC_ENCRYPTION_KEY: generateEncryptionKey() },
      ...{ DATABASE_URL: pgbouncer.url, ...(isDirect ? { DATABASE_DIRECT_URL: database.url } : {}) },
    };
    await run('world', 'load', WORLD);
    await run('migrate', '--finish');
    db = openPostgres(database.url, { maxConnections: 2 });
    cleanUps.push(() => db.close());
    before = await pointTo(db, targets.destination.url);
    [all, api] = await Promise.all([start(), start('--role', 'api')]);
  }, TIMEOUT_MS);
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  async function start(...args: string[]): Promise<Process> {
    const server = await startServerProcess(['--world', ...args], env);
    cleanUps.push(() => server.stop('SIGKILL'));
    return server;
  }

  async function run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runServerCommandHere(args, env);
    expect(stderr.includes(POOLER) ? '' : stderr).toBe('');
    expect(code).toBe(0);
    return stdout;
  }

  async function act(path: string): Promise<void> {
    const answer = await fetch(`${api.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer osapi_demo_write', 'content-type': 'application/json' },
      body: '{}',
    });
    expect([200, 202]).toContain(answer.status);
  }

  const locks = async () =>
    (
      await db.query(`select from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`)
    ).rowCount;

  test('the events of the demo are written once, and forwarded', { timeout: TIMEOUT_MS }, async () => {
    const payloads = readDemoPayloads();
    for (const { platform, headers, body } of payloads) {
      const answer = await fetch(`${all.url}/webhooks/${INBOUND_PATHS[platform]}`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
    }
    const expected = payloads.reduce((sum, { eventCount }) => sum + eventCount, 0);
    const written = async () => {
      const { rows } = await db.query<{ status: string; syncs: number }>(
        'select status, count(*) as syncs from syncs where payload_id > $1 group by 1',
        [before],
      );
      return rows;
    };
    await expect.poll(written, PATIENCE).toEqual([{ status: 'success', syncs: expected }]);
    const forwarded = async () => {
      const { rows } = await db.query<{ wanted: number; delivered: number }>(
        `select count(*) as wanted, count(*) filter (where exists (select from deliveries d where d.payload_id = e.request_id
            and d.destination_id = b.destination_id and d.status = 'success')) as delivered
          from inbound_events e join destination_bindings b on b.source_id = e.source_id
          where e.request_id > $1 and e.event_type = any(b.event_types) and not b.is_delayed`,
        [before],
      );
      return rows[0];
    };
    await expect.poll(async () => (await forwarded())?.wanted, PATIENCE).toBeGreaterThan(0);
    await expect
      .poll(async () => ((row) => (row?.wanted ?? 0) - (row?.delivered ?? 0))(await forwarded()), PATIENCE)
      .toBe(0);
  });

  test('a worker does what another process asked for: a webhook delivery and a retry', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { rows: webhooks } = await db.query<{ id: string }>(
      `select id from webhooks where account_id = 1 and is_active and deleted_at is null order by id limit 1`,
    );
    await act(`webhooks/${webhooks[0]?.id}/test`);
    const deliveries = async () =>
      (
        await db.query<{ status: string }>(
          'select status from webhook_deliveries order by created_at desc, id desc limit 1',
        )
      ).rows;
    await expect.poll(deliveries, PATIENCE).toEqual([{ status: 'SUCCEEDED' }]);

    const { rows: syncs } = await db.query<{ id: number }>('select max(id) as id from syncs where payload_id > $1', [
      before,
    ]);
    const id = syncs[0]?.id ?? 0;
    await db.query(`update syncs set status = 'error' where id = $1`, [id]);
    await act(`syncs/${id}/retry`);
    const retries = async () =>
      (await db.query<{ status: string }>('select status from syncs where retry_of_sync_id = $1', [id])).rows;
    await expect.poll(retries, PATIENCE).toEqual([{ status: 'success' }]);
  });

  test('commands work beside the servers, and the doctor says what it can see', { timeout: TIMEOUT_MS }, async () => {
    const { key }: { key: { id: number } } = JSON.parse(
      await run('keys', 'create', '--account', '1', '--name', 'pooled', '--json'),
    );
    expect(await run('keys', 'list')).toContain('pooled');
    await run('keys', 'revoke', String(key.id));
    // A later release may know this kind, so the job stays.
    await db.query(`insert into jobs (kind, ref, fairness_key, due_at, is_ready, created_at)
      values ('unknown', '1', 'k', now() - interval '1 hour', true, now())`);
    const { stdout } = await runServerCommandHere(['doctor', '--json'], env);
    const { checks }: { checks: { name: string; status: string; message: string }[] } = JSON.parse(stdout);
    const queue = checks.find(({ name }) => name === 'queue');
    expect(checks.find(({ name }) => name === 'database')?.status).toBe(isDirect ? 'PASS' : 'WARN');
    expect(checks.find(({ name }) => name === 'migrations')?.status).toBe('PASS');
    expect(queue?.status).not.toBe('PASS');
    expect(queue?.message.includes('cannot be seen through a connection pooler')).toBe(!isDirect);
  });

  test('servers announce themselves with the direct address only, and no lock stays in shared sessions', async () => {
    expect((await locks()) > 0).toBe(isDirect);
    for (const server of [all, api]) {
      expect(await server.stop()).toBe(0);
      const lines = server
        .stderr()
        .trim()
        .split('\n')
        .filter((line) => line !== '');
      expect(lines.filter((line) => !line.includes(POOLER))).toEqual([]);
      expect(lines).toHaveLength(isDirect ? 0 : 1);
    }
    expect(await locks()).toBe(0);
  });
});
