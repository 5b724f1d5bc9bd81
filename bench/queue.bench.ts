import { claimBatches } from '@svc/engine/queue/claims';
import { type ClaimedJob, enqueue, finish, finishAll } from '@svc/engine/queue/queue';
import { type BatchHandler, createJobRunner, type JobHandler } from '@svc/engine/queue/runner';
import { systemClock } from '@svc/engine/runtime/clock';
import { createLogger } from '@svc/engine/runtime/logger';
import type { Database } from '@svc/engine/store/database/db';
import { createPglite, wrapPglite } from '@svc/engine/store/database/pglite';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { migrate } from '@svc/engine/store/migrations/migrate';
import { createTestDatabase } from '../scripts/vitest/database.ts';
import { type Bench, interleave, type Result } from './measure.ts';
import { findPostgres } from './support/postgres.ts';

const KINDS = ['work', 'other'];
const JOBS = 100_000;
const WORKERS = 16;
const KEY_COUNTS = [10, 1_000, 10_000, 100_000];
const CLAIMER_COUNTS = [1, 2, 4, 8];
const CLAIMS_PER_ROUND = 20;
const ROUNDS = 7;
const RUN_JOBS = 4_000;
const LEASE_MS = 600_000;

/** A queue whose claims are measured. */
type Case = { what: string; db: Database };

/**
 * The time of one claim of up to 16 jobs, by the number of fairness keys: all due, or parked beside ten due ones. And how
 * many jobs per second handlers without work finish.
 */
export const bench: Bench = {
  name: 'queue',
  question: 'Does a claim cost the same with 10 and with 100,000 fairness keys, due or parked?',
  async run() {
    const postgres = await findPostgres();
    const cleanups: (() => unknown)[] = [];
    const open = async (url: string | null): Promise<Database> => {
      const db = url === null ? wrapPglite(await createPglite()) : openPostgres(url, { maxConnections: 10 });
      cleanups.unshift(() => db.close());
      await migrate(db, new Date());
      return db;
    };
    const openNext = async (): Promise<Database> => {
      if (!postgres) return open(null);
      const database = await createTestDatabase(postgres.url);
      cleanups.unshift(() => database.drop());
      return open(database.url);
    };
    try {
      const results: Result[] = [];
      const name = postgres ? 'PostgreSQL' : 'PGlite';
      const cases: Case[] = [];
      for (const count of KEY_COUNTS)
        cases.push({ what: label(count, 'due'), db: await fill(await openNext(), count) });
      for (const count of KEY_COUNTS.slice(1))
        cases.push({ what: label(count, 'parked'), db: await fill(await openNext(), 10, count) });
      for (const claimers of postgres ? CLAIMER_COUNTS : [1]) results.push(await measureClaims(cases, name, claimers));
      if (postgres) {
        const embedded: Case[] = [];
        for (const count of [10, 100_000])
          embedded.push({ what: label(count, 'due'), db: await fill(await open(null), count) });
        embedded.push({ what: label(100_000, 'parked'), db: await fill(await open(null), 10, 100_000) });
        results.push(await measureClaims(embedded, 'PGlite', 1));
      }
      results.push(await measureRuns(await open(null), postgres ? await openNext() : null));
      return results;
    } finally {
      for (const cleanup of cleanups) await cleanup();
      postgres?.stop();
    }
  },
};

const label = (count: number, state: string) => `${count.toLocaleString('en-US')} keys ${state}`;

/** Adds 100,000 due jobs, and parked ones with a key each. */
async function fill(db: Database, dueKeys: number, parkedKeys = 0): Promise<Database> {
  const at = new Date();
  await db.query(
    `insert into jobs (kind, ref, fairness_key, due_at, is_ready, created_at)
      select 'work', i, 'connection:' || i % $2, $3, true, $3 from generate_series(1, $1::int) as i`,
    [JOBS, dueKeys, at],
  );
  await db.query(
    `insert into jobs (kind, ref, fairness_key, due_at, created_at)
      select 'work', 'parked-' || i, 'parked:' || i, $2::timestamptz + interval '1 day', $2 from generate_series(1, $1::int) as i`,
    [parkedKeys, at],
  );
  await db.query('vacuum analyze jobs');
  return db;
}

