import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { createRecordingRunner } from '../../test/support/recording-runner.ts';
import { createManualClock, type ManualClock } from '../runtime/clock.ts';
import { type Database, DatabaseUnavailableError } from '../store/database/db.ts';
import { claim } from './claims.ts';
import { type ClaimedJob, enqueue, finish, finishAll, LeaseLostError, saveProgress } from './queue.ts';
import { runTogether } from './job-batches.ts';
import { confirmLease, lostLeaseSignal, throwIfLeaseLost } from './leases.ts';
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

    const add = (ref: string, fairnessKey = 'k') =>
      enqueue(db, { kind: 'work', ref, fairnessKey, dueAt: clock.now(), createdAt: clock.now() });

    test('runs due jobs, including those that a job enqueued', async () => {
      const { runner, ran } = createRecordingRunner({ db, clock }, async (job) => {
        if (job.ref === 'first') await add('second');
      });
      await add('first');
      expect(await runner.runDue()).toBe(2);
      expect(ran).toEqual(['first', 'second']);
    });

    test('a job that the database did not answer is not overtaken by others of its key', async () => {
      let isAway = true;
      const { runner, ran } = createRecordingRunner({ db, clock, serialKinds: [['work']] }, async () => {
        if (!isAway) return;
        isAway = false;
        throw new DatabaseUnavailableError('away');
      });
      await add('first');
      await runner.runDue();
      await add('second');
      expect(await runner.runDue()).toBe(0);
      clock.advance(1_000);
      await runner.runDue();
      expect(ran).toEqual(['first', 'second']);
    });

    test('jobs that do not end in time when it stops are due for others at once, and nothing more of them counts', async () => {
      let goOn = () => {};
      const released = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let started = 0;
      let outcome: unknown;
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: async (job) => {
            started += 1;
            await released;
            await finish(db, job).catch((error: unknown) => {
              outcome = error;
              throw error;
            });
          },
        },
      });
      await add('slow', 'a');
      await add('slow too', 'b');
      const ran = runner.runDue();
      await expect.poll(() => started).toBe(2);
      await runner.stop(Promise.resolve());
      const claimed = await claim(db, { now: clock.now(), kinds: ['work'], limit: 8, leaseUntil: clock.now() });
      expect(claimed.map(({ ref }) => ref)).toEqual(['slow', 'slow too']);
      goOn();
      await ran;
      expect(outcome).toBeInstanceOf(LeaseLostError);
      const { rowCount } = await db.query('select from jobs where last_error is null');
      expect(rowCount).toBe(2);
    });

    test('a job confirms its lease without a statement, and is stopped once another worker has it', async () => {
      const statements: string[] = [];
      const recording: Database = {
        ...db,
        query: (statement, values) => {
          if (typeof statement !== 'string') statements.push(statement.name);
          return db.query(statement, values);
        },
      };
      let isBegun = false;
      let goOn = () => {};
      const released = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let signal: AbortSignal | undefined;
      const ends: unknown[] = [];
      const runner = createJobRunner({
        db: recording,
        clock,
        log,
        handlers: {
          work: async () => {
            await confirmLease();
            signal = lostLeaseSignal();
            isBegun = true;
            await released;
            await confirmLease();
          },
        },
        onJobEnd: (_kind, result) => ends.push(result),
      });
      await add('a');
      const ran = runner.runDue();
      await expect.poll(() => isBegun).toBe(true);
      expect(statements).toEqual(['jobs-claim']);
      await db.query('update jobs set fence = fence + 1');
      clock.advance(5_000);
      await expect.poll(() => signal?.aborted).toBe(true);
      goOn();
      await ran;
      expect(ends).toEqual(['lease_lost']);
    });

    test('a batch handler gets all due jobs of one kind and key together, in the order of their due times', async () => {
      const batches: string[][] = [];
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: {
            batchSize: 3,
            handleBatch: async (jobs) => {
              batches.push(jobs.map((job) => job.ref));
              const held = await db.transaction((tx) => finishAll(tx, jobs));
              expect(held).toEqual(new Set(jobs.map((job) => job.id)));
            },
          },
        },
      });
      for (const ref of ['a', 'b', 'c', 'd']) await add(ref);
      await runner.runDue();
      expect(batches.map((batch) => batch.length).reduce((sum, size) => sum + size, 0)).toBe(4);
      expect(batches[0]).toEqual(['a', 'b', 'c']);
      expect((await db.query('select from jobs')).rowCount).toBe(0);
    });

    test('finishes the jobs of a batch whose lease is still held, and no others', async () => {
      const held: number[] = [];
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: {
            batchSize: 10,
            handleBatch: async (jobs) => {
              const [first] = jobs;
              await db.query('update jobs set fence = fence + 1 where id = $1', [first?.id]);
              held.push(...(await db.transaction((tx) => finishAll(tx, jobs))));
            },
          },
        },
      });
      await add('a');
      await add('b');
      await runner.runDue();
      expect(held).toHaveLength(1);
      expect((await db.query('select ref from jobs')).rows).toEqual([{ ref: 'a' }]);
    });

    test('a batch that stops because one of its two jobs was lost runs the other again after 1 s, not at the end of its lease', async () => {
      const runs: string[][] = [];
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: {
            batchSize: 10,
            handleBatch: async (jobs) => {
              runs.push(jobs.map(({ ref }) => ref));
              if (runs.length === 1) {
                await db.query(`update jobs set fence = fence + 1 where ref = 'a'`);
                clock.advance(10_000);
                await confirmLease();
              }
              await db.transaction((tx) => finishAll(tx, jobs));
            },
          },
        },
      });
      await add('a');
      await add('b');
      await runner.runDue();
      clock.advance(1_000);
      await runner.runDue();
      expect(runs).toEqual([['a', 'b'], ['b']]);
    });

    test('a call that takes a lost lease for a failure of its own does not hide it: the other jobs of the batch run alone', async () => {
      const runs: string[][] = [];
      const called: string[] = [];
      /** As connectors do, which throw nothing. */
      const callOthers = () => confirmLease().catch(() => {});
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: {
            batchSize: 10,
            handleBatch: (jobs) =>
              runTogether(jobs, async (batch) => {
                runs.push(batch.map(({ ref }) => ref));
                if (runs.length === 1) {
                  await db.query(`update jobs set fence = fence + 1 where ref = 'a'`);
                  clock.advance(10_000);
                }
                await callOthers();
                throwIfLeaseLost();
                called.push(...batch.map(({ ref }) => ref));
                await db.transaction((tx) => finishAll(tx, batch));
              }),
          },
        },
      });
      for (const ref of ['a', 'b', 'c']) await add(ref);
      await runner.runDue();
      expect(runs).toEqual([['a', 'b', 'c'], ['b'], ['c']]);
      expect(called).toEqual(['b', 'c']);
    });

    test('retries a handler that throws after 1 s, 2 s, 4 s, and keeps its error', async () => {
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

    test('the next attempt gets saved progress even when the handler throws afterwards', async () => {
      const seen: unknown[] = [];
      const ranAt: number[] = [];
      const start = clock.now().getTime();
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: async (job) => {
            seen.push(job.state['page'] ?? null);
            ranAt.push(clock.now().getTime() - start);
            if (seen.length === 4) return await finish(db, job);
            // The first two attempts make no progress, the third does before it fails.
            if (seen.length === 3) await saveProgress(db, job, { page: 7 });
            throw new Error('broken');
          },
        },
      });
      await add('a');
      for (let second = 0; second <= 5; second += 1) {
        await runner.runDue();
        clock.advance(1_000);
      }
      expect(seen).toEqual([null, null, null, 7]);
      // Progress resets the backoff.
      expect(ranAt).toEqual([0, 1_000, 3_000, 4_000]);
    });

    test('progress of a rolled back transaction is not saved', async () => {
      const seen: unknown[] = [];
      const runner = createJobRunner({
        db,
        clock,
        log,
        handlers: {
          work: async (job) => {
            seen.push(job.state['page'] ?? null);
            if (seen.length === 2) return await finish(db, job);
            await db.transaction(async (tx) => {
              await saveProgress(tx, job, { page: 7 });
              throw new Error('the page could not be stored');
            });
          },
        },
      });
      await add('a');
      await runner.runDue();
      clock.advance(1_000);
      await runner.runDue();
      expect(seen).toEqual([null, null]);
    });

    test('extends the lease of a slow job so that no other worker takes it', async () => {
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

    test('extends the lease of a slow job while other jobs start and finish', async () => {
      const slow = hold();
      const ran: string[] = [];
      const runner = createJobRunner({
        db,
        clock,
        log,
        leaseMs: 3_000,
        handlers: {
          work: async (job) => {
            if (job.ref === 'slow') await slow.released;
            ran.push(`${job.ref} ${job.fence}`);
            await finish(db, job);
          },
        },
      });
      runner.start();
      await add('slow');
      runner.wake();
      const wanted: string[] = [];
      for (let step = 0; step < 20; step += 1) {
        await add(`quick-${step}`);
        wanted.push(`quick-${step} 1`);
        runner.wake();
        // The claim may wait for a moment after the one before. On a busy machine, time must not pass while the lease is being extended.
        let moments = 5;
        const passMoment = () => (moments-- > 0 ? clock.advance(50) : undefined);
        await expect.poll(() => (passMoment(), ran)).toEqual(wanted);
        clock.advance(500);
      }
      await expect.poll(leaseEnd).toBeGreaterThan(clock.now().getTime());
      slow.release();
      await expect.poll(() => ran.slice(wanted.length)).toEqual(['slow 1']);
      await runner.stop();
    });

    test('a busy key does not delay others, even with few workers', async () => {
      const { runner, ran } = createRecordingRunner({ db, clock, concurrency: 1 }, async (job) => {
        if (job.ref === 'a-0') await add('late', 'z');
      });
      for (const key of ['a', 'b', 'c']) {
        for (let index = 0; index < 10; index += 1) await add(`${key}-${index}`, key);
        clock.advance(1);
      }
      expect(await runner.runDue()).toBe(31);
      // Each of the other keys ran once before it.
      expect(ran.slice(0, 5)).toEqual(['a-0', 'b-0', 'c-0', 'late', 'a-1']);
    });

    test('keys with hanging jobs leave workers free for others', async () => {
      const hanging = hold();
      let atWork = 0;
      const { runner, ran } = createRecordingRunner({ db, clock, concurrency: 8 }, async (job) => {
        if (job.fairnessKey !== 'quick') {
          atWork += 1;
          await hanging.released;
        }
      });
      runner.start();
      for (const key of ['hanging-1', 'hanging-2']) {
        for (let index = 0; index < 20; index += 1) await add(`${key}-${index}`, key);
        runner.wake();
      }
      await expect.poll(() => atWork).toBeGreaterThanOrEqual(4);
      const quick = Array.from({ length: 5 }, (_, index) => `quick-${index}`);
      for (const ref of quick) await add(ref, 'quick');
      runner.wake();
      const ranSoFar = () => {
        // An idle worker waits a moment for others.
        clock.advance(5);
        return ran;
      };
      await expect.poll(ranSoFar).toEqual(quick);
      hanging.release();
      await expect.poll(() => ran.length).toBe(45);
      await runner.stop();
    });

    /** Makes a job wait until the test releases it. */
    function hold(): { released: Promise<void>; release: () => void } {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      return { released, release };
    }

    test('releases jobs that a claim returns after the stop', async () => {
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
    /** Delays the first statement, which is the claim, until it is released. */
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

    test('waits after a claim for as long as it took while others run, also when a key has more jobs than a batch', async () => {
      const claims: number[] = [];
      const slow: Database = {
        ...db,
        async query(statement, values) {
          const result = await db.query<never>(statement, values);
          if (typeof statement === 'string' || statement.name !== 'jobs-claim') return result;
          clock.advance(20);
          claims.push(clock.now().getTime());
          return result;
        },
      };
      const ends: (() => void)[] = [];
      const runner = createJobRunner({
        ...{ db: slow, clock, log },
        handlers: {
          work: {
            batchSize: 2,
            async handleBatch(jobs) {
              await new Promise<void>((end) => ends.push(end));
              await db.transaction((tx) => finishAll(tx, jobs));
            },
          },
        },
      });
      for (const ref of ['a', 'b', 'c', 'd']) await add(ref);
      runner.start();
      await expect.poll(() => ends.length).toBe(1);
      clock.advance(19);
      await new Promise(setImmediate);
      expect(claims).toHaveLength(1);
      clock.advance(1);
      await expect.poll(() => ends.length).toBe(2);
      expect(claims).toEqual([claims[0], (claims[0] ?? 0) + 40]);
      for (const end of ends) end();
      await runner.stop();
    });

    test('a started runner wakes when a job comes due, and stop waits for running jobs', async () => {
      const { runner, ran } = createRecordingRunner({ db, clock });
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
