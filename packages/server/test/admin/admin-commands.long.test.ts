/**
 * Runs the administrative commands as an operator does, with and without a running server, which is a process. Commands are processes
 * where that matters.
 */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/vitest/database.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import {
  type FinishedProcess,
  type Process,
  runServerCommand,
  runServerCommandHere,
  startServerProcess,
} from '../support/processes.ts';

const databaseUrl = inject('databaseUrl');
const ORGANIZATION = ['--crm', 'HUBSPOT', '--organization-id', '47', '--organization-domain', 'northwind.example.com'];
const CONNECTION = [...ORGANIZATION, '--no-check'];

/** Each command is a process, and the machine may be busy. */
const LOADED_MS = 300_000;

/** Runs a command whose stdout is one JSON document. */
async function runJson(
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
  run = runServerCommandHere,
) {
  const finished = await run([...args, '--json'], env, input);
  expect({ args, ...finished }).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(finished.stdout);
}

/** Returns the error of a command with `--json`, which is one line on stderr with nothing on stdout. */
function errorOf({ code, stdout, stderr }: FinishedProcess): { exit: number | null; code: string; message: string } {
  expect(stdout).toBe('');
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return { ...JSON.parse(stderr).error, exit: code, code: JSON.parse(stderr).error.code };
}

async function statusOf(server: Process, token: string): Promise<number> {
  return (await fetch(`${server.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;
}

describe('with a running server and the embedded database', { timeout: LOADED_MS }, () => {
  let dir: string;
  let server: Process;
  let here: readonly string[];
  beforeAll(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'svc admin '));
    here = ['--data-dir', dir];
    server = await startServerProcess(['--port', '0', ...here]);
    const { account } = await runJson(['accounts', 'create', '--email', 'kim@example.com', ...here]);
    await runJson(
      ['connections', 'add', '--account', String(account.id), ...CONNECTION, ...here],
      {},
      'pat-na1-token\n',
    );
  });
  afterAll(async () => {
    await server.stop('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });

  test('a new key works at once, and is refused at once when revoked', async () => {
    const created = await runServerCommandHere(['keys', 'create', '--account', '1', '--name', 'ci', ...here]);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^osapi_[0-9a-z]{52}\n$/) });
    expect(created.stderr).toContain('It is shown only once');
    expect(created.stderr).not.toContain('osapi_');
    const token = created.stdout.trim();
    expect(await statusOf(server, token)).toBe(200);
    const { keys } = await runJson(['keys', 'list', ...here]);
    const id = String(keys.find((key: { name: string }) => key.name === 'ci').id);
    expect(await runServerCommandHere(['keys', 'revoke', id, ...here])).toMatchObject({
      code: 0,
      stdout: `Key ${id} "ci" is revoked: requests with it get 401 from now on.\n`,
    });
    expect(await statusOf(server, token)).toBe(401);
  });

  test('a rotated key: the old token is refused and the new one works at once', async () => {
    const { key, token } = await runJson([
      'keys',
      'create',
      '--account',
      '1',
      '--name',
      'turning',
      '--scope',
      'write',
      ...here,
    ]);
    const rotated = await runJson(['keys', 'rotate', String(key.id), ...here]);
    expect(rotated).toMatchObject({ replacedKeyId: key.id, key: { name: 'turning', scopes: ['read', 'write'] } });
    expect([await statusOf(server, token), await statusOf(server, rotated.token)]).toEqual([401, 200]);
  });

  test('addresses are those of the running server', async () => {
    const { source } = await runJson(['sources', 'add', '--connection', '1', '--platform', 'smartlead', ...here]);
    expect(source.url).toMatch(new RegExp(`^${server.url}/webhooks/[0-9a-z]{32}$`));
    expect((await fetch(source.url, { method: 'POST', body: '{}' })).status).toBe(200);
  });

  test('a removal needs --yes, and the audit log has both calls without secrets', async () => {
    const { source } = await runJson(['sources', 'add', '--connection', '1', '--platform', 'smartlead', ...here]);
    const remove = ['sources', 'remove', String(source.id), ...here];
    expect(errorOf(await runServerCommandHere([...remove, '--json']))).toMatchObject({
      exit: 1,
      code: 'not_confirmed',
    });
    expect(await runServerCommandHere([...remove, '--yes'])).toMatchObject({
      code: 0,
      stdout: `Removed source ${source.id}.\n`,
    });
    expect((await fetch(source.url, { method: 'POST', body: '{}' })).status).toBe(404);
    const { entries } = await runJson(['audit', 'list', '--limit', '2', ...here]);
    expect(entries).toMatchObject([
      { actor: 'socket', operation: 'sources/remove', input: { id: source.id, isConfirmed: true }, outcome: 'done' },
      { actor: 'socket', operation: 'sources/remove', outcome: 'not_confirmed' },
    ]);
    const list = await runServerCommandHere(['audit', 'list', ...here]);
    expect(list.stdout).toContain('connections/add');
    expect(list.stdout).not.toContain('pat-na1-token');
    expect(await runServerCommandHere(['secrets', 'reencrypt', ...here])).toMatchObject({
      code: 0,
      stdout: '0 secrets re-encrypted, 1 were up to date.\n',
    });
  });

  test('requests that are not understood are listed, shown with the next step, and read again', async () => {
    const add = ['sources', 'add', '--connection', '1', '--platform', 'my-dialer'];
    const { source } = await runJson([...add, '--yes', ...here]);
    const body = JSON.stringify({ kind: 'call', token: 'hush' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}${new URL(source.url).pathname}`, {
      method: 'POST',
      headers,
      body,
    });
    const { requestId } = JSON.parse(await answer.text());
    const run = async (...args: string[]) => {
      const finished = await runServerCommandHere(['requests', ...args, ...here]);
      expect(finished).toMatchObject({ code: 0 });
      return finished;
    };
    const list = () => run('list', '--source', String(source.id), '--outcome', 'unparsed');
    await expect.poll(async () => (await list()).stdout).toContain(`\n${requestId} `);
    const shown = await run('show', String(requestId));
    expect(shown.stdout).toContain('Outcome: unparsed (no adapter for this platform, and no mapping)');
    expect(shown.stdout).toContain('"token": "[hidden]"');
    expect(shown.stderr).toContain(`svc-server sources map --source ${source.id}`);
    const counts = '1 of 1 requests: 0 events would be new in 0 requests, 1 not understood, 0 ignored.';
    const dryRun = await run('reprocess', '--source', String(source.id), '--since', '1h', '--dry-run');
    expect(dryRun.stdout).toContain(`Dry run 1 of source ${source.id} is done, ${counts}`);
    const status = await run('reprocess', '--status');
    expect(status.stdout).toContain(`Dry run 1 of source ${source.id} is done, ${counts}\n  Requests from `);
  });

  test('a binding says how many the destination has now', async () => {
    const { source } = await runJson(['sources', 'add', '--connection', '1', '--platform', 'smartlead', ...here]);
    const url = ['--url', 'https://hooks.example.com/events'];
    const { destination } = await runJson(['destinations', 'add', '--connection', '1', ...url, ...here]);
    const bind = ['destinations', 'bind', String(destination.id), '--source', String(source.id)];
    expect((await runServerCommandHere([...bind, '--event-types', 'EMAIL_REPLY', ...here])).stdout).toBe(
      `Destination ${destination.id} gets EMAIL_REPLY of source ${source.id}. It now has 1 binding.\n`,
    );
  });

  test('only its owner may use the socket', async () => {
    const socket = await stat(path.join(dir, 'admin.sock'));
    expect(socket.isSocket()).toBe(true);
    expect(socket.mode & 0o777).toBe(0o600);
  });

  test('doctor: gets database checks from the running server', async () => {
    const finished = await runServerCommandHere(['doctor', '--json', ...here]);
    expect(finished).toMatchObject({ code: 0, stderr: '' });
    const { status, checks } = JSON.parse(finished.stdout);
    expect(status).not.toBe('FAIL');
    const line = (name: string) => checks.find((check: { name: string }) => check.name === name);
    expect(line('lock').message).toBe(`process ${server.child.pid} has the folder open`);
    expect(line('encryption key')).toMatchObject({ status: 'PASS', message: 'decrypts stored secrets (CRM token)' });
    for (const name of ['configuration', 'Node', 'data directory', 'database', 'migrations', 'clock', 'queue'])
      expect(line(name)).toMatchObject({ name, status: 'PASS' });
  });

  test('doctor: names an invalid variable and exits with 1', async () => {
    const finished = await runServerCommandHere(['doctor', ...here], { SVC_PORT: 'x', SVC_PUBLC_URL: 'https://x' });
    expect(finished.code).toBe(1);
    expect(finished.stdout).toMatch(/^FAIL {2}configuration +SVC_PORT must be a port/m);
    expect(finished.stdout).toMatch(/^WARN {2}configuration +SVC_PUBLC_URL is set/m);
    expect(finished.stdout).toContain('-> Correct or unset SVC_PORT.');
  });

  test('the socket refuses other versions, unknown calls, too large bodies and invalid JSON', async () => {
    const version = { 'svc-server-version': packageJson.version };
    const ask = (options: { method?: string; path?: string; headers?: Record<string, string>; body?: string }) =>
      new Promise<{ status: number | undefined; error: { code: string; message: string } }>((resolve, reject) => {
        const { method = 'POST', path: target = '/admin/accounts/list', headers = version, body = '{}' } = options;
        const call = request(
          { socketPath: path.join(dir, 'admin.sock'), method, path: target, headers },
          (response) => {
            let text = '';
            response.on('data', (chunk) => {
              text += String(chunk);
            });
            response.once('end', () => resolve({ status: response.statusCode, ...JSON.parse(text) }));
          },
        );
        call.once('error', reject);
        call.end(body);
      });
    expect(await ask({})).toMatchObject({ status: 200 });
    expect(await ask({ headers: { 'svc-server-version': '9.9.9' } })).toMatchObject({
      status: 400,
      error: {
        code: 'version_mismatch',
        message: `The running svc-server is version ${packageJson.version} and this command is version 9.9.9: use the same for both. A restart brings the server up to date.`,
      },
    });
    expect(await ask({ headers: {} })).toMatchObject({ error: { code: 'version_mismatch' } });
    for (const call of [
      { method: 'GET' },
      { path: '/admin/accounts/drop' },
      { path: '/' },
      { path: '/admin/toString' },
    ])
      expect(await ask(call)).toMatchObject({ error: { code: 'not_found' } });
    expect(await ask({ body: 'x'.repeat(5 * 1024 * 1024) })).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringContaining('larger than') },
    });
    expect(await ask({ body: '{' })).toMatchObject({
      error: { code: 'invalid_input', message: 'The input is not JSON.' },
    });
    expect(await ask({ body: '{"x": 1}' })).toMatchObject({ error: { code: 'invalid_input' } });
  });

  test('refusals: a sentence or one JSON line on stderr, and exit code 1', async () => {
    const missing = await runServerCommandHere(['keys', 'revoke', '999', ...here]);
    expect(missing).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc-server: There is no key 999: svc-server keys list shows the existing ones.\n',
    });
    const twice = await runServerCommandHere(['accounts', 'create', '--email', 'kim@example.com', '--json', ...here]);
    expect(errorOf(twice)).toMatchObject({
      exit: 1,
      code: 'conflict',
      message: expect.stringContaining('kim@example.com'),
    });
    const hostile = ['destinations', 'add', '--url', 'https://169.254.169.254/latest', '--connection', '1', '--json'];
    expect(errorOf(await runServerCommandHere([...hostile, ...here]))).toMatchObject({
      exit: 1,
      code: 'invalid_input',
    });
    const noToken = await runServerCommandHere([
      'connections',
      'add',
      '--account',
      '1',
      ...CONNECTION,
      '--json',
      ...here,
    ]);
    expect(errorOf(noToken)).toMatchObject({ exit: 1, message: expect.stringContaining('No CRM token was given') });
  });

  test('a token comes from a file, never from the command line', async () => {
    const file = path.join(dir, 'token.txt');
    await writeFile(file, 'pat-from-file\n', { mode: 0o600 });
    const add = ['connections', 'add', '--account', '1', ...CONNECTION, ...here];
    expect(await runJson([...add, '--token-file', file])).toMatchObject({ isNew: false, connection: { id: 1 } });
    const argued = await runServerCommandHere([...add, '--token', 'pat-in-argv']);
    expect(argued).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("unknown option '--token'") });
    const absent = await runServerCommandHere([...add, '--token-file', path.join(dir, 'absent')]);
    expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining('--token-file cannot be read') });
  });
});

