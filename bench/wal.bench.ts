import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { createTestDatabase } from '../scripts/vitest/database.ts';
import { type PostgresCluster, startPostgresCluster } from '../scripts/vitest/postgres-cluster.ts';
import type { Bench, Result } from './measure.ts';
import { startProcess } from './support/process.ts';

const EVENTS = 4_000;
/** Before the measurement, so that indexes have their levels. */
const WARM_UP_EVENTS = 1_000;
/** Concurrent posts. */
const CONNECTIONS = 64;
/** What is less is summed up. */
const SHOWN_BYTES = 20;
const REST = `less than ${SHOWN_BYTES} bytes each`;
const FLOOR = 'the payload and a sync row, in tables with a primary key';

const payload = JSON.parse(
  readFileSync(new URL('../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);

/**
 * Bytes that PostgreSQL writes to its log, and by which its tables grow, for each event that comes in and is written to a CRM. The posts are all stored before
 * the first is read, so both parts have their own figures. Full-page images are off: how many there are depends on the time between checkpoints.
 */
export const bench: Bench = {
  name: 'wal',
  question: 'How many bytes does PostgreSQL write for an event, and for which tables and indexes?',
  async run() {
    const cluster = await startPostgresCluster();
    if (cluster === null) {
      process.stderr.write('PostgreSQL is not installed: not measured.\n');
      return [];
    }
    try {
      return await measure(cluster);
    } finally {
      cluster.stop();
    }
  },
};

async function measure(cluster: PostgresCluster): Promise<Result[]> {
  const database = await createTestDatabase(cluster.url);
  const crm = await startProcess('pipeline-server.ts', 'crm', 'HUBSPOT');
  const server = await startProcess('pipeline-server.ts', 'server', 'HUBSPOT', crm.ready, '1', database.url);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const post = createPoster(server.ready);
    await client.query('create extension pg_walinspect');
    // What it writes is not of this work, and comes at any time.
    await client.query('alter system set autovacuum = off');
    await client.query('select pg_reload_conf()');
    await post(WARM_UP_EVENTS);
    await server.ask('drained');
    await server.ask('rest');
    await client.query('vacuum');
    const sizesBefore = await readSizes(client);
    const received = await readWal(client, () => post(EVENTS));
    const written = await readWal(client, async () => {
      await server.ask('work');
      await server.ask('drained');
    });
    await server.ask(`check ${WARM_UP_EVENTS + EVENTS}`);
    const sizesAfter = await readSizes(client);
    await server.ask('rest');
    const floor = await measureFloor(client);
    return [
      toResult('log of a post', received, floor.wal),
      toResult('log from the stored post to its sync', written, floor.wal),
      toResult('growth of tables and indexes', difference(sizesAfter, sizesBefore), floor.size),
    ];
  } finally {
    await client.end();
    server.stop();
    crm.stop();
    await database.drop();
  }
}

function createPoster(url: string): (count: number) => Promise<void> {
  let sent = 0;
  const send = async () => {
    sent += 1;
    const response = await fetch(`${url}/webhooks/bench-1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: toBody(sent),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`a post was answered ${response.status}`);
  };
  return async (count) => {
    const end = sent + count;
    const sendMany = async () => {
      while (sent < end) await send();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, sendMany));
  };
}

function toBody(number: number): string {
  return JSON.stringify({ ...payload, stats_id: `bench-${number}`, sl_lead_email: `lead-${number}@example.org` });
}

/** Bytes by what they are of. */
type Bytes = ReadonlyMap<string, number>;

/** Returns the bytes of the log that this work wrote in this database, by table or index, without full-page images. */
async function readWal(client: Client, work: () => Promise<unknown>): Promise<Bytes> {
  const from = await readPosition(client);
  await work();
  const until = await readPosition(client);
  const { rows } = await client.query<{ what: string; bytes: string }>(
    `select coalesce(${nameSql('c')}, 'commits and others') as what, sum(record_length - fpi_length) as bytes
      from pg_get_wal_records_info($1, $2)
        left join pg_class c on c.relfilenode <> 0 and c.relfilenode
          = (regexp_match(block_ref, 'rel \\d+/\\d+/(\\d+) fork main'))[1]::oid
      -- Now and then maintenance makes a month of the logs.
      where c.relnamespace is distinct from 'pg_catalog'::regnamespace
      group by 1`,
    [from, until],
  );
  return new Map(rows.map(({ what, bytes }) => [what, Number(bytes)]));
}

/** Returns a position of the log, before which everything is written. */
async function readPosition(client: Client): Promise<string> {
  await client.query('set synchronous_commit = on');
  await client.query(`select pg_logical_emit_message(true, 'bench', '')`);
  const { rows } = await client.query<{ position: string }>('select pg_current_wal_flush_lsn()::text as position');
  return rows[0]?.position ?? '';
}

/** SQL for the table or index, by the log that a partition belongs to. */
function nameSql(relation: string): string {
  return `regexp_replace(${relation}.relname, '_(earlier|later|\\d{4}_\\d\\d)(?=_|$)', '')`;
}

async function readSizes(client: Client): Promise<Bytes> {
  const { rows } = await client.query<{ what: string; bytes: string }>(
    `select ${nameSql('c')} as what, sum(pg_relation_size(c.oid)) as bytes from pg_class c
      where c.relkind in ('r', 'i', 't') and c.relnamespace not in ('pg_catalog'::regnamespace) group by 1`,
  );
  return new Map(rows.map(({ what, bytes }) => [what, Number(bytes)]));
}

function difference(after: Bytes, before: Bytes): Bytes {
  return new Map([...after].map(([what, bytes]) => [what, bytes - (before.get(what) ?? 0)]));
}

/** The least that keeps an event and what became of it: two rows, each stored in a transaction of its own. */
async function measureFloor(client: Client): Promise<{ wal: Bytes; size: Bytes }> {
  await client.query(`
    create table floor_requests (id bigint primary key, created_at timestamptz, body bytea);
    create table floor_syncs (id bigint primary key, request_id bigint, to_email text, status text, created_at timestamptz)`);
  const before = await readSizes(client);
  const wal = await readWal(client, async () => {
    for (let number = 1; number <= EVENTS; number += 1) {
      await client.query('insert into floor_requests values ($1, now(), $2)', [number, Buffer.from(toBody(number))]);
      await client.query(`insert into floor_syncs values ($1, $1, $2, 'success', now())`, [
        number,
        `lead-${number}@example.org`,
      ]);
    }
  });
  return { wal, size: difference(await readSizes(client), before) };
}

function toResult(what: string, bytes: Bytes, floor: Bytes): Result {
  const perEvent = [...bytes]
    .map(([name, sum]) => ({ name, bytes: sum / EVENTS }))
    .toSorted((a, b) => b.bytes - a.bytes);
  const shown = perEvent.filter((row) => row.bytes >= SHOWN_BYTES);
  const sumOf = (rows: readonly { bytes: number }[]) => rows.reduce((sum, row) => sum + row.bytes, 0);
  const floorBytes = [...floor.values()].reduce((sum, each) => sum + each, 0) / EVENTS;
  return {
    title: `${what}, PostgreSQL`,
    unit: 'bytes per event',
    floor: FLOOR,
    rows: [
      { what: FLOOR, samples: [floorBytes] },
      { what: 'in all', samples: [sumOf(perEvent)] },
      ...shown.map((row) => ({ what: row.name, samples: [row.bytes] })),
      { what: REST, samples: [sumOf(perEvent) - sumOf(shown)] },
    ],
  };
}
