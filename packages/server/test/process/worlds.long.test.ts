/** Runs `svc-server` with the worlds of files and with the demo. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { getJson, type Process, runServerCommandHere, startServerProcess } from '../support/processes.ts';

const databaseUrl = inject('databaseUrl');
const minimalWorld = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));

// Several processes per test, on a machine that may be busy.
describe('worlds of svc-server', { timeout: 600_000 }, () => {
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

  test('start --world: says where and why a file is not a world', async () => {
    const file = path.join(dir, 'world.json');
    await writeFile(file, '{"version": 1, "name": "x"}');
    const refused = await runServerCommandHere(['start', '--port', '0', '--data-dir', dir, '--world', file]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`The world file ${file} cannot be used`);
    expect(refused.stderr).toContain('accounts');
    const without = await runServerCommandHere(['start', '--port', '0', '--data-dir', dir, '--world']);
    expect(without).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the database contains none. Load one with'),
    });
  });

  test('start --demo: writes to simulators only, and reloads the world at each start', async () => {
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
      await expect.poll(() => server.stdout()).toContain('Sequencer simulator on');
      expect(server.stdout()).toContain('  writes to  nothing leaves this machine');
      const simulator = /HubSpot simulator on (http:\S+)/.exec(server.stdout())?.[1];
      const state = `${simulator}/__sim/state`;
      // One in each round: the second start does not treat the first one's event as a duplicate.
      await expect.poll(async () => (await getJson(state)).counts.engagements).toBe(1);
      if (round === 0) await resyncBlockList(server);
      await server.stop();
    }
  });

  test.skipIf(databaseUrl === null)('start --demo: a second one on the same database changes nothing', async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    const env = { DATABASE_URL: database.url };
    const first = await start(['--demo', '--data-dir', dir], env);
    const { port } = new URL(first.url);
    const samePort = await runServerCommandHere(['start', '--demo', '--port', port, '--data-dir', dir], env);
    expect(samePort).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') });
    const otherPort = await runServerCommandHere(['start', '--demo', '--port', '0', '--data-dir', dir], env);
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
      const { token }: { token: string } = JSON.parse((await runServerCommandHere(argv, env)).stdout);
      expect(token).toMatch(/^acme_[0-9a-z]{52}$/);
      return token;
    };
    expect(await runServerCommandHere(['world', 'load', minimalWorld, '--data-dir', dir], env)).toMatchObject({
      code: 0,
    });
    const byCommand = await makeKey();
    const server = await start(['--world', '--data-dir', dir], env);
    const byServer = await makeKey();
    for (const key of ['acme_minimal', byCommand, byServer]) expect(await statusWith(server.url, key)).toBe(200);
    expect(await statusWith(server.url, 'osapi_minimal')).toBe(401);

    const demo = await start(['--demo', '--data-dir', path.join(dir, 'demo')], env);
    expect(await statusWith(demo.url, 'acme_demo_read')).toBe(200);
  });

  test('world load: refuses to overwrite a database with accounts of its own', async () => {
    await runServerCommandHere(['world', 'load', minimalWorld, '--data-dir', dir]);
    const { openPglite } = await import('@svc/engine/store/database/pglite');
    const db = await openPglite(dir);
    await db.query('delete from service_meta');
    await db.close();
    const refused = await runServerCommandHere(['world', 'load', minimalWorld, '--data-dir', dir]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('would delete them') });
  });
});

/** Resyncs a block list of the demo from one simulator to the other. */
async function resyncBlockList(server: Process): Promise<void> {
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
}