test(
  "usage errors: exit code 2, with the help's words or one JSON line",
  async () => {
    const wrong = ['keys', 'create', '--account', 'x', '--name', 'y'];
    expect(await runServerCommandHere(wrong)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/argument 'x' is invalid.*\n\(svc-server keys create --help lists the options\)/s),
    });
    expect(errorOf(await runServerCommandHere([...wrong, '--json']))).toMatchObject({ exit: 2, code: 'usage' });
    expect(await runServerCommand(['help', 'environment'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('SVC_ENCRYPTION_KEY\n'),
    });
    expect(await runServerCommand(['keys'])).toMatchObject({ code: 2, stderr: expect.stringContaining('rotate') });
  },
  LOADED_MS,
);

describe('without a running server', { timeout: LOADED_MS }, () => {
  let dir: string;
  let here: readonly string[];
  const running: Process[] = [];
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'svc admin '));
    here = ['--data-dir', dir];
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });
  const start = async (dataDir = dir) => {
    const server = await startServerProcess(['--port', '0', '--data-dir', dataDir]);
    running.push(server);
    return server;
  };

  test('commands open the database themselves, one after the other, and the next server sees their changes', async () => {
    expect(await runServerCommandHere(['migrate', ...here])).toMatchObject({ code: 0 });
    const emails = ['a@example.com', 'b@example.com'];
    await Promise.all(
      emails.map((email) => runJson(['accounts', 'create', '--email', email, ...here], {}, '', runServerCommand)),
    );
    await runJson(['connections', 'add', '--account', '1', ...CONNECTION, ...here], {}, 'pat');
    const { token } = await runJson(['keys', 'create', '--account', '1', '--name', 'x', ...here]);
    const server = await start();
    expect(await statusOf(server, token)).toBe(200);
    const { accounts } = await runJson(['accounts', 'list', ...here]);
    expect(accounts.map(({ email }: { email: string }) => email).sort()).toEqual(emails);
    expect(await server.stop()).toBe(0);
    expect(await readdir(dir)).not.toContain('admin.sock');
  });

  test('the socket of a killed server affects neither the next command nor the next server', async () => {
    const killed = await start();
    await runJson(['accounts', 'create', '--email', 'kim@example.com', ...here]);
    await killed.stop('SIGKILL');
    expect(await readdir(dir)).toContain('admin.sock');
    expect(await runJson(['accounts', 'list', ...here])).toMatchObject({ accounts: [{ email: 'kim@example.com' }] });
    const next = await start();
    const { key } = await runJson(['keys', 'create', '--account', '1', '--name', 'x', ...here]);
    expect(key.id).toBe(1);
    await next.stop('SIGKILL');
    // Nor does a file at the socket's path.
    await rm(path.join(dir, 'admin.sock'));
    await writeFile(path.join(dir, 'admin.sock'), '');
    expect(await runJson(['keys', 'list', ...here])).toMatchObject({ keys: [{ id: 1 }] });
  });

  test("reaches the server when the folder's path is too long for a socket", async () => {
    const long = path.join(dir, 'x'.repeat(120));
    await mkdir(long);
    const server = await start(long);
    const { account } = await runJson(['accounts', 'create', '--email', 'kim@example.com', '--data-dir', long]);
    expect(account.id).toBe(1);
    const { socket } = JSON.parse(await readFile(path.join(long, 'admin.json'), 'utf8'));
    expect((await stat(socket)).mode & 0o777).toBe(0o600);
    expect(await server.stop()).toBe(0);
    expect(await readdir(long)).not.toContain('admin.json');
    await expect(stat(path.dirname(socket))).rejects.toThrow('ENOENT');
  });

  test('reports a folder without a database and does not change it', async () => {
    const empty = path.join(dir, 'mistyped');
    const list = await runServerCommandHere(['accounts', 'list', '--data-dir', empty]);
    expect(list).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`There is no database in ${empty}`),
    });
    const doctor = await runServerCommandHere(['doctor', '--data-dir', empty]);
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringMatching(/^WARN {2}database /m) });
    expect(await readdir(dir)).toEqual([]);
  });

  test('tells to migrate a database of an earlier release and does not change it', async () => {
    await runServerCommandHere(['migrate', ...here]);
    const { openPglite } = await import('@svc/engine/store/database/pglite');
    const db = await openPglite(dir);
    await db.query('delete from schema_migrations where version > 1');
    await db.close();
    const refused = await runServerCommandHere(['accounts', 'list', '--json', ...here]);
    expect(errorOf(refused)).toMatchObject({
      exit: 1,
      code: 'not_migrated',
      message: expect.stringContaining('svc-server migrate'),
    });
    const doctor = await runServerCommandHere(['doctor', ...here]);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL {2}migrations +not applied: 22 /m) });
  });

  test('does not retry when the server drops the call, which may have succeeded', async () => {
    const socket = path.join(dir, 'admin.sock');
    const dropping = createServer((connection) => connection.destroy()).listen(socket);
    await new Promise((resolve) => dropping.once('listening', resolve));
    const dropped = await runServerCommandHere(['accounts', 'list', '--json', ...here]);
    dropping.close();
    expect(errorOf(dropped)).toMatchObject({
      exit: 1,
      code: 'server_unavailable',
      message: expect.stringContaining('ended the call'),
    });
  });

  // Root may open every socket.
  test.skipIf(process.getuid?.() === 0)('names the owner of a socket of another user', async () => {
    const server = await start();
    await chmod(path.join(dir, 'admin.sock'), 0o000);
    const refused = await runServerCommandHere(['accounts', 'list', '--json', ...here]);
    expect(errorOf(refused)).toMatchObject({
      code: 'server_unavailable',
      message: expect.stringContaining('is not accessible'),
    });
    await server.stop();
  });
});

