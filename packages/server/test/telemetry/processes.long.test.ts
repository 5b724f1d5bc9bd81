/** Tracing in real processes: what is loaded, and that a collector which hangs holds up nothing. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type Collector, startCollector } from '../support/collector.ts';
import {
  runServerCommandHere,
  SERVER_SOURCES,
  startServerProcess,
  startSimulatorProcess,
} from '../support/processes.ts';

const databaseUrl = inject('databaseUrl');

let dir: string;
let collector: Collector;
beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'svc-telemetry-'));
  collector = await startCollector();
});
afterAll(async () => {
  await collector.close();
  await rm(dir, { recursive: true, force: true });
});

/** Loaded by prom-client, whatever is configured. */
const ALWAYS = '@opentelemetry/api';

/** Starts a server, makes one request, stops it, and returns the npm packages of OpenTelemetry whose code it ran. */
async function loadedBy(name: string, env: Record<string, string>): Promise<string[]> {
  const coverage = path.join(dir, name);
  // A bundle has the names of packages in other places than the sources.
  const own = { ...env, SVC_DATA_DIR: path.join(dir, 'data'), NODE_V8_COVERAGE: coverage };
  const server = await startServerProcess(['--port', '0'], own, SERVER_SOURCES);
  await fetch(`${server.url}/api/v1/me`);
  expect(await server.stop()).toBe(0);
  const files = await Promise.all((await readdir(coverage)).map((file) => readFile(path.join(coverage, file), 'utf8')));
  expect(files.join('')).toContain('server/src/main/start.ts');
  const packages = new Set(files.flatMap((text) => text.match(/@opentelemetry\/[\w-]+(?=\/)/g) ?? []));
  packages.delete(ALWAYS);
  return [...packages];
}

test('without a collector nothing of OpenTelemetry is loaded', async () => {
  expect(await loadedBy('none', { OTEL_SERVICE_NAME: 'svc', OTEL_TRACES_SAMPLER: 'always_on' })).toEqual([]);
  expect(await loadedBy('off', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' })).toEqual([]);
});

test('a process that stops has sent its last spans', async () => {
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  expect(await loadedBy('on', env)).toContain('@opentelemetry/sdk-trace');
  expect(collector.spans().map(({ name }) => name)).toContain('getMe');
});

test('a collector that never answers delays neither requests nor the stop', async () => {
  const connections: unknown[] = [];
  const silent = createServer((request) => void connections.push(request));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const server = await startServerProcess(['--port', '0'], {
    SVC_DATA_DIR: path.join(dir, 'data'),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    // Longer than the test may take.
    OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
  });
  try {
    expect((await fetch(`${server.url}/api/v1/me`)).status).toBe(401);
    await expect.poll(() => connections.length).toBeGreaterThan(0);
    expect((await fetch(`${server.url}/api/v1/me`)).status).toBe(401);
  } finally {
    expect(await server.stop()).toBe(0);
    silent.closeAllConnections();
    silent.close();
  }
});

test.skipIf(databaseUrl === null)(
  'a trace passes from the process that takes a post to the one that runs its jobs',
  async () => {
    const own = await startCollector();
    const database = await createTestDatabase(databaseUrl ?? '');
    const crm = await startSimulatorProcess();
    const env = {
      DATABASE_URL: database.url,
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_HUBSPOT_URL: crm.url,
      SVC_PORT: '0',
      SVC_ADMIN_PORT: '0',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    };
    const world = fileURLToPath(new URL('../../../../fixtures/minimal-world.json', import.meta.url));
    expect(await runServerCommandHere(['world', 'load', world], env)).toMatchObject({ code: 0 });
    const inbound = await startServerProcess(['--world', '--role', 'inbound'], env);
    const worker = await startServerProcess(['--world', '--role', 'worker'], env);
    try {
      const body = JSON.stringify({ event_type: 'EMAIL_REPLY', to_email: 'roles@example.org', reply_body: 'Yes' });
      expect((await fetch(`${inbound.url}/webhooks/minimal-smartlead`, { method: 'POST', body })).status).toBe(200);
      await expect.poll(() => own.spans().filter(({ name }) => name === 'job write-crm')).toHaveLength(1);
    } finally {
      await inbound.stop();
      await worker.stop();
      await crm.stop();
      await database.drop();
      await own.close();
    }
    const [post] = own.spans().filter(({ name }) => name === 'inbound');
    const jobs = own.spans().filter(({ name }) => /^job (?:process-receipt|write-crm)$/.test(name));
    expect(jobs.map(({ traceId, roles }) => [traceId, roles])).toEqual(Array(2).fill([post?.traceId, 'worker']));
    expect(post?.roles).toBe('inbound');
  },
);
