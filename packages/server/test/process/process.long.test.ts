/** Runs `svc-server` as an operator does, including its errors. */
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { Agent, createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { getJson, type Process, runServerCommand, startServerProcess } from '../support/processes.ts';

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

  test('start: prints one ready line with the URL, logs JSON to stderr, and exits with 0 on SIGTERM and SIGINT', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const server = await start(['--data-dir', dir]);
      expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
      expect(await server.stop(signal)).toBe(0);
      expect(server.stdout().split('\n')).toEqual([
        `svc-server is ready on ${server.url}`,
        expect.stringMatching(/^ {2}version {4}\d/),
        `  database   embedded, in ${dir}`,
        '  writes to  nothing yet: svc-server connections add connects a CRM',
        '',
      ]);
      for (const line of server.stderr().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
    }
  });

  test('start and commands: name variables without effect and the nearest one, never their values', async () => {
    const env = { SVC_PAYLOADS_DAYS: 'hunter2', SVC_API_KEY: 'hunter2', DATABASE_UR: 'postgres://u:hunter2@h/d' };
    const messages = [
      'SVC_PAYLOADS_DAYS is not a variable of svc-server and has no effect: did you mean SVC_PAYLOAD_DAYS?',
      'DATABASE_UR is not a variable of svc-server and has no effect: did you mean DATABASE_URL?',
    ];
    const server = await start(['--data-dir', dir], env);
    const logged = server.stderr().trim().split('\n');
    expect(logged.map((line) => JSON.parse(line).msg)).toEqual(expect.arrayContaining(messages));
    const listed = await runServerCommand(['accounts', 'list', '--data-dir', dir], env);
    expect(listed.code).toBe(0);
    expect(listed.stderr.trim().split('\n').toSorted()).toEqual(messages.map((line) => `Warning: ${line}`).toSorted());
    const asJson = await runServerCommand(['accounts', 'list', '--data-dir', dir, '--json'], env);
    expect(asJson.stderr).toBe('');
    expect(logged.join() + listed.stderr).not.toMatch(/hunter2|SVC_API_KEY/);
  });

  test('start --demo: says that nothing leaves this machine', async () => {
    const server = await start(['--demo', '--data-dir', dir]);
    await expect.poll(() => server.stdout()).toContain('Sequencer simulator on');
    expect(server.stdout()).toContain('  writes to  nothing leaves this machine');
  });

  test('start: closes a data directory that others could enter, including its key, and logs it', async () => {
    await chmod(dir, 0o755);
    const server = await start(['--data-dir', dir]);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    // PGlite sets its own modes on database files.
    const files = (await readdir(dir)).filter((file) => file !== 'pglite');
    const modes = await Promise.all(files.map(async (file) => (await stat(path.join(dir, file))).mode & 0o077));
    expect(files).toContain('encryption.key');
    expect(modes).toEqual(files.map(() => 0));
    expect(server.stderr()).toContain('other users could enter the data directory');
  });

  test('start: keeps what was acknowledged before a stop', async () => {
    expect(await runServerCommand(['world', 'load', minimalWorld, '--data-dir', dir])).toMatchObject({ code: 0 });
    const world = JSON.parse(await readFile(minimalWorld, 'utf8'));
    const unasked = await runServerCommand(['start', '--port', '0', '--data-dir', dir]);
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
    const second = await start(['--world', '--data-dir', dir], { SVC_HUBSPOT_URL: 'http://127.0.0.1:9' });
    await second.stop();
    const { openPglite } = await import('@svc/engine/store/database/pglite');
    const db = await openPglite(dir);
    const { rows } = await db.query<{ body: Buffer }>('select body from requests where id = $1', [requestId]);
    await db.close();
    expect(rows.map((row) => row.body.toString())).toEqual([body]);
  });

  test('start: refuses a data directory in use, names the process and says what to do', async () => {
    const server = await start(['--data-dir', dir]);
    const refused = await runServerCommand(['start', '--port', '0', '--data-dir', dir]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toBe(
      `svc-server: The data directory ${dir} is in use by process ${server.child.pid}. Stop that svc-server first, or choose another folder with --data-dir.\n`,
    );
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  });

  test('start: refuses a copy of a data directory until it is accepted, and a renamed one never', async () => {
    const data = path.join(dir, 'data');
    const copy = path.join(dir, 'copy');
    const first = await start(['--data-dir', data]);
    // Node cannot copy the socket, as `cp -r` does.
    await cp(data, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
    const running = await runServerCommand(['start', '--port', '0', '--data-dir', copy]);
    expect(running).toMatchObject({ code: 1, stdout: '' });
    expect(running.stderr).toBe(
      `svc-server: The data directory ${copy} is a copy of ${await realpath(data)}. Servers on both would post the same events twice. It was copied while process ${first.child.pid} had it open, so its database may be damaged: copy it again while no server has it open. If no server uses ${await realpath(data)} any more, for example after a restore or a move, start once with --accept-copy.\n`,
    );
    const inspected = await runServerCommand(['doctor', '--data-dir', copy]);
    expect(inspected.stdout).toMatch(/^WARN {2}data directory .* is a copy of .*\n.*svc-server start --accept-copy/m);
    expect(inspected.stdout).toMatch(/^WARN {2}lock .* the folder was copied while process \d+ had /m);
    await first.stop();
    await rm(copy, { recursive: true });

    await cp(data, copy, { recursive: true });
    const refused = await runServerCommand(['start', '--port', '0', '--data-dir', copy]);
    expect(refused.stderr).toContain('start once with --accept-copy');
    expect(refused.stderr).not.toContain('damaged');
    await (await start(['--accept-copy', '--data-dir', copy])).stop();
    await (await start(['--data-dir', copy])).stop();
    const renamed = path.join(dir, 'renamed');
    await rename(copy, renamed);
    await start(['--data-dir', renamed]);
  });

  test('start: a killed server and another key: not ready, and says so once', async () => {
    const key = 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';
    const env = { SVC_DATA_DIR: path.join(dir, 'data') };
    await (await start([], env)).stop();
    await runServerCommand(['accounts', 'create', '--email', 'kim@example.com'], env);
    const add = ['connections', 'add', '--account', '1', '--crm', 'HUBSPOT', '--organization-id', '47'];
    await runServerCommand([...add, '--organization-domain', 'a.example.com', '--no-check'], env, 'pat\n');
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

  test('start: refuses a port that is in use and releases the data directory', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const refused = await runServerCommand(['start', '--port', String(port), '--data-dir', dir]);
    other.close();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`Port ${port} on 127.0.0.1 is in use`);
    await start(['--data-dir', dir]);
  });

  test('start: stops despite busy connections and a request that never ends', async () => {
    const server = await start(['--data-dir', dir]);
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

  test('start: a second signal of either kind ends the process at once', async () => {
    const server = await start(['--data-dir', dir]);
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

  test('answers malformed requests with JSON', async () => {
    const server = await start(['--data-dir', dir]);
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

  test.skipIf(databaseUrl === null)('start: refuses PostgreSQL without a configured encryption key', async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    const refused = await runServerCommand(['start', '--port', '0', '--data-dir', dir], { DATABASE_URL: database.url });
    await database.drop();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('SVC_ENCRYPTION_KEY is needed with DATABASE_URL');
  });

  test('start: reports an unreachable database, an invalid variable and an invalid flag, and exits with 1', async () => {
    const key = { SVC_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') };
    const away = await runServerCommand(['start'], { ...key, DATABASE_URL: 'postgresql://postgres@127.0.0.1:9/x' });
    expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('The database is not available') });
    expect(away.stderr).not.toContain('    at ');
    const variable = await runServerCommand(['start', '--data-dir', dir], { SVC_LOG_LEVEL: 'loud' });
    expect(variable).toMatchObject({ code: 1, stderr: expect.stringContaining('SVC_LOG_LEVEL') });
    const flag = await runServerCommand(['start', '--port', 'x']);
    expect(flag).toMatchObject({ code: 2, stderr: expect.stringContaining('0 to 65535') });
  });

  test('start --world: says where and why a file is not a world', async () => {
    const file = path.join(dir, 'world.json');
    await writeFile(file, '{"version": 1, "name": "x"}');
    const refused = await runServerCommand(['start', '--port', '0', '--data-dir', dir, '--world', file]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`The world file ${file} cannot be used`);
    expect(refused.stderr).toContain('accounts');
    const without = await runServerCommand(['start', '--port', '0', '--data-dir', dir, '--world']);
    expect(without).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the database contains none. Load one with'),
    });
  });

  test('start --demo: reloads the world at each start and answers CRM calls from a simulator', async () => {
    for (let round = 0; round < 2; round += 1) {
      const server = await start(['--demo', '--data-dir', dir]);
      const me = await fetch(`${server.url}/api/v1/me`, { headers: { authorization: 'Bearer osapi_demo_read' } });
      expect(me.status).toBe(200);
      // Its keys are public, so no website may reach it through a host name that resolves to this machine.
      const [foreign] = await once(
        get(`${server.url}/api/v1/me`, { headers: { host: 'rebound.example.com' } }),
        'response',
      );
      expect(foreign.resume().statusCode).toBe(403);
      const body = await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url));
      expect((await fetch(`${server.url}/webhooks/demo-smartlead`, { method: 'POST', body })).status).toBe(200);
      await expect.poll(() => server.stdout()).toContain('HubSpot simulator on');
      const simulator = /HubSpot simulator on (http:\S+)/.exec(server.stdout())?.[1];
      const state = `${simulator}/__sim/state`;
      // One in each round: the second start does not treat the first one's event as a duplicate.
      await expect.poll(async () => (await getJson(state)).counts.engagements).toBe(1);
      await server.stop();
    }
  });

  test('start --demo: resyncs a block list from one simulator to the other', async () => {
    const server = await start(['--demo', '--data-dir', dir]);
    const authorization = 'Bearer osapi_demo_write';
    const resync = { method: 'POST', headers: { authorization } };
    expect((await fetch(`${server.url}/api/v1/blocklists/1/resync`, resync)).status).toBe(200);
    const listed = async () => {
      const answer = await fetch(`${server.url}/api/v1/blocklists`, { headers: { authorization } });
      const { blocklists } = JSON.parse(await answer.text());
      return blocklists.find((list: { id: number }) => list.id === 1);
    };
    await expect.poll(async () => (await listed()).status).toBe('SYNCED');
    const { syncedCount } = await listed();
    expect(syncedCount).toBeGreaterThan(0);
    const simulator = /Sequencer simulator on (http:\S+)/.exec(server.stdout())?.[1];
    const { blocklists } = await getJson(`${simulator}/__sim/state`);
    expect(blocklists).toMatchObject([{ platform: 'smartlead', token: 'demo-sequencer-token' }]);
    expect(blocklists[0].entries).toHaveLength(syncedCount);
  });

  test.skipIf(databaseUrl === null)('start --demo: a second one on the same database changes nothing', async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    const env = { DATABASE_URL: database.url };
    const first = await start(['--demo', '--data-dir', dir], env);
    const { port } = new URL(first.url);
    const samePort = await runServerCommand(['start', '--demo', '--port', port, '--data-dir', dir], env);
    expect(samePort).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') });
    const otherPort = await runServerCommand(['start', '--demo', '--port', '0', '--data-dir', dir], env);
    expect(otherPort).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('A svc-server is running on this database'),
    });
    await first.stop();
    const again = await start(['--demo', '--data-dir', dir], env);
    await again.stop();
    await database.drop();
  });

  test('other prefixes: used by everything that loads a world or creates a key', async () => {
    const env = { SVC_HEADER_PREFIX: 'Acme-', SVC_KEY_PREFIX: 'acme_', SVC_SECRET_PREFIX: 'acme-sign_' };
    const statusWith = async (url: string, key: string) => {
      const response = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
      expect(response.headers.get('acme-request-id')).not.toBeNull();
      return response.status;
    };
    const makeKey = async () => {
      const argv = ['keys', 'create', '--account', '1', '--name', 'Own', '--json', '--data-dir', dir];
      const { token }: { token: string } = JSON.parse((await runServerCommand(argv, env)).stdout);
      expect(token).toMatch(/^acme_[0-9a-z]{52}$/);
      return token;
    };
    expect(await runServerCommand(['world', 'load', minimalWorld, '--data-dir', dir], env)).toMatchObject({ code: 0 });
    const byCommand = await makeKey();
    const server = await start(['--world', '--data-dir', dir], env);
    const byServer = await makeKey();
    for (const key of ['acme_minimal', byCommand, byServer]) expect(await statusWith(server.url, key)).toBe(200);
    expect(await statusWith(server.url, 'osapi_minimal')).toBe(401);

    const demo = await start(['--demo', '--data-dir', path.join(dir, 'demo')], env);
    expect(await statusWith(demo.url, 'acme_demo_read')).toBe(200);
  });

  test('world load: refuses to overwrite a database with accounts of its own', async () => {
    await runServerCommand(['world', 'load', minimalWorld, '--data-dir', dir]);
    const { openPglite } = await import('@svc/engine/store/database/pglite');
    const db = await openPglite(dir);
    await db.query('delete from service_meta');
    await db.close();
    const refused = await runServerCommand(['world', 'load', minimalWorld, '--data-dir', dir]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('would delete them') });
  });

  test('migrate: brings the schema up to date and ends', async () => {
    expect(await runServerCommand(['migrate', '--data-dir', dir])).toMatchObject({
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
    expect(await runServerCommand(['start', '--port', '--demo'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--port needs a value'),
    });
  });

  test('an unknown command and an unknown option are usage errors', async () => {
    expect(await runServerCommand(['strat'])).toMatchObject({ code: 2, stderr: expect.stringContaining('start') });
    expect(await runServerCommand(['start', '--prot', '1'])).toMatchObject({
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