describe.skipIf(databaseUrl === null)('on PostgreSQL', { timeout: LOADED_MS }, () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await createTestDatabase(databaseUrl ?? '');
    env = { DATABASE_URL: database.url, SVC_ENCRYPTION_KEY: generateEncryptionKey() };
  });
  afterAll(async () => {
    await database.drop();
  });

  test('asks for migrate first; afterwards keys work at once on a running server', async () => {
    const early = await runServerCommandHere(['accounts', 'list', '--json'], env);
    expect(errorOf(early)).toMatchObject({
      code: 'not_migrated',
      message: expect.stringContaining('run svc-server migrate'),
    });
    await runServerCommandHere(['migrate'], env);
    await runJson(['accounts', 'create', '--email', 'kim@example.com'], env);
    const server = await startServerProcess(['--port', '0'], env);
    try {
      await runJson(['connections', 'add', '--account', '1', ...CONNECTION], env, 'pat');
      const { key, token } = await runJson(['keys', 'create', '--account', '1', '--name', 'x'], env);
      expect(await statusOf(server, token)).toBe(200);
      await runJson(['keys', 'revoke', String(key.id)], env);
      expect(await statusOf(server, token)).toBe(401);
      const doctor = await runServerCommandHere(['doctor', '--json'], env);
      expect(doctor.code).toBe(0);
      expect(JSON.parse(doctor.stdout).checks).toContainEqual(
        expect.objectContaining({ name: 'encryption key', status: 'PASS' }),
      );
    } finally {
      await server.stop();
    }
    const { SVC_ENCRYPTION_KEY: _key, ...keyless } = env;
    const refused = await runServerCommandHere(
      ['connections', 'add', '--account', '1', ...CONNECTION, '--json'],
      keyless,
      'pat',
    );
    expect(errorOf(refused)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('SVC_ENCRYPTION_KEY'),
    });
    const foreign = { ...env, SVC_ENCRYPTION_KEY: generateEncryptionKey() };
    const reencrypt = await runServerCommandHere(['secrets', 'reencrypt', '--json'], foreign);
    expect({ code: reencrypt.code, ...JSON.parse(reencrypt.stdout) }).toMatchObject({
      code: 1,
      unreadable: [{ kind: 'CRM token' }],
    });
    const doctor = await runServerCommandHere(['doctor'], foreign);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL {2}encryption key +CRM token: /m) });
  });

  test('command and doctor report an unreachable database', async () => {
    const away = { ...env, DATABASE_URL: 'postgresql://kim:geheim@127.0.0.1:9/x' };
    const refused = await runServerCommandHere(['accounts', 'list', '--json'], away);
    expect(errorOf(refused)).toMatchObject({ exit: 1, code: 'database_unavailable' });
    const doctor = await runServerCommandHere(['doctor'], away);
    expect(doctor).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^FAIL {2}database +The database is not available/m),
    });
    expect(doctor.stdout).toMatch(/^PASS {2}data directory +not used, because DATABASE_URL is set$/m);
    expect(doctor.stdout + doctor.stderr + refused.stderr).not.toContain('geheim');
  });
});
