/**
 * Two servers of the release before are replaced by two of this one on one PostgreSQL, with the commands of
 * docs/upgrading.md, while posts arrive. Nothing is lost or doubled, and every server answers all the time.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { leaveOut } from '../../../../scripts/vitest/lacking.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { migrations, SCHEMA_OF_RELEASE_BEFORE } from '@svc/engine/store/migrations/index';
import { isFinish } from '@svc/engine/store/migrations/migration';
import {
  createTraffic,
  expectConserved,
  inboundPosts,
  pointTo,
  startLoadTargets,
  untilIdle,
} from '../support/event-load.ts';
import { type Process, runServerCommand, SERVER, startServerProcess } from '../support/processes.ts';
import { installReleaseBefore, RELEASE_BEFORE } from '../support/release-before.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** It runs about a dozen processes one after another, which a busy machine starts slowly. */
const TIMEOUT_MS = 900_000;
const databaseUrl = inject('databaseUrl');
const oldRelease = databaseUrl === null ? null : installReleaseBefore();
if (databaseUrl !== null && oldRelease === null) {
  const what = `the commit ${RELEASE_BEFORE}`;
  leaveOut({ what, untested: 'a rolling update from the release before', remedy: 'git fetch --unshallow' });
}

/** The commands of the section "Several servers, one after another". */
const [PLAN, MIGRATE, FINISH] = commandsOf('## Several servers, one after another');

function commandsOf(heading: string): string[][] {
  const page = readFileSync(path.join(ROOT, 'docs', 'upgrading.md'), 'utf8');
  const [, section = ''] = page.split(`${heading}\n`);
  const blocks = section.split('\n## ')[0]?.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm) ?? [];
  return [...blocks].map(([, block = '']) => block.trim().split(/\s*\n\s*/));
}

