import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'undici';
import type { Bench, Result, Row } from './measure.ts';
import {
  API_KEY,
  checkSyncs,
  type DeployedPostgres,
  type Deployment,
  onPostgres,
  type ServerProcess,
  untilDrained,
} from './support/deployment.ts';
import { canReadUsage, cpuSeconds, postgresCpuSeconds } from './support/process-usage.ts';

const CONNECTIONS = 50;
const EVENTS = 6_000;
const PAGES = 600;
const READERS = 8;
const ROUNDS = 3;
/** After this wait, PostgreSQL has added up the statistics of a connection. */
const STATISTICS_MS = 1_500;

/** What one step costs, per event or page. */
type Cost = {
  perSecond: number;
  processMicroseconds: number;
  postgresMicroseconds: number;
  walBytes: number;
  commits: number;
};

/**
 * One process of each role, one after the other, as fast as it can: posts are stored while no worker runs, then written to
 * a CRM that answers at once, then read. On a PostgreSQL whose commits wait for the disk.
 */
export const bench: Bench = {
  name: 'roles',
  question: 'What does one process of each role do, and what does an event cost it and PostgreSQL?',
  async run() {
    if (!canReadUsage) {
      process.stderr.write('The CPU time of processes is only known on Linux: not measured.\n');
      return [];
    }
    return onPostgres({ connections: CONNECTIONS, crmDelayMs: 0 }, measure);
  },
};

async function measure(deployment: Deployment, postgres: DeployedPostgres): Promise<Result[]> {
  const inbound = await deployment.startServer('inbound');
  const api = await deployment.startServer('api');
  const costs = { inbound: [] as Cost[], worker: [] as Cost[], api: [] as Cost[] };
  let bytesPerEvent = 0;
  for (let round = -1; round < ROUNDS; round += 1) {
    const emptyBytes = await databaseBytes(postgres);
    const received = await costOf(inbound, postgres, EVENTS, () => deployment.postMany(inbound.url, EVENTS));
    // The worker is started only now, so that it does not run beside the posts.
    const worker = await deployment.startServer('worker');
    const written = await costOf(worker, postgres, EVENTS, () => untilDrained(postgres));
    await checkSyncs(postgres, deployment.posted());
    const read = await costOf(api, postgres, PAGES, () => readPages(api.url));
    if (round >= 0) {
      costs.inbound.push(received);
      costs.worker.push(written);
      costs.api.push(read);
    }
    await worker.stop();
    bytesPerEvent = ((await databaseBytes(postgres)) - emptyBytes) / EVENTS;
  }
  const row = (what: string, of: readonly Cost[], field: keyof Cost): Row => ({
    what,
    samples: of.map((cost) => cost[field]),
  });
  const [posts, events, pages] = ['inbound: posts', 'worker: events written', 'api: pages of 100 syncs'] as const;
  return [
    {
      ...{ title: 'one process, as fast as it can', unit: '1/s', floor: posts },
      rows: [
        row(posts, costs.inbound, 'perSecond'),
        row(events, costs.worker, 'perSecond'),
        row(pages, costs.api, 'perSecond'),
      ],
    },
    {
      ...{ title: 'CPU time of each post, event or page', unit: 'µs', floor: 'inbound' },
      rows: [
        row('inbound', costs.inbound, 'processMicroseconds'),
        row('PostgreSQL for inbound', costs.inbound, 'postgresMicroseconds'),
        row('worker', costs.worker, 'processMicroseconds'),
        row('PostgreSQL for worker', costs.worker, 'postgresMicroseconds'),
        row('api', costs.api, 'processMicroseconds'),
        row('PostgreSQL for api', costs.api, 'postgresMicroseconds'),
      ],
    },
    {
      ...{ title: 'written by PostgreSQL for each event', unit: 'bytes', floor: 'WAL, inbound' },
      rows: [
        row('WAL, inbound', costs.inbound, 'walBytes'),
        row('WAL, worker', costs.worker, 'walBytes'),
        { what: 'tables and indexes', samples: [bytesPerEvent] },
      ],
    },
    {
      ...{ title: 'transactions per 1,000 events under full load', unit: 'commits', floor: 'inbound' },
      rows: [row('inbound', costs.inbound, 'commits'), row('worker', costs.worker, 'commits')],
    },
  ];
}

async function costOf(
  server: ServerProcess,
  { client, pid }: DeployedPostgres,
  count: number,
  work: () => Promise<void>,
): Promise<Cost> {
  const read = async () => {
    const { rows } = await client.query(
      `select pg_current_wal_insert_lsn() - '0/0' as wal, xact_commit as commits from pg_stat_database where datname = current_database()`,
    );
    return {
      process: cpuSeconds(server.pid),
      postgres: postgresCpuSeconds(pid),
      wal: Number(rows[0].wal),
      commits: Number(rows[0].commits),
    };
  };
  const before = await read();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1_000;
  await wait(STATISTICS_MS);
  const after = await read();
  return {
    perSecond: count / seconds,
    processMicroseconds: (1_000_000 * (after.process - before.process)) / count,
    postgresMicroseconds: (1_000_000 * (after.postgres - before.postgres)) / count,
    walBytes: (after.wal - before.wal) / count,
    commits: (1_000 * (after.commits - before.commits)) / count,
  };
}

/** Reads the first page of the syncs of all connections again and again. */
async function readPages(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${API_KEY}` };
  const [from, to] = [-86_400_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
  let left = PAGES;
  const readSome = async () => {
    const client = new Client(url);
    try {
      while (left > 0) {
        left -= 1;
        const path = `/api/v1/syncs?limit=100&from=${from}&to=${to}`;
        const { statusCode, body } = await client.request({ path, method: 'GET', headers });
        const text = await body.text();
        if (statusCode !== 200 || JSON.parse(text).data.length !== 100)
          throw new Error(`answered ${statusCode}: ${text}`);
      }
    } finally {
      await client.destroy();
    }
  };
  await Promise.all(Array.from({ length: READERS }, readSome));
}

async function databaseBytes({ client }: DeployedPostgres): Promise<number> {
  await client.query('vacuum');
  const { rows } = await client.query('select pg_database_size(current_database())::float8 as bytes');
  return rows[0].bytes;
}
