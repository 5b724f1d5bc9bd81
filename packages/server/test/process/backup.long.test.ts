/**
 * Backup and restore of the embedded database by their commands: beside a server that receives posts, killed in the
 * middle, and without room on the disk.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { POSTPONED_OPTIMIZATION } from '@svc/engine/runtime/postponed-optimization';
import { openPglite } from '@svc/engine/store/database/pglite';
import { hasProgram } from '../../../../scripts/vitest/lacking.ts';
import {
  COMPILE_CACHE,
  type Process,
  runServerCommand,
  runServerCommandHere,
  SERVER,
  startServerProcess,
} from '../support/processes.ts';

const TIMEOUT_MS = 600_000;
const env = { SVC_BACKUP_PASSPHRASE: 'four random words here', SVC_LOG_LEVEL: 'error' };

let folder = '';
let data = '';
let file = '';
let server: Process;
let url = '';

const at = (name: string) => path.join(folder, name);
const run = (...args: string[]) => runServerCommandHere(args, env);
const ok = { code: 0, stderr: '' };
/** A passphrase takes seconds to become a key, as it should, so most backups here are for a public key. */
let recipient = '';
const backup = (to: string, from: string) => run('backup', to, '--data-dir', from, '--recipient', recipient);
const restore = (...args: string[]) => run('restore', ...args, '--identity-file', at('identity'));

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'svc backup '));
  [data, file] = [at('data'), at('backup.svc')];
  server = await startServerProcess(['--port', '0', '--data-dir', data], env);
  const identity = await generateIdentity();
  recipient = await identityToRecipient(identity);
  await writeFile(at('identity'), `${identity}\n`);
  const dir = ['--data-dir', data];
  expect(await run('accounts', 'create', '--email', 'kim@example.com', ...dir)).toMatchObject(ok);
  const crm = ['--crm', 'HUBSPOT', '--organization-id', '1', '--organization-domain', 'example.com', '--no-check'];
  await writeFile(at('token'), 'pat-eu1-not-a-token');
  expect(await run('connections', 'add', '--account', '1', ...crm, '--token-file', at('token'), ...dir)).toMatchObject({
    code: 0,
  });
  const added = await run('sources', 'add', '--connection', '1', '--platform', 'smartlead', ...dir);
  url = added.stdout.trim().split('\n').at(-1) ?? '';
}, TIMEOUT_MS);

