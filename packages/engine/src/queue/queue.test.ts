import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import type { Database } from '../store/database/db.ts';
import { claim, extendLeases, nextDueAt } from './claims.ts';
import {
  type ClaimedJob,
  defer,
  enqueue,
  enqueueOnceMore,
  finish,
  hasJob,
  lockClaimedJob,
  LeaseLostError,
  saveProgress,
} from './queue.ts';

const START = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(START.getTime() + ms);

describe.each(backends)('the queue on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('laws', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });
    beforeEach(async () => {
      await db.query('truncate jobs, job_owners');
    });

    const add = (ref: string, fairnessKey = 'connection:1', dueMs = 0) =>
      enqueue(db, { kind: 'work', ref, fairnessKey, dueAt: at(dueMs), createdAt: START });
    const take = (ms: number, limit = 10, leaseMs = 1_000) =>
      claim(db, { now: at(ms), kinds: ['work'], limit, leaseUntil: at(ms + leaseMs) });
    const refs = (jobs: readonly ClaimedJob[]) => jobs.map((job) => job.ref).sort();

    test('a job is claimed once per lease', async () => {
      await add('a');
      expect(refs(await take(0))).toEqual(['a']);
      expect(await take(999)).toEqual([]);
      const [again] = await take(1_000);
      expect(again).toMatchObject({ ref: 'a', fence: 2, attempts: 2 });
    });

    test('skips jobs that are not due and kinds without a handler here', async () => {
      await add('later', 'connection:1', 5_000);
      await enqueue(db, { kind: 'other', ref: 'x', fairnessKey: 'k', dueAt: START, createdAt: START });
      expect(await take(4_999)).toEqual([]);
      expect(await nextDueAt(db, ['work'])).toEqual(at(5_000));
      expect(refs(await take(5_000))).toEqual(['later']);
    });

    test('one job per kind and ref exists at a time', async () => {
      expect(await add('a')).toBe(1);
      expect(await add('a')).toBe(0);
      const [job] = await take(0);
      if (!job) throw new Error('expected a job');
      await finish(db, job);
      expect(await add('a')).toBe(1);
    });

    test('a repeated request is merged into a waiting job and runs a running job again', async () => {
      const ask = (ms: number) =>
        enqueueOnceMore(db, { kind: 'work', ref: 'a', fairnessKey: 'k', dueAt: at(ms), createdAt: at(ms) });
      const takeOne = async (ms: number) => {
        const [job, ...others] = await take(ms);
        if (!job || others.length > 0) throw new Error('expected one job');
        return job;
      };
      await ask(0);
      await ask(1);
      const first = await takeOne(1);
      await ask(2);
      await ask(3);
      expect(await take(3)).toEqual([]);
      await defer(db, first, { dueAt: at(10), state: { tries: 1 } });
      const second = await takeOne(10);
      expect(second.state).toEqual({ tries: 1 });
      await finish(db, second);
      const again = await takeOne(10);
      expect(again).toMatchObject({ ref: 'a', fairnessKey: 'k', state: {}, attempts: 1, createdAt: at(3) });
      await finish(db, again);
      expect(await take(99_000)).toEqual([]);
    });

    test('a worker that lost its lease changes nothing', async () => {
      await add('a');
      const [slow] = await take(0);
      const [fast] = await take(1_000);
      if (!slow || !fast) throw new Error('expected two claims');
      await expect(finish(db, slow)).rejects.toThrow(LeaseLostError);
      await expect(defer(db, slow, { dueAt: at(0) })).rejects.toThrow(LeaseLostError);
      expect(await extendLeases(db, [slow], at(9_000))).toEqual(new Set());
      await finish(db, fast);
      expect(await take(99_000)).toEqual([]);
    });

    test('extends the lease of its holder', async () => {
      await add('a');
      const [job] = await take(0);
      if (!job) throw new Error('expected a job');
      expect(await extendLeases(db, [job], at(3_000))).toEqual(new Set([job.id]));
      expect(await take(2_999)).toEqual([]);
      expect(refs(await take(3_000))).toEqual(['a']);
    });

    test('a deferred job keeps its state and is due again at its time', async () => {
      await add('a');
      const [job] = await take(0);
      if (!job) throw new Error('expected a job');
      await defer(db, job, { dueAt: at(500), state: { tries: 1 }, error: 'busy' });
      expect(await take(499)).toEqual([]);
      expect((await take(500))[0]).toMatchObject({ ref: 'a', state: { tries: 1 } });
    });

    test('progress is kept, the claim continues, and the next failure counts as the first', async () => {
      await add('a');
      const [first] = await take(0);
      const [job] = await take(1_000);
      if (!first || !job) throw new Error('expected two claims');
      expect(await hasJob(db, 'work', 'a')).toBe(true);
      await lockClaimedJob(db, job);
      await expect(lockClaimedJob(db, first)).rejects.toThrow(LeaseLostError);
      await saveProgress(db, job, { page: 3 });
      expect(await take(1_999)).toEqual([]);
      await expect(saveProgress(db, first, { page: 9 })).rejects.toThrow(LeaseLostError);
      const [next] = await take(2_000);
      expect(next).toMatchObject({ state: { page: 3 }, fence: 3, attempts: 1 });
      if (next) await finish(db, next);
      expect(await hasJob(db, 'work', 'a')).toBe(false);
    });

    test('a rolled back finish keeps the job', async () => {
      await add('a');
      const [job] = await take(0);
      if (!job) throw new Error('expected a job');
      const work = db.transaction(async (tx) => {
        await finish(tx, job);
        throw new Error('the work failed after all');
      });
      await expect(work).rejects.toThrow('after all');
      expect(refs(await take(1_000))).toEqual(['a']);
    });

    test('one busy key does not starve the others', async () => {
      for (let index = 0; index < 30; index += 1) await add(`busy-${index}`, 'connection:1');
      await add('quiet', 'connection:2', 10);
      await add('calm', 'connection:3', 20);
      const jobs = await take(100, 6);
      expect(refs(jobs).filter((ref) => !ref.startsWith('busy'))).toEqual(['calm', 'quiet']);
      expect(jobs).toHaveLength(4);
    });

    test('a key gets no more workers than it leaves idle, counting those of other claimers', async () => {
      for (let index = 0; index < 30; index += 1) await add(`busy-${index}`, 'connection:1');
      expect(await take(0, 1)).toHaveLength(1);
      expect(await take(0, 10)).toHaveLength(4);
      expect(await take(0, 5)).toEqual([]);
      expect(await take(0, 12)).toHaveLength(3);
      await add('quiet', 'connection:2');
      expect(refs(await take(0, 1))).toEqual(['quiet']);
    });

    test('a worker whose lease has ended no longer counts', async () => {
      for (let index = 0; index < 30; index += 1) await add(`busy-${index}`, 'connection:1');
      expect(await take(0, 10)).toHaveLength(5);
      expect(await take(999, 5)).toEqual([]);
      expect(await take(1_000, 5)).toHaveLength(2);
    });

    test('an owner gets no more workers than it leaves idle, however many keys it has', async () => {
      for (let index = 0; index < 30; index += 1) await add(`many-${index}`, `account:1/webhook:${index}`);
      expect(await take(0, 16)).toHaveLength(8);
      expect(await take(0, 8)).toEqual([]);
      await add('quiet', 'account:2/webhook:x');
      await add('calm', 'connection:3');
      expect(refs(await take(0, 8))).toEqual(['calm', 'quiet']);
    });

    test('the first job of an owner ranks like the first job of a key without owner', async () => {
      for (let index = 0; index < 10; index += 1) await add(`many-${index}`, `account:1/webhook:${index}`);
      await add('single', 'connection:1');
      expect(refs(await take(0, 2))).toEqual(['many-0', 'single']);
    });

    test("a key leaves half of its owner's workers to the owner's other keys", async () => {
      for (let index = 0; index < 30; index += 1) await add(`busy-${index}`, 'account:1/webhook:busy');
      const busy = await take(0, 16);
      expect(busy).toHaveLength(5);
      for (let index = 0; index < 3; index += 1) await add(`quiet-${index}`, `account:1/webhook:quiet-${index}`);
      expect(refs(await take(0, 16 - busy.length))).toEqual(['quiet-0', 'quiet-1', 'quiet-2']);
    });

    test('concurrent claims never get the same job', async () => {
      for (let index = 0; index < 60; index += 1) await add(`job-${index}`, `connection:${index % 3}`);
      const claims = await Promise.all(Array.from({ length: 8 }, () => take(0, 10)));
      const seen = claims.flat().map((job) => job.ref);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.length + (await take(0, 100)).length).toBe(60);
    });

    test('property: each job finishes exactly once and none is lost, even when workers die', async () => {
      const step = fc.record({
        worker: fc.nat({ max: 2 }),
        action: fc.constantFrom('claim', 'finish', 'defer', 'prolong', 'die', 'wait'),
        ms: fc.integer({ min: 0, max: 1_500 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 40 }), async (count, steps) => {
          await db.query('truncate jobs');
          for (let index = 0; index < count; index += 1) await add(String(index), `connection:${index % 2}`);
          const jobsByWorker = new Map<number, ClaimedJob[]>();
          const finished: string[] = [];
          let nowMs = 0;
          const finishOne = async (job: ClaimedJob) => {
            try {
              await finish(db, job);
              finished.push(job.ref);
            } catch (error) {
              if (!(error instanceof LeaseLostError)) throw error;
            }
          };
          for (const { worker, action, ms } of steps) {
            nowMs += ms;
            const held = jobsByWorker.get(worker) ?? [];
            const [job] = held;
            if (action === 'claim') jobsByWorker.set(worker, [...held, ...(await take(nowMs, 2))]);
            if (action === 'die') jobsByWorker.delete(worker);
            if (action === 'prolong') await extendLeases(db, held, at(nowMs + 1_000));
            if (action === 'finish' && job) {
              jobsByWorker.set(worker, held.slice(1));
              await finishOne(job);
            }
            if (action === 'defer' && job) {
              jobsByWorker.set(worker, held.slice(1));
              await defer(db, job, { dueAt: at(nowMs + 200) }).catch((error: unknown) => {
                if (!(error instanceof LeaseLostError)) throw error;
              });
            }
          }
          // All workers have died; a new one finishes what comes due again.
          nowMs += 100_000;
          for (const job of await take(nowMs, 100)) await finishOne(job);
          expect([...finished].sort()).toEqual(Array.from({ length: count }, (_, index) => String(index)));
        }),
        { numRuns: 25, seed: 20_260_301 },
      );
    });

    test('property: a repeated request leads to a run that was claimed after it, and runs never overlap', async () => {
      const step = fc.record({
        action: fc.constantFrom('ask', 'ask', 'claim', 'finish', 'defer', 'die'),
        ms: fc.integer({ min: 0, max: 700 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          await db.query('truncate jobs');
          let held: { job: ClaimedJob; claimedAt: number } | null = null;
          let [nowMs, lastAsk, lastRun] = [0, -1, -1];
          const takeOne = async (claimedAt: number) => {
            const [job] = await take(nowMs);
            return job === undefined ? null : { job, claimedAt };
          };
          for (const [index, { action, ms }] of steps.entries()) {
            nowMs += ms;
            // A living worker keeps its lease.
            if (held !== null) await extendLeases(db, [held.job], at(nowMs + 1_000));
            if (action === 'ask') {
              lastAsk = index;
              await enqueueOnceMore(db, {
                kind: 'work',
                ref: 'a',
                fairnessKey: 'k',
                dueAt: at(nowMs),
                createdAt: START,
              });
            }
            if (action === 'claim') {
              const claimed = await takeOne(index);
              expect(held === null || claimed === null).toBe(true);
              held ??= claimed;
            }
            if (action === 'defer' && held !== null) await defer(db, held.job, { dueAt: at(nowMs + 200) });
            if (action === 'finish' && held !== null) {
              await finish(db, held.job);
              lastRun = held.claimedAt;
            }
            if (action !== 'ask' && action !== 'claim') held = null;
          }
          // The last worker dies; another one does the rest.
          for (nowMs += 1_000; ; ) {
            const last = await takeOne(steps.length);
            if (last === null) break;
            await finish(db, last.job);
            lastRun = last.claimedAt;
          }
          expect(lastRun).toBeGreaterThanOrEqual(lastAsk);
          expect(await hasJob(db, 'work', 'a')).toBe(false);
        }),
        { numRuns: 60, seed: 20_260_301 },
      );
    });
  });
});
