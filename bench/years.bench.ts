import type { ContactOutreachResponse, Page, Sync } from '@svc/contract/types';
import { encodeCursor } from '@svc/domain/requests/cursor';
import type { Database } from '@svc/engine/store/database/db';
import { HOUR_MS } from '@svc/engine/store/hour-counts';
import { dropMonths } from '@svc/engine/store/log-months';
import { LOG } from '@svc/engine/test/log-rows';
import { type Bench, type BenchOptions, interleave, type Result, type Row } from './measure.ts';
import { type LongLogs, startYears } from './support/long-logs.ts';
import { countHours } from './support/count-hours.ts';
import { findPostgres } from './support/postgres.ts';

const SMALL = 100_000;
const LARGE = 50_000_000;
const MONTHS = 24;
const PAGE = 500;
const ROUNDS = 15;
/** The longest range of a call. */
const DAYS = 31;
/** Months that are dropped, one by one. */
const DROPS = 5;

/**
 * Two years of logs beside those of a young installation with 100,000 rows in two months, both through the API. Half of
 * the rows are syncs, half are deliveries. `--rows N` makes fewer. 50 million take about 30 GB of disk until the end.
 */
export const bench: Bench = {
  name: 'years',
  question: `Do logs of ${MONTHS} months cost the same as short ones, and does the API answer while a month is dropped?`,
  async run({ rows: large = LARGE }: BenchOptions) {
    const postgres = await findPostgres();
    if (!postgres) return [];
    const open: LongLogs[] = [];
    try {
      open.push(await startYears(postgres.url, { rows: SMALL, months: 2 }));
      open.push(await startYears(postgres.url, { rows: large, months: MONTHS }));
      const [short, long] = open;
      if (!short || !long) throw new Error('unreachable');
      for (const { db } of open) await countHours(db, ['syncs', 'deliveries']);
      return [
        await pages(short, long, large),
        await compare('GET /contacts/outreach, a contact with 50 rows in each log', short, long, large, lookUp),
        await compare(`GET /account/metrics of ${DAYS} days`, short, long, large, metrics),
        await drops(long),
      ];
    } finally {
      for (const logs of open) await logs.close();
      postgres.stop();
    }
  },
};

async function compare(
  title: string,
  short: LongLogs,
  long: LongLogs,
  large: number,
  call: (logs: LongLogs) => () => Promise<number>,
): Promise<Result> {
  const floor = `among ${count(SMALL)} rows`;
  return {
    title,
    unit: 'ms',
    floor,
    rows: await interleave(ROUNDS, { [floor]: call(short), [`among ${count(large)} rows`]: call(long) }),
  };
}

async function pages(short: LongLogs, long: LongLogs, large: number): Promise<Result> {
  const floor = `newest of ${count(SMALL)} rows`;
  const ofOne = `connectionId=${LOG.busyConnectionId}&`;
  const rows = await interleave(ROUNDS, {
    [floor]: page(short, '', newest(short)),
    [`newest of ${count(large)} rows`]: page(long, '', newest(long)),
    [`one connection, newest of ${count(SMALL)} rows`]: page(short, ofOne, newest(short)),
    [`one connection, newest of ${count(large)} rows`]: page(long, ofOne, newest(long)),
    [`after a cursor in the middle of ${count(SMALL)} rows`]: page(short, await cursor(short), middle(short)),
    [`after a cursor in the middle of ${count(large)} rows`]: page(long, await cursor(long), middle(long)),
  });
  return { title: `GET /syncs, a page of ${PAGE}`, unit: 'ms', floor, rows };
}

function page(logs: LongLogs, query: string, to: Date): () => Promise<number> {
  return () =>
    logs.get(`/syncs?${query}${rangeUntil(to)}&limit=${PAGE}`, (body) => (body as Page<Sync>).data.length === PAGE);
}

function rangeUntil(to: Date): string {
  return `from=${new Date(to.getTime() - DAYS * 24 * HOUR_MS).toISOString()}&to=${to.toISOString()}`;
}

const newest = ({ log }: LongLogs): Date => log.range.to;

function middle({ log: { range } }: LongLogs): Date {
  return new Date((range.from.getTime() + range.to.getTime()) / 2 + (DAYS / 2) * 24 * HOUR_MS);
}

async function cursor(logs: LongLogs): Promise<string> {
  const { rows } = await logs.db.query<{ createdAt: Date; id: number }>(
    `select created_at as "createdAt", id from syncs where connection_id = $1 and created_at < $2
      order by created_at desc, id desc limit 1`,
    [LOG.busyConnectionId, new Date(middle(logs).getTime() - 24 * HOUR_MS)],
  );
  if (!rows[0]) throw new Error('there is no row in the middle');
  return `cursor=${encodeCursor({ rows: 'sync', ...rows[0] })}&`;
}

function lookUp(logs: LongLogs): () => Promise<number> {
  const path = `/contacts/outreach?email=${LOG.contacts.fifty}`;
  return () => logs.get(path, (body) => (body as ContactOutreachResponse).summary.totalEvents === 50);
}

function metrics(logs: LongLogs): () => Promise<number> {
  return () => logs.get(`/account/metrics?${rangeUntil(newest(logs))}`);
}

/** Drops the oldest months, one by one, while the newest page is read and the log is locked as by a write all the time. */
async function drops(long: LongLogs): Promise<Result> {
  const read = page(long, '', newest(long));
  const dropped: number[] = [];
  const answers: number[] = [];
  const longestWaits: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) alone.push(await read());
  for (let month = 1; month <= DROPS; month += 1) {
    let isDropping = true;
    const reading = (async () => {
      while (isDropping) answers.push(await read());
    })();
    const writing = (async () => {
      let longest = 0;
      while (isDropping) longest = Math.max(longest, await writeLock(long.db));
      longestWaits.push(longest);
    })();
    const { from } = long.log.range;
    const started = performance.now();
    const names = await dropMonths(
      long.db,
      'syncs',
      new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + month, 1)),
    );
    dropped.push(performance.now() - started);
    isDropping = false;
    await Promise.all([reading, writing]);
    if (names.length === 0) throw new Error('no month was dropped');
  }
  const floor = `a page of ${PAGE}`;
  const rows: Row[] = [
    { what: floor, samples: alone },
    { what: 'a page while a month is dropped', samples: answers },
    { what: 'the longest wait of a write for its lock', samples: longestWaits },
    { what: 'dropping a month of syncs, until its files are gone', samples: dropped },
  ];
  return { title: `Dropping ${DROPS} months, one by one`, unit: 'ms', floor, rows };
}

/** Returns the milliseconds of a transaction that takes the lock of a write. */
async function writeLock(db: Database): Promise<number> {
  const started = performance.now();
  await db.transaction((tx) => tx.query('lock table syncs in row exclusive mode'));
  return performance.now() - started;
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