afterAll(async () => {
  await server.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

let posted = 0;
async function post(): Promise<number> {
  posted += 1;
  const body = JSON.stringify({
    event_type: 'EMAIL_REPLY',
    to_email: `kim-${posted}@example.org`,
    stats_id: `${posted}`,
  });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(response.status).toBe(200);
  return JSON.parse(await response.text()).requestId;
}

interface Acknowledged {
  id: number;
  atMs: number;
}

/** Posts until the returned function is called, which gives the acknowledged receipts. */
function keepPosting(): () => Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  let isDone = false;
  const posting = (async () => {
    while (!isDone) {
      acknowledged.push({ id: await post(), atMs: Date.now() });
      // Leaves the processor to the backup.
      await setTimeout(20);
    }
  })();
  return async () => {
    isDone = true;
    await posting;
    return acknowledged;
  };
}

async function receiptsIn(dataDir: string): Promise<Set<number>> {
  const db = await openPglite(dataDir);
  try {
    // Through the index and through the table: a torn copy would differ.
    await db.script('set enable_seqscan = off');
    const { rows: indexed } = await db.query<{ id: number }>('select id from requests where id > 0 order by id');
    await db.script('set enable_seqscan = on; set enable_indexscan = off; set enable_indexonlyscan = off');
    const { rows: scanned } = await db.query<{ id: number }>('select id from requests');
    expect(scanned.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(indexed.map(({ id }) => id));
    return new Set(indexed.map(({ id }) => id));
  } finally {
    await db.close();
  }
}

const drafts = async () => (await readdir(folder)).filter((name) => name.startsWith('backup.svc.part-'));

/** Kills the command as soon as a file or folder whose name begins so has content. */
async function killWhen(watched: string, prefix: string, args: readonly string[]): Promise<void> {
  const watcher = watch(watched);
  const child = spawn(process.execPath, [POSTPONED_OPTIMIZATION, SERVER, ...args], {
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: 'ignore',
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('close', (_code, signal) => resolve(signal)),
  );
  watcher.on('change', () => {
    const found = readdirSync(watched).filter((name) => name.startsWith(prefix));
    const sizes = found.map((name) => statSync(path.join(watched, name), { throwIfNoEntry: false })?.size ?? 0);
    if (sizes.some((size) => size > 0)) child.kill('SIGKILL');
  });
  expect(await ended).toBe('SIGKILL');
  watcher.close();
}

test(
  'a backup beside posts has every event that was acknowledged before the time at which it says it was made, and the key',
  async () => {
    const before = await Promise.all(Array.from({ length: 50 }, post));
    const stop = keepPosting();
    // A process of its own, which leaves the processor to the posts.
    const made = await runServerCommand(['backup', file, '--data-dir', data], env);
    const during = await stop();
    expect(made).toMatchObject({ ...ok, stdout: expect.stringMatching(/^Wrote .*backup\.svc: made at /) });
    expect(during.length).toBeGreaterThan(0);
    await copyFile(file, at('passphrase.svc'));

    const restored = at('restored');
    const report = await runServerCommand(['restore', file, '--data-dir', restored], env);
    expect(report).toMatchObject({ ...ok, stdout: expect.stringContaining('may arrive twice') });
    const found = await receiptsIn(restored);
    expect(before.filter((id) => !found.has(id))).toEqual([]);
    const madeAtMs = Date.parse(/made at (\S+?Z)/.exec(made.stdout)?.[1] ?? '');
    const earlier = during.filter(({ atMs }) => atMs < madeAtMs);
    expect(earlier.length).toBeGreaterThan(0);
    expect(earlier.filter(({ id }) => !found.has(id))).toEqual([]);

    // The server goes on, and its doctor knows the backup; the restored folder waits for a decision.
    expect((await run('doctor', '--data-dir', data)).stdout).toMatch(
      /PASS {2}backup +the last one is \d+ (ms|s|min) old/,
    );
    const checked = await run('doctor', '--data-dir', restored);
    expect(checked.stdout).toMatch(/PASS {2}encryption key +decrypts stored secrets/);
    expect(checked.stdout).toMatch(/WARN {2}data directory .* is a copy of /);
    const refused = await run('start', '--port', '0', '--data-dir', restored);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--accept-copy') });
    const started = await startServerProcess(['--port', '0', '--accept-copy', '--data-dir', restored], env);
    expect(await started.stop()).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  'a killed backup leaves the earlier one as it was, and the next one cleans up',
  async () => {
    const earlier = await readFile(file);
    await killWhen(folder, 'backup.svc.part-', ['backup', file, '--data-dir', data, '--recipient', recipient]);
    expect((await readFile(file)).equals(earlier)).toBe(true);
    expect((await readdir(data)).filter((name) => name.startsWith('backup-copy'))).toHaveLength(1);
    expect(await drafts()).toHaveLength(1);
    expect(await backup(file, data)).toMatchObject(ok);
    expect((await readdir(data)).filter((name) => name.startsWith('backup-copy'))).toEqual([]);
    expect(await drafts()).toEqual([]);
    expect((await readFile(file)).equals(earlier)).toBe(false);
    expect(await restore(file, '--verify')).toMatchObject(ok);
  },
  TIMEOUT_MS,
);

test(
  'a full disk leaves the earlier backup as it was, and nothing else',
  async () => {
    const earlier = await readFile(file);
    const limited = (command: string) => [
      '-c',
      `ulimit -f 1000; exec "$0" "$@"`,
      process.execPath,
      POSTPONED_OPTIMIZATION,
      SERVER,
      ...command.split(' '),
    ];
    const shell = (...args: string[]) =>
      new Promise<string>((resolve) => {
        const child = spawn('bash', args, {
          env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
          stdio: ['ignore', 'ignore', 'pipe'],
          cwd: folder,
        });
        let stderr = '';
        child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
        child.once('close', (code) => resolve(`${code} ${stderr}`));
      });
    expect(await shell(...limited(`backup backup.svc --data-dir data --recipient ${recipient}`))).toMatch(
      /^1 [^]*backup\.svc cannot be written: it would be larger[^]* An earlier backup of this name is unchanged/,
    );
    expect((await readFile(file)).equals(earlier)).toBe(true);
    expect(await drafts()).toEqual([]);
    expect((await readdir(data)).filter((name) => name.startsWith('backup-copy'))).toEqual([]);

    expect(await shell(...limited('restore backup.svc --data-dir small --identity-file identity'))).toMatch(/^1 /);
    expect(await readdir(at('small'))).toEqual([]);
  },
  TIMEOUT_MS,
);

test.skipIf(!hasProgram('age', 'backups that the program age opens'))(
  'without a server the command opens the folder itself; age opens a backup for a public key',
  async () => {
    execFileSync('age-keygen', ['-o', at('identity-of-age')], { stdio: 'ignore' });
    const ofAge = /age1\w+/.exec(await readFile(at('identity-of-age'), 'utf8'))?.[0] ?? '';
    const own = at('for-age.svc');
    expect(await run('backup', own, '--data-dir', at('restored'), '--recipient', ofAge)).toMatchObject(ok);
    const plain = execFileSync('age', ['--decrypt', '--identity', at('identity-of-age'), own], {
      maxBuffer: 1024 ** 3,
    });
    const names = execFileSync('tar', ['--list', '--file', '-'], {
      input: zstdDecompressSync(plain),
      encoding: 'utf8',
      maxBuffer: 1024 ** 3,
    });
    expect(names.split('\n')).toEqual(expect.arrayContaining(['backup.json', 'encryption.key', 'pglite/PG_VERSION']));
    expect(await run('restore', own, '--verify', '--identity-file', at('identity-of-age'))).toMatchObject(ok);
    expect(await run('restore', own, '--verify')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be opened with this passphrase or identity'),
    });
  },
  TIMEOUT_MS,
);

test(
  'a restore that was killed is never started, and can be repeated',
  async () => {
    const fresh = at('fresh');
    await mkdir(fresh, { mode: 0o700 });
    await killWhen(fresh, 'restoring', ['restore', file, '--data-dir', fresh, '--identity-file', at('identity')]);
    const refused = await run('start', '--port', '0', '--data-dir', fresh);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was interrupted: run svc-server restore again'),
    });
    expect((await run('doctor', '--data-dir', fresh)).stdout).toMatch(/FAIL {2}data directory .* was interrupted/);
    expect(await run('accounts', 'list', '--data-dir', fresh)).toMatchObject({ code: 1 });
    expect(await restore(file, '--data-dir', fresh, '--accept-copy')).toMatchObject(ok);
    expect((await readdir(fresh)).toSorted()).toEqual([
      ...['encryption.key', 'pglite', 'pglite.complete', 'svc-server.home'],
    ]);
    const started = await startServerProcess(['--port', '0', '--data-dir', fresh], env);
    expect(await started.stop()).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  'a folder with a database is replaced only on request; a kill before the exchange leaves it as it was',
  async () => {
    const there = at('restored');
    const before = await receiptsIn(there);
    expect(await restore(file, '--data-dir', data)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('in use'),
    });
    expect(await restore(file, '--data-dir', there)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--replace'),
    });
    await killWhen(there, 'restoring', [
      'restore',
      file,
      '--data-dir',
      there,
      '--replace',
      '--identity-file',
      at('identity'),
    ]);
    expect(await receiptsIn(there)).toEqual(before);

    // Killed during the exchange: the old database is aside, the new one not there yet.
    await mkdir(path.join(there, 'replaced-earlier'));
    await rename(path.join(there, 'pglite'), path.join(there, 'replaced-earlier', 'pglite'));
    await writeFile(path.join(there, 'restore.unfinished'), '');
    expect(await run('start', '--port', '0', '--data-dir', there)).toMatchObject({ code: 1 });
    expect(await restore(file, '--data-dir', there, '--accept-copy')).toMatchObject(ok);
    expect((await receiptsIn(there)).size).toBeGreaterThan(before.size);
    expect(existsSync(path.join(there, 'replaced-earlier', 'pglite', 'PG_VERSION'))).toBe(true);
  },
  TIMEOUT_MS,
);

test(
  'a wrong passphrase and a truncated backup change nothing',
  async () => {
    const empty = at('empty');
    const wrong = await runServerCommandHere(['restore', at('passphrase.svc'), '--data-dir', empty], {
      ...env,
      SVC_BACKUP_PASSPHRASE: 'other',
    });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be opened with this passphrase') });
    const whole = await readFile(file);
    await writeFile(at('cut.svc'), whole.subarray(0, whole.length - 1));
    expect(await restore(at('cut.svc'), '--data-dir', empty)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('damaged or truncated'),
    });
    expect(await readdir(empty)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'with PostgreSQL, backup refuses before it asks for a passphrase',
  async () => {
    const SVC_ENCRYPTION_KEY = Buffer.alloc(32).toString('base64');
    const onPostgres = { DATABASE_URL: 'postgres://127.0.0.1:9/x', SVC_ENCRYPTION_KEY };
    expect(await runServerCommandHere(['backup', file], onPostgres)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pg_dump'),
    });
  },
  TIMEOUT_MS,
);
