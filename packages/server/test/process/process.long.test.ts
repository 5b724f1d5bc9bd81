/** Runs `svc-server` as an operator does, including its errors. */
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  watch,
  writeFile,
} from 'node:fs/promises';
import { Agent, createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { markAsCopy } from '@svc/engine/store/database/data-dir-home';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { type Process, runServerCommand, runServerCommandHere, startServerProcess } from '../support/processes.ts';

const databaseUrl = inject('databaseUrl');
const minimalWorld = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));

// Several processes per test, on a machine that may be busy.
describe('svc-server', { timeout: 600_000 }, () => {
  let dir: string;
  const running: Process[] = [];
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'svc server '));
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });
  const start = async (args: readonly string[] = [], env: Record<string, string> = {}) => {
    const server = await startServerProcess(['--port', '0', ...args], env);
    running.push(server);
    return server;
  };

  describe('on one data directory', () => {
    let folder: string;
    let server: Process;
    const mistaken = { SVC_PAYLOADS_DAYS: 'hunter2', SVC_API_KEY: 'hunter2', DATABASE_UR: 'postgres://u:hunter2@h/d' };
    const logged = () => server.stderr().trim().split('\n');
    beforeAll(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), 'svc server '));
      await chmod(folder, 0o755);
    });
    afterAll(async () => {
      await server.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    });
    const startAgain = (env: Record<string, string> = {}) =>
      startServerProcess(['--port', '0', '--data-dir', folder], env);

    test('start: refuses a port that is in use and releases the data directory', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const { port } = other.address() as AddressInfo;
      const refused = await runServerCommandHere(['start', '--port', String(port), '--data-dir', folder]);
      other.close();
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(`Port ${port} on 127.0.0.1 is in use`);
      server = await startAgain(mistaken);
    });

    test('start: prints one ready line with the URL, and logs JSON to stderr', async () => {
      expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
      await expect.poll(() => server.stdout()).toMatch(/writes to.*\n$/);
      expect(server.stdout().split('\n')).toEqual([
        `svc-server is ready on ${server.url}`,
        expect.stringMatching(/^ {2}version {4}\d/),
        `  database   embedded, in ${folder}`,
        '  writes to  nothing yet: svc-server connections add connects a CRM',
        '',
      ]);
      for (const line of logged()) expect(JSON.parse(line)).toHaveProperty('level');
    });

    test('start and commands: name variables without effect and the nearest one, never their values', async () => {
      const messages = [
        'SVC_PAYLOADS_DAYS is not a variable of svc-server and has no effect: did you mean SVC_PAYLOAD_DAYS?',
        'DATABASE_UR is not a variable of svc-server and has no effect: did you mean DATABASE_URL?',
      ];
      expect(logged().map((line) => JSON.parse(line).msg)).toEqual(expect.arrayContaining(messages));
      const argv = ['accounts', 'list', '--data-dir', folder];
      const listed = await runServerCommandHere(argv, mistaken);
      expect(listed.code).toBe(0);
      const warnings = messages.map((line) => `Warning: ${line}`);
      expect(listed.stderr.trim().split('\n').toSorted()).toEqual(warnings.toSorted());
      expect((await runServerCommandHere([...argv, '--json'], mistaken)).stderr).toBe('');
      expect(logged().join() + listed.stderr).not.toMatch(/hunter2|SVC_API_KEY/);
    });

    test('start: closes a data directory that others could enter, including its key, and logs it', async () => {
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      // PGlite sets its own modes on database files.
      const files = (await readdir(folder)).filter((file) => file !== 'pglite');
      const modes = await Promise.all(files.map(async (file) => (await stat(path.join(folder, file))).mode & 0o077));
      expect(files).toContain('encryption.key');
      expect(modes).toEqual(files.map(() => 0));
      expect(server.stderr()).toContain('other users could enter the data directory');
    });

    test('start: refuses a data directory in use, names the process and says what to do', async () => {
      const refused = await runServerCommand(['start', '--port', '0', '--data-dir', folder]);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toBe(
        `svc-server: The data directory ${folder} is in use by process ${server.child.pid}. Stop that svc-server first, or choose another folder with --data-dir.\n`,
      );
      expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
    });

    test('answers malformed requests with JSON', async () => {
      const raw = async (text: string) => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.end(text));
        let answer = '';
        for await (const chunk of socket) answer += String(chunk);
        const [head = '', body = ''] = answer.split('\r\n\r\n');
        return [Number(head.split(' ')[1]), JSON.parse(body).statusCode];
      };
      expect(await raw('NONSENSE\r\n\r\n')).toEqual([400, 400]);
      expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`)).toEqual([431, 431]);
    });

    test('start: stops despite busy connections and a request that never ends', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 4 });
      let isStopped = false;
      const client = async () => {
        while (!isStopped) await getOnce(`${server.url}/health/live`, agent).catch(() => {});
      };
      const clients = Promise.all([client(), client()]);
      const { port } = new URL(server.url);
      const stalled = connect(Number(port), '127.0.0.1', () => stalled.write('GET / HTTP/1.1\r\nHost:'));
      stalled.on('error', () => {});
      await expect.poll(() => getOnce(`${server.url}/health/live`, agent)).toBe(200);
      expect(await server.stop('SIGTERM')).toBe(0);
      isStopped = true;
      await clients;
      agent.destroy();
    });

    test('start: SIGINT ends the process with 0 too', async () => {
      server = await startAgain();
      expect(await server.stop('SIGINT')).toBe(0);
    });

    test('start: a second signal of either kind ends the process at once', async () => {
      server = await startAgain();
      const { port } = new URL(server.url);
      const upload = connect(Number(port), '127.0.0.1', () =>
        upload.write('POST /webhooks/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf'),
      );
      upload.on('error', () => {});
      await new Promise((resolve) => upload.once('connect', resolve));
      const exit = server.stop('SIGTERM');
      await expect.poll(() => server.stderr()).toContain('stopping');
      server.child.kill('SIGINT');
      expect(await exit).toBe(130);
    });
  });

  test('start: keeps what was acknowledged before a stop', async () => {
    expect(await runServerCommandHere(['world', 'load', minimalWorld, '--data-dir', dir])).toMatchObject({ code: 0 });
    const world = JSON.parse(await readFile(minimalWorld, 'utf8'));
    const unasked = await runServerCommandHere(['start', '--port', '0', '--data-dir', dir]);
    expect(unasked).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('contains the world "minimal"'),
    });
    const first = await start(['--world', '--data-dir', dir], { SVC_HUBSPOT_URL: 'http://127.0.0.1:9' });
    const body = '{"event_type": "EMAIL_OPEN", "to_email": "kim@example.org"}';
    const answer = await fetch(`${first.url}/webhooks/${world.sources[0].path}`, { method: 'POST', body });
    const { requestId } = JSON.parse(await answer.text());
    await first.stop();
    const { openPglite } = await import('@svc/engine/store/database/pglite');
    const db = await openPglite(dir);
    const { rows } = await db.query<{ body: Buffer }>('select body from requests where id = $1', [requestId]);
    await db.close();
    expect(rows.map((row) => row.body.toString())).toEqual([body]);
  });

  test('start: refuses a copy of a data directory until it is accepted, and a renamed one never', async () => {
    const data = path.join(dir, 'data');
    const copy = path.join(dir, 'copy');
    const first = await start(['--data-dir', data]);
    // Node cannot copy the socket, as `cp -r` does.
    await cp(data, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
    const running = await runServerCommandHere(['start', '--port', '0', '--data-dir', copy]);
    expect(running).toMatchObject({ code: 1, stdout: '' });
    expect(running.stderr).toBe(
      `svc-server: The data directory ${copy} is a copy of ${await realpath(data)}. Servers on both would post the same events twice. It was copied while process ${first.child.pid} had it open, so its database may be damaged: copy it again while no server has it open. If no server uses ${await realpath(data)} any more, for example after a restore or a move, start once with --accept-copy.\n`,
    );
    const inspected = await runServerCommandHere(['doctor', '--data-dir', copy]);
    expect(inspected.stdout).toMatch(/^WARN {2}data directory .* is a copy of .*\n.*svc-server start --accept-copy/m);
    expect(inspected.stdout).toMatch(/^WARN {2}lock .* the folder was copied while process \d+ had /m);
    await first.stop();
    await rm(copy, { recursive: true });

    await cp(data, copy, { recursive: true });
    const refused = await runServerCommandHere(['start', '--port', '0', '--data-dir', copy]);
    expect(refused.stderr).toContain('start once with --accept-copy');
    expect(refused.stderr).not.toContain('damaged');
    await (await start(['--accept-copy', '--data-dir', copy])).stop();
    const renamed = path.join(dir, 'renamed');
    await rename(copy, renamed);
    await start(['--data-dir', renamed]);
  });

  test('start: refuses a folder that a restore makes a copy while it waits for the lock', async () => {
    const data = path.join(dir, 'data');
    await mkdir(data, { mode: 0o700 });
    // That its container is gone shows when nobody has touched the lock for 15 s.
    await writeFile(path.join(data, 'svc-server.lock'), '{"pid": 1, "place": "another container"}');
    const events = watch(data)[Symbol.asyncIterator]();
    const starting = start(['--data-dir', data]).catch(String);
    for (let name = ''; !name.startsWith('svc-server.lock.'); ) name = (await events.next()).value?.filename ?? '';
    await events.return?.();
    await markAsCopy(data, '/srv/original');
    expect(await starting).toContain(`${data} is a copy of /srv/original.`);
  });

  test('start: a killed server and another key: not ready, and says so once', async () => {
    const key = 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';
    const env = { SVC_DATA_DIR: path.join(dir, 'data') };
    const first = await start([], env);
    await runServerCommandHere(['accounts', 'create', '--email', 'kim@example.com'], env);
    const add = ['connections', 'add', '--account', '1', '--crm', 'HUBSPOT', '--organization-id', '47'];
    await runServerCommandHere([...add, '--organization-domain', 'a.example.com', '--no-check'], env, 'pat\n');
    await first.stop();
    const server = await start([], { ...env, SVC_ENCRYPTION_KEY: key });
    const ready = await fetch(`${server.url}/health/ready`);
    expect([ready.status, JSON.parse(await ready.text())]).toEqual([
      503,
      { status: 'error', checks: { database: 'ok', queue: 'error', secrets: 'error' } },
    ]);
    expect(server.stdout()).toContain('writes to  nothing, and is not ready: the stored secrets cannot be decrypted');
    const errors = server
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"level":50'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('Set SVC_ENCRYPTION_KEY to the key they were encrypted with');
    await server.stop();
    const right = await start([], env);
    expect((await fetch(`${right.url}/health/ready`)).status).toBe(200);
  });

  test.skipIf(databaseUrl === null)('start: refuses PostgreSQL without a configured encryption key', async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    const refused = await runServerCommandHere(['start', '--port', '0', '--data-dir', dir], {
      DATABASE_URL: database.url,
    });
    await database.drop();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('SVC_ENCRYPTION_KEY is needed with DATABASE_URL');
  });

  test('start: reports an unreachable database, an invalid variable and an invalid flag, and exits with 1', async () => {
    const key = { SVC_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') };
    const away = await runServerCommandHere(['start'], { ...key, DATABASE_URL: 'postgresql://postgres@127.0.0.1:9/x' });
    expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('The database is not available') });
    expect(away.stderr).not.toContain('    at ');
    const variable = await runServerCommandHere(['start', '--data-dir', dir], { SVC_LOG_LEVEL: 'loud' });
    expect(variable).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC_LOG_LEVEL') });
    const flag = await runServerCommandHere(['start', '--port', 'x']);
    expect(flag).toMatchObject({ code: 2, stderr: expect.stringContaining('0 to 65535') });
  });

  test('migrate: brings the schema up to date and ends', async () => {
    expect(await runServerCommandHere(['migrate', '--data-dir', dir])).toMatchObject({
      code: 0,
      stdout: 'The database schema is up to date.\n',
    });
  });

  test('help and the version are found by word and by flag', async () => {
    const { stdout: version } = await runServerCommand(['--version']);
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const words of [['version'], ['keys', 'list', '-v']])
      expect(await runServerCommand(words)).toMatchObject({ code: 0, stdout: version });
    const { stdout: help } = await runServerCommand(['keys', 'list', '--help']);
    expect(help).toContain('Example:\n  $ svc-server keys list');
    for (const words of [
      ['help', 'keys', 'list'],
      ['keys', 'help', 'list'],
      ['keys', 'list', '-h'],
    ])
      expect(await runServerCommand(words)).toMatchObject({ code: 0, stdout: help });
    expect(await runServerCommand(['help', 'kyes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('keys'),
    });
  });

  test('an option in the place of a value is a usage error', async () => {
    expect(await runServerCommandHere(['start', '--port', '--demo'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--port needs a value'),
    });
  });

  test('an unknown command and an unknown option are usage errors', async () => {
    expect(await runServerCommandHere(['strat'])).toMatchObject({ code: 2, stderr: expect.stringContaining('start') });
    expect(await runServerCommandHere(['start', '--prot', '1'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--port'),
    });
  });
});

function getOnce(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = get(url, { agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
    call.once('error', reject);
  });
}
