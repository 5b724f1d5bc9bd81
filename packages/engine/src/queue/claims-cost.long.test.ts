/** What a claim reads does not grow with the number of fairness keys, due or parked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import type { Database, Db } from '../store/database/db.ts';
import { claimBatches, nextDueAt } from './claims.ts';
import { countWaitingEvents } from './waiting-writes.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const KEYS = 100_000;
const ONE_KEY = `insert into jobs (kind, ref, fairness_key, due_at, is_ready, created_at)
  select 'read', i, 'connection:1', $1, true, $1 from generate_series(1, 50) as i`;
/** For 16 workers: a few entries of the index for each, and the claimed rows. */
const ROWS_MAX = 400;

describe.each(backends)('the cost of a claim on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('with 100,000 keys', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });

    /** Returns how many rows of `jobs` are read by index, and how often the whole table is read. */
    async function countReads(work: (tx: Db) => Promise<unknown>): Promise<{ rows: number; wholeReads: number }> {
      return db.transaction(async (tx) => {
        const read = async () => {
          const { rows } = await tx.query<{ rows: number; wholeReads: number }>(
            `select idx_tup_fetch as rows, seq_scan as "wholeReads" from pg_stat_xact_user_tables where relname = 'jobs'`,
          );
          return rows[0] ?? { rows: 0, wholeReads: 0 };
        };
        const before = await read();
        await work(tx);
        const after = await read();
        return { rows: after.rows - before.rows, wholeReads: after.wholeReads - before.wholeReads };
      });
    }

    const fill = (count: number, key: string, { kind = 'read', dueIn = '0' } = {}) =>
      db.query(
        `insert into jobs (kind, ref, fairness_key, due_at, is_ready, created_at)
          select $4, $2 || i, $2 || i || $5, $3::timestamptz + $6::interval, $6::interval = '0', $3
          from generate_series(1, $1::int) as i`,
        [count, key, NOW, kind, key.startsWith('account') ? '/webhook:1' : '', dueIn],
      );
    const cases: [string, () => Promise<unknown>][] = [
      ['due', () => fill(KEYS, 'connection:')],
      ['due, each of an owner with several', () => fill(KEYS, 'account:')],
      ['due, of serial kinds', () => fill(KEYS, 'connection:', { kind: 'write' })],
      [
        'parked, beside ten due ones',
        async () => {
          await fill(KEYS, 'parked:', { dueIn: '1 day' });
          await fill(10, 'connection:');
        },
      ],
      [
        'due jobs of other kinds, beside ten of these',
        async () => {
          await fill(KEYS, 'other:', { kind: 'other' });
          await fill(10, 'connection:');
        },
      ],
    ];

    /** What PostgreSQL last knew about the table; a burst comes before it looks again. */
    const earlier: [string, () => Promise<unknown>][] = [
      ['an empty table', async () => {}],
      ['jobs of one key', () => db.query(ONE_KEY, [NOW])],
    ];

    test.each(
      earlier.flatMap(([statistics, loadEarlier]) =>
        cases.map(([name, load]) => ({ name, statistics, load, loadEarlier })),
      ),
    )('$name, with statistics of $statistics', async ({ load, loadEarlier }) => {
      await db.query('truncate jobs, job_owners');
      await loadEarlier();
      await db.query('analyze jobs');
      await db.query('truncate jobs, job_owners');
      await db.query('discard plans');
      await load();
      for (const isSeen of [false, true]) {
        if (isSeen) await db.query('analyze jobs');
        for (const lastKey of ['', 'connection:5', 'account:5/webhook:1']) {
          const reads = await countReads(async (tx) => {
            const batches = await claimBatches(tx, {
              now: NOW,
              kinds: ['read', 'write'],
              batchSizes: { write: 100 },
              serialKinds: [['write']],
              limit: 16,
              leaseUntil: new Date(NOW.getTime() + 1_000),
              lastKey,
            });
            expect(batches.length).toBeGreaterThanOrEqual(10);
          });
          expect(reads.wholeReads).toBe(0);
          expect(reads.rows).toBeLessThan(ROWS_MAX);
          await db.query(
            'update jobs set is_leased = false, is_leader = false, is_ready = true, due_at = $1 where is_leased',
            [NOW],
          );
        }
      }
      const others = await countReads(async (tx) => {
        await nextDueAt(tx, ['read', 'write'], NOW);
        await countWaitingEvents(tx, 1);
      });
      expect(others.wholeReads).toBe(0);
      expect(others.rows).toBeLessThan(10);
    });
  });
});
