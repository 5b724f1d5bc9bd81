import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/backends.ts';
import { createManualClock, type ManualClock } from '../clock.ts';
import type { Database } from '../store/db.ts';
import { type ClaimedJob, claim, enqueue, finish } from './queue.ts';
import { createJobRunner } from './runner.ts';

const log = pino({ level: 'silent' });

describe.each(backends)('the job runner on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('behaviour', () => {
    let db: Database;
    let clock: ManualClock;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });
    beforeEach(async () => {
      await db.query('truncate jobs');
      clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
    });

    const add = (ref: string) =>
      enqueue(db, { kind: 'work', ref, fairnessKey: 'k', dueAt: clock.now(), createdAt: clock.now() });

    test('runs what is due, also what a job made due', async () => {
      const ran: string[] = [];
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: async (job) => {
            ran.push(job.ref);
            if (job.ref === 'first') await add('second');
            await finish(db, job);
          },
        },
      });
      await add('first');
      expect(await runner.runDue()).toBe(2);
      expect(ran).toEqual(['first', 'second']);
    });

    test('a handler that throws is tried again after 1 s, 2 s, 4 s, and its error is kept', async () => {
      const ranAt: number[] = [];
      const start = clock.now().getTime();
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: async (job) => {
            ranAt.push(clock.now().getTime() - start);
            if (ranAt.length < 4) throw new Error(`attempt ${ranAt.length}`);
            await finish(db, job);
          },
        },
      });
      await add('a');
      for (let second = 0; second <= 7; second += 1) {
        await runner.runDue();
        if (second === 0) {
          expect((await db.query('select last_error, is_leased from jobs')).rows).toEqual([
            { last_error: 'attempt 1', is_leased: false },
          ]);
        }
        clock.advance(1_000);
      }
      expect(ranAt).toEqual([0, 1_000, 3_000, 7_000]);
      expect((await db.query('select from jobs')).rowCount).toBe(0);
    });

    test('the lease of a slow job is prolonged, so nobody else takes it while it runs', async () => {
      let release = () => {};
      let claimed: ClaimedJob | undefined;
      const started = new Promise<void>((resolve) => {
        const runner = createJobRunner({
          db,
          clock,
          log,
          leaseMs: 3_000,
          handlers: {
            work: async (job) => {
              claimed = job;
              resolve();
              await new Promise<void>((done) => {
                release = done;
              });
              await finish(db, job);
            },
          },
        });
        void add('slow').then(() => runner.runDue());
      });
      await started;
      for (let beat = 0; beat < 5; beat += 1) {
        clock.advance(1_000);
        await expect.poll(leaseEnd).toBe(clock.now().getTime() + 3_000);
      }
      expect(await claim(db, { now: clock.now(), kinds: ['work'], limit: 1, leaseUntil: clock.now() })).toEqual([]);
      release();
      await expect.poll(async () => (await db.query('select from jobs')).rowCount).toBe(0);
      expect(claimed?.fence).toBe(1);
    });

    test('jobs that a claim brings after the stop are given back, not started', async () => {
      const runner = createJobRunner({
        db: slowToClaim(),
        clock,
        log,
        handlers: { work: async () => expect.unreachable() },
      });
      await add('late');
      runner.start();
      const stopped = runner.stop();
      release();
      await stopped;
      const { rows } = await db.query('select is_leased, due_at from jobs');
      expect(rows).toEqual([{ is_leased: false, due_at: clock.now() }]);
    });

    let release = () => {};
    /** Hands the first statement, which is the claim, to the database only once it is released. */
    function slowToClaim(): Database {
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const query: Database['query'] = async (statement, values) => {
        await released;
        return db.query(statement, values);
      };
      return { ...db, query };
    }

    async function leaseEnd(): Promise<number | undefined> {
      return (await db.query<{ due_at: Date }>('select due_at from jobs')).rows[0]?.due_at.getTime();
    }

    test('a started runner wakes by itself when a job comes due, and stop waits for the one at work', async () => {
      const ran: string[] = [];
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: async (job) => {
            await finish(db, job);
            ran.push(job.ref);
          },
        },
      });
      runner.start();
      await enqueue(db, {
        kind: 'work',
        ref: 'soon',
        fairnessKey: 'k',
        dueAt: new Date(clock.now().getTime() + 5_000),
        createdAt: clock.now(),
      });
      await expect
        .poll(() => {
          clock.advance(500);
          return ran;
        })
        .toEqual(['soon']);
      await add('now');
      runner.wake();
      await expect.poll(() => ran).toEqual(['soon', 'now']);
      await runner.stop();
    });
  });
});