describe.skipIf(databaseUrl === null || oldRelease === null)('a rolling update', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let url = '';
  let env: Record<string, string> = {};
  let targets: Awaited<ReturnType<typeof startLoadTargets>>;
  let before = 0;
  const started: Process[] = [];

  beforeAll(async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    url = database.url;
    targets = await startLoadTargets(cleanUps);
    env = { ...targets.env, DATABASE_URL: url, SVC_ENCRYPTION_KEY: generateEncryptionKey() };
    expect(await runServerCommand(['world', 'load', oldRelease?.world ?? ''], env, '', oldRelease?.main)).toMatchObject(
      { code: 0 },
    );
    const db = openPostgres(url);
    before = await pointTo(db, targets.destination.url);
    await db.close();
  }, TIMEOUT_MS);

  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  const startOld = () => start(oldRelease?.main ?? '');
  const startNew = () => start(SERVER);

  async function start(main: string): Promise<Process> {
    const server = await startServerProcess(['--port', '0', '--world'], env, main);
    cleanUps.push(() => server.stop('SIGKILL'));
    started.push(server);
    return server;
  }

  /** Runs commands of the document from the sources of this release; returns what they print. */
  async function follow(commands: readonly string[] | undefined): Promise<string> {
    let output = '';
    for (const command of commands ?? []) {
      const [program, ...args] = command.split(' ');
      expect(program).toBe('svc-server');
      const { code, stdout, stderr } = await runServerCommand(args, env);
      output += stdout;
      if (code !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
    }
    return output;
  }

  async function query<Row extends object>(sql: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  const applied = async () =>
    (await query<{ version: number }>('select version from schema_migrations')).map(({ version }) => version);

  /** Starts a migration that meets a long report, and kills it while it waits. */
  async function interruptMigration(): Promise<void> {
    const report = new pg.Client({ connectionString: url });
    await report.connect();
    await report.query('begin');
    const { rows } = await report.query<{ name: string }>(`select format('%I', relname) as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations'`);
    await report.query(`lock table ${rows.map(({ name }) => name).join(', ')} in access share mode`);
    const child = spawn(process.execPath, [SERVER, 'migrate'], {
      env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...env },
      stdio: 'ignore',
    });
    const ended = new Promise<string>((resolve) =>
      child.once('close', (code, signal) => resolve(signal ?? String(code))),
    );
    const isBlocked = async () =>
      (
        await report.query(
          `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
        )
      ).rowCount !== 0;
    await expect
      .poll(async () => child.exitCode !== null || (await isBlocked()), { timeout: 60_000, interval: 20 })
      .toBe(true);
    child.kill('SIGKILL');
    const end = await ended;
    await report.query('rollback');
    await report.end();
    // A release whose start migrations touch no table of the release before has nothing to wait for.
    expect(['SIGKILL', '0']).toContain(end);
  }

  async function expectServing(server: Process): Promise<void> {
    const hour = 3_600_000;
    const range = { from: new Date(Date.now() - hour).toISOString(), to: new Date(Date.now() + hour).toISOString() };
    const account = await fetch(`${server.url}/api/v1/account/metrics?${new URLSearchParams(range)}`, {
      headers: { authorization: 'Bearer osapi_demo_read' },
    });
    expect(account.status).toBe(200);
    const metrics = await fetch(`${server.url}/metrics`);
    expect(await metrics.text()).toContain('svc_database_up 1');
  }

  test(
    'by the commands of docs/upgrading.md loses and doubles nothing',
    async () => {
      expect([PLAN, MIGRATE, FINISH].map((commands) => commands?.[0])).toEqual([
        ...['svc-server migrate --plan', 'svc-server migrate', 'svc-server migrate --finish'],
      ]);
      const [oldOne, oldTwo] = [await startOld(), await startOld()];
      const traffic = createTraffic(await inboundPosts(20_000), [oldOne, oldTwo]);
      await traffic.atLeast(50);

      await follow(PLAN);
      expect(Math.max(...(await applied()))).toBe(SCHEMA_OF_RELEASE_BEFORE);
      await interruptMigration();
      await traffic.atLeast(50);
      await expectServing(oldOne);

      await follow(MIGRATE);
      const afterStart = await applied();
      expect(migrations.filter((one) => !isFinish(one) && !afterStart.includes(one.version))).toEqual([]);
      await traffic.atLeast(60);
      await expectServing(oldOne);

      const newOne = await startNew();
      traffic.servers.push(newOne);
      await traffic.atLeast(60);
      for (const server of [oldOne, oldTwo, newOne]) await expectServing(server);
      if (migrations.some((one) => isFinish(one))) {
        const refused = await runServerCommand(['migrate', '--finish'], env);
        expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('earlier release are connected') });
      }

      traffic.servers.splice(0, 1);
      expect(await oldOne.stop()).toBe(0);
      const newTwo = await startNew();
      traffic.servers.push(newTwo);
      await traffic.atLeast(50);
      for (const server of [oldTwo, newOne, newTwo]) await expectServing(server);
      traffic.servers.splice(0, 1);
      expect(await oldTwo.stop()).toBe(0);
      if (Math.max(...(await applied())) > SCHEMA_OF_RELEASE_BEFORE) {
        const back = await runServerCommand(['start', '--port', '0', '--world'], env, '', oldRelease?.main ?? '');
        expect(back).toMatchObject({ code: 1, stderr: expect.stringContaining('schema version') });
      }

      // Its second command is the doctor, which warns of the world.
      await follow(FINISH);
      expect(await applied()).toEqual(expect.arrayContaining(migrations.map(({ version }) => version)));
      await traffic.atLeast(60);
      for (const server of [newOne, newTwo]) await expectServing(server);

      const acknowledged = await traffic.end();
      const db = openPostgres(url);
      cleanUps.push(() => db.close());
      await untilIdle(db);
      for (const server of [newOne, newTwo]) expect(await server.stop()).toBe(0);
      // Statements that were prepared before the migration go on after it.
      const logs = started.map((server) => server.stdout() + server.stderr());
      expect(logs.filter((log) => /cached plan|a job failed/.test(log))).toEqual([]);
      await expectConserved(db, {
        before,
        acknowledged,
        destination: targets.destination,
        simulatorUrl: targets.simulator.url,
      });
    },
    TIMEOUT_MS,
  );
});
