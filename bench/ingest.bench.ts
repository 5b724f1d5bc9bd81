import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECEIVE } from '../packages/server/src/inbound/receive.sql.ts';
import { hasRabbitmq, startRabbitmq } from '../packages/server/test/support/rabbitmq.ts';
import { createTestDatabase } from '../scripts/vitest/database.ts';
import { type Bench, interleave, type Result } from './measure.ts';
import { post } from './support/post.ts';
import { findPostgres } from './support/postgres.ts';
import { type BenchProcess, startProcess } from './support/process.ts';

const CONNECTIONS = 64;
const POSTS_PER_ROUND = 3_000;
const ROUNDS = 7;
const PGBENCH_SECONDS = 3;

const start = (...args: readonly string[]) => startProcess('ingest-server.ts', ...args);
const root = new URL('..', import.meta.url);
const payload = JSON.parse(readFileSync(new URL('fixtures/payloads/smartlead/email-reply.json', root), 'utf8'));
const world = JSON.parse(readFileSync(new URL('fixtures/minimal-world.json', root), 'utf8'));
const source: { id: number; path: string } = world.sources.find(
  (row: { platform: string }) => row.platform === 'smartlead',
);

/**
 * Acknowledged inbound posts per second; each is answered after it and its job are committed. Compared with Express
 * without storage, and with the same statement sent by pgbench without HTTP. With the ingest buffer, a post is answered after RabbitMQ has it
 * on disk.
 */
export const bench: Bench = {
  name: 'ingest',
  question: `How many inbound posts per second are acknowledged over ${CONNECTIONS} connections?`,
  async run() {
    const postgres = await findPostgres();
    const databases = postgres ? await Promise.all([1, 2, 3, 4].map(() => createTestDatabase(postgres.url))) : [];
    const rabbitmq = postgres && hasRabbitmq() ? await startRabbitmq() : null;
    const targets: Record<string, BenchProcess> = { 'Express, no store': await start('express') };
    try {
      targets['svc-server on PGlite'] = await start('inbound');
      const [inbound, withWorkers, buffered, withConsumer] = databases;
      if (inbound) targets['svc-server on PostgreSQL'] = await start('inbound', inbound.url);
      if (withWorkers) targets['the same, also writing to a CRM'] = await start('with-workers', withWorkers.url);

      if (rabbitmq && buffered && withConsumer) {
        targets['the same, into the ingest buffer'] = await start('buffered', buffered.url, rabbitmq.url);
        const url = new URL(rabbitmq.url);
        url.pathname = '/consumed';
        await rabbitmq.control('add_vhost', 'consumed');
        await rabbitmq.control('set_permissions', '-p', 'consumed', 'guest', '.*', '.*', '.*');
        targets['the same, also emptying the buffer'] = await start('with-consumer', withConsumer.url, url.href);
      }

      const overHttp = await interleave(
        ROUNDS,
        Object.fromEntries(Object.entries(targets).map(([what, target]) => [what, () => postsPerSecond(target)])),
      );
      const results: Result[] = [
        { title: 'acknowledged posts', unit: 'posts/s', floor: 'Express, no store', rows: overHttp },
      ];
      const server = targets['svc-server on PostgreSQL'];
      if (inbound && server) results.push(await besidePgbench(server, inbound.url));
      return results;
    } finally {
      for (const target of Object.values(targets)) target.stop();
      await rabbitmq?.dispose();
      for (const database of databases) await database.drop();
      postgres?.stop();
    }
  },
};

async function besidePgbench(server: BenchProcess, databaseUrl: string): Promise<Result> {
  const floor = `pgbench, ${CONNECTIONS} clients`;
  const rows = await interleave(3, {
    [floor]: () => pgbenchRowsPerSecond(databaseUrl),
    'svc-server on PostgreSQL': () => postsPerSecond(server),
  });
  return { title: 'the same insert, row and job', unit: 'rows/s', floor, rows };
}

/** Sends the server's statement with one row each, prepared, from as many clients as there were connections. */
function pgbenchRowsPerSecond(databaseUrl: string): number {
  const directory = mkdtempSync(join(tmpdir(), 'svc-pgbench-'));
  try {
    const script = join(directory, 'receive.sql');
    const body = Buffer.from(JSON.stringify(payload));
    const values = [
      `array['${source.path}']`,
      // A closed hour would be counted anew.
      `array['${new Date().toISOString()}']`,
      `array['{"content-type":"application/json"}']`,
      `array[${body.length}]`,
      `'\\\\x${body.toString('hex')}'`,
      `array['${'0'.repeat(64)}']`,
    ];
    const statement = values.reduceRight(
      (text, value, index) => text.replaceAll(`$${index + 1}::`, `${value}::`),
      RECEIVE.text,
    );
    writeFileSync(script, `${statement.replaceAll(/\s+/g, ' ').replaceAll("'\\\\x", "'\\x")};\n`);
    const run = spawnSync(
      'pgbench',
      [
        '-n',
        '-M',
        'prepared',
        '-c',
        String(CONNECTIONS),
        '-j',
        '2',
        '-T',
        String(PGBENCH_SECONDS),
        '-f',
        script,
        databaseUrl,
      ],
      { encoding: 'utf8' },
    );
    const rate = /tps = ([\d.]+)/.exec(run.stdout)?.[1];
    if (run.status !== 0 || rate === undefined) throw new Error(`pgbench failed:\n${run.stdout}${run.stderr}`);
    return Number(rate);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

let sent = 0;

function postsPerSecond(target: BenchProcess): Promise<number> {
  return target.only(() => postsPerSecondTo(target.ready));
}

async function postsPerSecondTo(url: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = POSTS_PER_ROUND;
  const started = performance.now();
  const connection = async () => {
    while (left > 0) {
      left -= 1;
      sent += 1;
      await post(
        `${url}/webhooks/${source.path}`,
        agent,
        JSON.stringify({ ...payload, stats_id: `stats-${process.pid}-${sent}` }),
      );
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const seconds = (performance.now() - started) / 1_000;
  agent.destroy();
  return POSTS_PER_ROUND / seconds;
}
