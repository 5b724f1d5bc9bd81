import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { createManualClock } from '../runtime/clock.ts';
import type { Database, Db } from '../store/database/db.ts';
import { startQueueVacuum } from './vacuum-queue.ts';

describe.each(backends)('the vacuum of the queue on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('every five seconds', () => {
    let db: Database;
    beforeEach(async () => {
      db = await backend.open();
      await db.query('vacuum jobs');
    });
    afterEach(() => db.close());

    const addJobs = (db: Db, count: number) =>
      db.query(
        `insert into jobs (kind, ref, fairness_key, due_at, created_at)
          select 'work', i::text, 'k', '2026-01-01', '2026-01-01' from generate_series(1, $1::int) i`,
        [count],
      );
    const endJobs = (count: number) =>
      db.transaction(async (tx) => {
        await addJobs(tx, count);
        await tx.query('delete from jobs');
        // Otherwise the statistics come up to a minute later.
        await tx.query('select pg_stat_force_next_flush()');
      });
    const deadRows = async () => {
      const { rows } = await db.query<{ count: number }>(
        `select n_dead_tup as count from pg_stat_user_tables where relid = 'jobs'::regclass`,
      );
      return rows[0]?.count;
    };
    /** Runs what there is to do after five seconds. */
    const afterFiveSeconds = async (change: Promise<unknown>) => {
      const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
      const vacuum = startQueueVacuum({ db, clock, log: pino({ level: 'silent' }) });
      await change;
      clock.advance(5_000);
      await vacuum.stop();
    };
    /** Returns how many rows of ended jobs are left after five seconds. */
    const leftOf = async (count: number) => {
      await afterFiveSeconds(endJobs(count));
      return deadRows();
    };
    /** Returns the size of the queue that PostgreSQL plans with. */
    const plannedPages = async () => {
      const { rows } = await db.query<{ pages: number }>(
        `select relpages as pages from pg_class where oid = 'jobs'::regclass`,
      );
      return rows[0]?.pages ?? Number.NaN;
    };

    test('removes what many ended jobs left', async () => {
      expect(await leftOf(5_001)).toBe(0);
    });

    test('leaves what few ended jobs left', async () => {
      // It has been as large before.
      await endJobs(4_999);
      await db.query('vacuum (truncate off) jobs');
      expect(await leftOf(4_999)).toBe(4_999);
    });

    test('tells PostgreSQL that a queue has grown', async () => {
      const before = await plannedPages();
      await afterFiveSeconds(addJobs(db, 20_000));
      expect(await plannedPages()).toBeGreaterThan(before + 200);
    });

    test('leaves a queue that has hardly grown', async () => {
      const before = await plannedPages();
      await afterFiveSeconds(addJobs(db, 1_000));
      expect(await plannedPages()).toBe(before);
    });
  });
});
