/** Processes with one role each, on one PostgreSQL: what each answers, and an event that passes through all of them. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import {
  getJson,
  type Process,
  runServerCommandHere,
  startServerProcess,
  startSimulatorProcess,
} from '../support/processes.ts';

const databaseUrl = inject('databaseUrl');
const world = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));
const EVENT = { event_type: 'EMAIL_REPLY', to_email: 'roles@example.org', reply_body: 'Yes' };

describe.skipIf(databaseUrl === null)('processes with one role each', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let api: Process;
  let inbound: Process;
  let worker: Process;

  beforeAll(async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    const crm = await startSimulatorProcess();
    cleanUps.push(() => crm.stop());
    const env = {
      DATABASE_URL: database.url,
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_HUBSPOT_URL: crm.url,
      SVC_PORT: '0',
      SVC_RATE_LIMIT: 'off',
      SVC_LOG_LEVEL: 'warn',
    };
    expect(await runServerCommandHere(['world', 'load', world], env)).toMatchObject({ code: 0 });
    const start = async (args: string[], more: Record<string, string>) => {
      const started = await startServerProcess(['--world', ...args], { ...env, ...more });
      cleanUps.push(() => started.stop());
      return started;
    };
    [api, inbound, worker] = await Promise.all([
      start(['--role', 'api'], {}),
      start([], { SVC_ROLE: 'inbound', SVC_ADMIN_PORT: '0' }),
      start(['--role', 'worker'], { SVC_ROLE: 'api', SVC_ADMIN_PORT: '0' }),
    ]);
  }, 60_000);
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  const post = (url: string) =>
    fetch(`${url}/webhooks/minimal-smartlead`, { method: 'POST', body: JSON.stringify(EVENT) });
  const statusOf = async (url: string) => (await fetch(url)).status;
  const adminUrlOf = ({ stdout }: Process) => / metrics +(http\S+)\/metrics/.exec(stdout())?.[1] ?? '';

  test('the ready line names the roles', () => {
    const firstLine = ({ stdout }: Process) => stdout().split('\n')[0];
    expect(firstLine(api)).toBe(`svc-server is ready on ${api.url} as api`);
    expect(firstLine(inbound)).toBe(`svc-server is ready on ${inbound.url} as inbound`);
    expect(firstLine(worker)).toBe(`svc-server is ready on ${worker.url} (administrative only) as worker`);
    expect(adminUrlOf(worker)).toBe(worker.url);
    expect(api.stdout()).toContain('  writes to  nothing: it runs no workers\n');
  });

  test('each answers the routes of its role, and asks to send again what belongs to another', async () => {
    expect(await statusOf(`${api.url}/api/v1/openapi.json`)).toBe(200);
    const misdirected = await post(api.url);
    expect([misdirected.status, misdirected.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await misdirected.json()).toMatchObject({
      message:
        'This server runs only: api. The request needs a server with the role inbound: correct the load balancer, and send it again.',
    });
    const counts = await (await fetch(`${api.url}/metrics`)).text();
    expect(counts).toContain('svc_inbound_posts_total{outcome="unavailable"} 1');
    expect((await post(inbound.url)).status).toBe(200);
    expect(await getJson(`${inbound.url}/api/v1/me`)).toMatchObject({
      statusCode: 503,
      message: expect.stringContaining('needs a server with the role api'),
    });
    expect(await getJson(`${inbound.url}/docs`)).toMatchObject({
      message: 'No such route on this server, which runs only: inbound',
    });
    expect(
      await Promise.all(
        ['/', '/docs', '/docs/cli.md', '/llms.txt', '/oauth/hubspot/callback'].map((at) => statusOf(inbound.url + at)),
      ),
    ).toEqual(Array(5).fill(404));
    expect(
      await Promise.all(['/', '/api/v1/openapi.json', '/webhooks/x'].map((at) => statusOf(worker.url + at))),
    ).toEqual([404, 503, 404]);
    expect((await post(worker.url)).status).toBe(503);
  });

  test('the administrative listener has metrics and health checks, which the public port then does not show', async () => {
    expect(await getJson(`${api.url}/health/ready`)).toMatchObject({ checks: { database: 'ok', queue: 'ok' } });
    expect(await getJson(`${inbound.url}/health/ready`)).toEqual({ status: 'ok', checks: {} });
    expect(await getJson(`${adminUrlOf(inbound)}/health/ready`)).toMatchObject({ checks: { database: 'ok' } });
    expect(await getJson(`${worker.url}/health/ready`)).toMatchObject({ checks: { queue: 'ok' } });
    expect(await getJson(`${worker.url}/health/live`)).toEqual({ status: 'ok' });
    expect(await statusOf(`${api.url}/metrics`)).toBe(200);
    expect(await statusOf(`${inbound.url}/metrics`)).toBe(404);
    expect(await statusOf(`${adminUrlOf(inbound)}/metrics`)).toBe(200);
    expect(await statusOf(`${worker.url}/metrics`)).toBe(200);
  });

  test('an event that one receives is written by another and shown by the third', async () => {
    const headers = { authorization: 'Bearer osapi_minimal' };
    const [from, to] = [-60_000, 600_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const statuses = async () => {
      const answer = await fetch(`${api.url}/api/v1/syncs?from=${from}&to=${to}`, { headers });
      const { data }: { data: { status: string }[] } = JSON.parse(await answer.text());
      return data.map(({ status }) => status);
    };
    await expect.poll(statuses).toEqual(['success']);
  });

  test('the embedded database refuses a start without all roles', async () => {
    expect(await runServerCommandHere(['start', '--role', 'api,worker'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The embedded database belongs to one process'),
    });
    expect(await runServerCommandHere(['start', '--role', 'api,jobs'])).toMatchObject({
      stderr: expect.stringContaining('It must be api, inbound, worker, or several of them with commas.'),
    });
  });
});
