/**
 * The commands of docs/backup.md for PostgreSQL, run as they stand there, on a PostgreSQL of this test, beside a server
 * that receives posts.
 */
import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findPostgresBinaries, freePort, unprivilegedAccount } from '../../../../scripts/vitest/postgres-cluster.ts';
import { leaveOut } from '../../../../scripts/vitest/lacking.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type Process, runServerCommand, startServerProcess } from '../support/processes.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const page = readFileSync(path.join(ROOT, 'docs', 'backup.md'), 'utf8');
const TIMEOUT_MS = 600_000;

/** The blocks of the page below `<!-- tested: NAME -->`. */
function blocksOf(name: string): string[] {
  const pattern = new RegExp(`^<!-- tested: ${name} -->\n\`\`\`sh\n([\\s\\S]*?)^\`\`\``, 'gm');
  const blocks = [...page.matchAll(pattern)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`docs/backup.md has no commands named ${name}`);
  return blocks;
}

const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined;
const binaries = inject('databaseUrl') === null ? null : findPostgresBinaries();
if (inject('databaseUrl') !== null && binaries === null) {
  leaveOut({ what: "PostgreSQL's server", untested: 'backups of PostgreSQL', remedy: 'apt-get install postgresql' });
}

describe.skipIf(binaries === null)('PostgreSQL', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'svc-pitr-'));
  const variables: Record<string, string> = {};
  const SVC_ENCRYPTION_KEY = generateEncryptionKey();
  let server: Process;
  let source = '';

  /** Runs a script with the variables of the page, by default as the user of PostgreSQL. */
  function shell(script: string, as: { uid?: number; gid?: number } = account ?? {}): Promise<void> {
    const whole = `set -euo pipefail\n${script.replaceAll('/var/backups/svc', path.join(folder, 'backups'))}`;
    const child = spawn('bash', ['-c', whole], {
      ...as,
      cwd: folder,
      env: { HOME: folder, LC_ALL: 'C', PATH: `${binaries}:${ROOT}bin:${process.env['PATH']}`, ...variables },
      // A server that pg_ctl starts would keep pipes open.
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`exit ${code}: ${script}`))));
    });
  }

  beforeAll(async () => {
    if (account !== undefined) chownSync(folder, account.uid, account.gid);
    const [port, restoredPort] = [await freePort(), await freePort()];
    const url = `postgresql://postgres@127.0.0.1:${port}`;
    Object.assign(variables, {
      ...{ MAINTENANCE_URL: `${url}/postgres`, DATABASE_URL: `${url}/svc`, PGUSER: 'postgres', SVC_ENCRYPTION_KEY },
      ...{
        BACKUPS: path.join(folder, 'backups'),
        RESTORED: path.join(folder, 'restored'),
        RESTORED_PORT: String(restoredPort),
      },
    });
    await shell(`initdb --pgdata data --username postgres --auth trust --encoding UTF8 --locale C --no-sync
      echo "port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = '${folder}'
fsync = off" >> data/postgresql.conf
      pg_ctl start --pgdata data --log log --wait
      createdb --maintenance-db "$MAINTENANCE_URL" svc`);
    const env = { DATABASE_URL: `${url}/svc`, SVC_ENCRYPTION_KEY, SVC_LOG_LEVEL: 'fatal' };
    server = await startServerProcess(['--port', '0'], env);
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runServerCommand(
        args,
        { ...env, SVC_SYNC_URL: server.url },
        'pat-eu1-not-a-token',
      );
      if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
      return stdout;
    };
    await run('accounts', 'create', '--email', 'kim@example.com');
    const crm = ['--crm', 'HUBSPOT', '--organization-id', '1', '--organization-domain', 'example.com', '--no-check'];
    await run('connections', 'add', '--account', '1', ...crm);
    source =
      (await run('sources', 'add', '--connection', '1', '--platform', 'smartlead')).trim().split('\n').at(-1) ?? '';
  }, TIMEOUT_MS);

  afterAll(async () => {
    await server.stop('SIGKILL');
    for (const data of ['restored', 'data']) {
      await shell(`[ ! -f ${data}/postmaster.pid ] || pg_ctl stop --pgdata ${data} --mode immediate --wait`).catch(
        () => {},
      );
    }
    rmSync(folder, { recursive: true, force: true });
  });

  let posted = 0;
  /** Returns the id of an acknowledged receipt; null for a 503, as while PostgreSQL restarts. */
  async function post(): Promise<number | null> {
    posted += 1;
    const body = JSON.stringify({
      event_type: 'EMAIL_REPLY',
      to_email: `kim-${posted}@example.org`,
      stats_id: `${posted}`,
    });
    const response = await fetch(source, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await response.text();
    expect([200, 503]).toContain(response.status);
    return response.status === 200 ? JSON.parse(text).requestId : null;
  }

  async function postMany(count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      const id = await post();
      if (id !== null) ids.push(id);
    }
    return ids;
  }

  /** Posts while the work lasts. Returns the acknowledged ids. */
  async function postDuring(work: Promise<unknown>): Promise<number[]> {
    let isDone = false;
    const end = work.finally(() => {
      isDone = true;
    });
    const ids: number[] = [];
    while (!isDone) ids.push(...(await postMany(1)));
    await end;
    return ids;
  }

  async function query<Row extends object>(connectionString: string, sql: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async function expectRestored(url: string, { kept, lost }: { kept: number[]; lost: number[] }): Promise<void> {
    const rows = await query<{ id: string }>(url, 'select id from requests');
    const found = new Set(rows.map(({ id }) => Number(id)));
    expect(kept.filter((id) => !found.has(id))).toEqual([]);
    expect(lost.filter((id) => found.has(id))).toEqual([]);
    const env = { DATABASE_URL: url, SVC_ENCRYPTION_KEY, SVC_LOG_LEVEL: 'error' };
    const doctor = await runServerCommand(['doctor', '--json'], env);
    const checks: { name: string; status: string; message: string }[] = JSON.parse(doctor.stdout).checks;
    // The token of this test is made up, and nothing answers for HubSpot.
    expect(checks.filter(({ status, name }) => status === 'FAIL' && !/token|connection/i.test(name))).toEqual([]);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'encryption key', status: 'PASS' }));
    const restored = await startServerProcess(['--port', '0'], env);
    expect((await fetch(`${restored.url}/health/ready`)).status).toBe(200);
    expect(await restored.stop()).toBe(0);
  }

  test(
    'a dump beside posts has every event that was acknowledged before it',
    async () => {
      const before = await postMany(20);
      const [dump = '', restore = ''] = blocksOf('dump');
      const during = await postDuring(shell(dump, {}));
      expect(during.length).toBeGreaterThan(0);
      const later = await postMany(5);
      // Its last command is the doctor, which fails because nothing answers for HubSpot.
      await shell(restore.replace(/^DATABASE_URL=.*svc-server doctor\n$/m, ''), {});
      await expectRestored(`${variables['MAINTENANCE_URL']?.replace(/postgres$/, '')}svc_restored`, {
        kept: before,
        lost: later,
      });
    },
    TIMEOUT_MS,
  );

  test(
    'files and archived log restore any point in time',
    async () => {
      await shell(blocksOf('archive').join('\n'));
      await postDuring(shell('pg_ctl restart --pgdata data --mode fast --log log --wait'));
      await postDuring(shell(blocksOf('base').join('\n')));
      const kept = await postMany(20);
      const [now] = await query<{ at: string }>(
        variables['DATABASE_URL'] ?? '',
        'select clock_timestamp()::text as at',
      );
      variables['TARGET_TIME'] = now?.at ?? '';
      const lost = await postMany(20);
      // Instead of waiting for archive_timeout.
      await query(variables['DATABASE_URL'] ?? '', 'select pg_switch_wal()');
      const restore = blocksOf('restore').join('\n');
      await shell(restore);
      await expectRestored(`postgresql://postgres@127.0.0.1:${variables['RESTORED_PORT']}/svc`, { kept, lost });
    },
    TIMEOUT_MS,
  );
});