async function measureClaims(cases: readonly Case[], name: string, claimers: number): Promise<Result> {
  const cursors = new Map(cases.map(({ what }) => [what, Array.from({ length: claimers }, () => '')]));
  const rows = await interleave(
    ROUNDS,
    Object.fromEntries(
      cases.map(({ what, db }) => [what, () => medianClaimMs(db, cursors.get(what) ?? [], CLAIMS_PER_ROUND)]),
    ),
    2,
  );
  const title = `a claim by ${WORKERS} idle workers, ${name}, ${claimers} at a time`;
  return { title, unit: 'ms', floor: cases[0]?.what ?? '', rows };
}

/** Claims concurrently, and puts the jobs back outside the measured time. */
async function medianClaimMs(db: Database, cursors: string[], claims: number): Promise<number> {
  const times: number[] = [];
  await Promise.all(
    cursors.map(async (_, claimer) => {
      for (let index = 0; index < claims; index += 1) {
        const now = new Date();
        const started = performance.now();
        const batches = await claimBatches(db, {
          now,
          kinds: KINDS,
          limit: WORKERS,
          leaseUntil: new Date(now.getTime() + LEASE_MS),
          lastKey: cursors[claimer] ?? '',
        });
        times.push(performance.now() - started);
        const jobs = batches.flat();
        cursors[claimer] = jobs.at(-1)?.fairnessKey ?? '';
        await putBack(db, jobs);
      }
    }),
  );
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

async function putBack(db: Database, jobs: readonly ClaimedJob[]): Promise<void> {
  const at = new Date();
  await finishAll(db, jobs);
  await enqueue(
    db,
    ...jobs.map(({ kind, ref, fairnessKey }) => ({ kind, ref, fairnessKey, dueAt: at, createdAt: at })),
  );
}

/** Jobs per second from enqueued to finished by handlers that do nothing else. */
async function measureRuns(pglite: Database, postgres: Database | null): Promise<Result> {
  const contenders: Record<string, () => Promise<number>> = {};
  for (const [name, db] of [
    ['PGlite', pglite],
    ['PostgreSQL', postgres],
  ] as const) {
    if (db === null) continue;
    const one: JobHandler = (job) => finish(db, job);
    const batch: BatchHandler = { batchSize: 100, handleBatch: async (jobs) => void (await finishAll(db, jobs)) };
    contenders[`${name}, 10 keys`] = () => jobsPerSecond(db, one, 10);
    contenders[`${name}, a key per job`] = () => jobsPerSecond(db, one, RUN_JOBS);
    contenders[`${name}, 10 keys, batches of up to 100`] = () => jobsPerSecond(db, batch, 10);
  }
  const rows = await interleave(5, contenders);
  return { title: 'jobs with empty handlers', unit: 'jobs/s', floor: rows[0]?.what ?? '', rows };
}

async function jobsPerSecond(db: Database, handler: JobHandler | BatchHandler, keys: number): Promise<number> {
  const at = new Date();
  await enqueue(
    db,
    ...Array.from({ length: RUN_JOBS }, (_, index) => ({
      kind: 'work',
      ref: index,
      fairnessKey: `connection:${index % keys}`,
      dueAt: at,
      createdAt: at,
    })),
  );
  const log = createLogger({ logLevel: 'error', logFormat: 'json' });
  return new Promise((resolve) => {
    let left = RUN_JOBS;
    const started = performance.now();
    const runner = createJobRunner({
      db,
      clock: systemClock,
      log,
      handlers: { work: handler },
      onJobEnd: () => {
        left -= 1;
        if (left > 0) return;
        const seconds = (performance.now() - started) / 1_000;
        void runner.stop().then(() => resolve(RUN_JOBS / seconds));
      },
    });
    runner.start();
  });
}
