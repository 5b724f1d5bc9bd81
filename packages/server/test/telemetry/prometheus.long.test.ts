/**
 * A real Prometheus scrapes a real server under load with our configuration: every query of the dashboard has data, every rule is
 * evaluated, and no alert fires while all is well.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/vitest/database.ts';
import { hasProgram } from '../../../../scripts/vitest/lacking.ts';
import { type Process, startServerProcess } from '../support/processes.ts';
import { hasRabbitmq, type Rabbitmq, startRabbitmq } from '../support/rabbitmq.ts';
import { alerts, dashboard, prometheusDir, withVariables } from './prometheus-files.ts';

const databaseUrl = inject('databaseUrl');
const hasPrometheus = hasProgram('prometheus', 'the queries of deploy/grafana');

/** Parts of the queries that are empty here: of failures, because all is well, and of a standby, because there is none. */
const MAY_BE_EMPTY = ['result!="done"', 'svc_ingest_publish_failures_total', 'svc_replica_lag_seconds'];

describe.skipIf(!hasPrometheus || databaseUrl === null || !hasRabbitmq())('Prometheus', { timeout: 120_000 }, () => {
  let dir: string;
  let database: TestDatabase;
  let rabbitmq: Rabbitmq;
  let server: Process;
  let prometheus: ChildProcess;
  let api: string;
  let isLoading = true;
  let load: Promise<unknown>;

  beforeAll(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'svc-prometheus-'));
    database = await createTestDatabase(databaseUrl ?? '');
    rabbitmq = await startRabbitmq();
    const env = { DATABASE_URL: database.url, SVC_INGEST_AMQP_URL: rabbitmq.url };
    server = await startServerProcess(['--demo', '--port', '0', '--data-dir', path.join(dir, 'data')], env);
    const port = await freePort();
    api = `http://127.0.0.1:${port}/api/v1`;
    const config = (await readFile(path.join(prometheusDir, 'prometheus.yml'), 'utf8'))
      .replaceAll(/(?:scrape|evaluation)_interval: 15s/g, (line) => line.replace('15s', '1s'))
      .replace(/ +authorization:\n.*\n/, '')
      .replace('svc-inbound.internal:9464', new URL(server.url).host)
      .replace(/ +- svc-worker\.internal:9464\n/, '')
      .replace(/alerting:[\s\S]*/, '')
      .replace('- alerts.yml', `- ${path.join(prometheusDir, 'alerts.yml')}`);
    expect(config).not.toContain('internal');
    await writeFile(path.join(dir, 'prometheus.yml'), config);
    const args = [`--config.file=${dir}/prometheus.yml`, `--storage.tsdb.path=${dir}/tsdb`];
    prometheus = spawn('prometheus', [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
    load = makeLoad();
  });
  afterAll(async () => {
    isLoading = false;
    await load;
    prometheus.kill();
    await server.stop();
    await rabbitmq.dispose();
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  });

  /** Posts events and reads the API until the end. */
  async function makeLoad(): Promise<void> {
    for (let number = 1; isLoading; number += 1) {
      const event = {
        event_type: 'EMAIL_REPLY',
        to_email: `lead-${number}@lead.example`,
        stats_id: `load-${number}`,
        reply_message: { message_id: `<load-${number}@lead.example>`, text: 'Yes, please.' },
      };
      await fetch(`${server.url}/webhooks/demo-smartlead`, { method: 'POST', body: JSON.stringify(event) });
      await fetch(`${server.url}/api/v1/connections`, { headers: { authorization: 'Bearer osapi_demo_read' } });
    }
  }

  async function query(expr: string): Promise<{ metric: object; value: [number, string] }[]> {
    const answer = await fetch(`${api}/query`, { method: 'POST', body: new URLSearchParams({ query: expr }) });
    const { data, error } = JSON.parse(await answer.text());
    if (error !== undefined) throw new Error(error);
    return data.result;
  }

  async function valueOf(expr: string): Promise<number> {
    const [sample] = await query(expr).catch(() => []);
    return Number(sample?.value[1] ?? 0);
  }

  test('scrapes the server often enough for rates', async () => {
    const scrapes = () => valueOf('min(count_over_time(svc_build_info[1m]))');
    await expect.poll(scrapes, { timeout: 60_000, interval: 500 }).toBeGreaterThan(8);
  });

  const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );
  test.each(queries)('%s', async (_title, expr) => {
    const result = await query(withVariables(expr, { job: 'svc', rateInterval: '10s' }));
    if (!MAY_BE_EMPTY.some((part) => expr.includes(part))) expect(result.length).toBeGreaterThan(0);
    for (const { value } of result) expect(Number(value[1])).not.toBeNaN();
  });

  test('the load reaches the CRM and the destinations', async () => {
    for (const counter of ['svc_crm_writes_total', 'svc_forwarding_deliveries_total', 'svc_crm_calls_total']) {
      expect(await valueOf(`sum(${counter})`)).toBeGreaterThan(0);
    }
  });

  test('every rule is evaluated, and no alert fires while all is well', async () => {
    const { data } = JSON.parse(await (await fetch(`${api}/rules`)).text());
    const rules: { name: string; health: string; state: string }[] = data.groups.flatMap(
      ({ rules: ofGroup }: { rules: object[] }) => ofGroup,
    );
    expect(rules.map(({ name }) => name).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
    expect(rules.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([]);
  });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<unknown>((resolve) => probe.close(resolve));
  return port;
}
