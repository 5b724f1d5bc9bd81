import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import type { Database } from '../store/database/db.ts';
import { endJobs, noteJobEnd } from './job-ends.ts';
import { claim } from './claims.ts';
import { type ClaimedJob, enqueue, enqueueOnceMore, LeaseLostError } from './queue.ts';

const START = new Date('2026-03-01T00:00:00Z');
const at = (ms: number) => new Date(START.getTime() + ms);

describe.each(backends)('ending jobs on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('together', () => {
    let db: Database;
    beforeEach(async () => {
      db = await backend.open();
    });
    afterEach(() => db.close());

    const newJob = (ref: string) => ({ kind: 'work', ref, fairnessKey: ref, dueAt: START, createdAt: START });
    const claimAll = async (ms: number): Promise<ClaimedJob[]> => {
      const jobs = await claim(db, { now: at(ms), kinds: ['work'], limit: 100, leaseUntil: at(ms + 1_000) });
      return jobs.toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
    };

    test('finishes, defers with the old or a new state, and runs a requested one again', async () => {
      await enqueue(db, ...['a', 'b', 'c', 'd'].map((ref) => ({ ...newJob(ref), state: { ref } })));
      const [a, b, c, d] = await claimAll(0);
      if (!a || !b || !c || !d) throw new Error('four jobs were due');
      await enqueueOnceMore(db, { ...newJob('d'), dueAt: at(20) });
      const held = await endJobs(db, [
        { job: d, dueAt: null },
        { job: c, dueAt: at(30), state: { tries: 1 } },
        { job: b, dueAt: at(10) },
        { job: a, dueAt: null },
      ]);
      expect(held).toEqual([0, 1, 2, 3]);
      expect((await claimAll(10)).map(({ ref, state }) => ({ ref, state }))).toEqual([
        { ref: 'b', state: { ref: 'b' } },
      ]);
      expect((await claimAll(30)).map(({ ref, state, attempts }) => ({ ref, state, attempts }))).toEqual([
        { ref: 'c', state: { tries: 1 }, attempts: 2 },
        { ref: 'd', state: {}, attempts: 1 },
      ]);
      const { rows } = await db.query('select ref from jobs order by ref');
      expect(rows.map((row) => row)).toEqual([{ ref: 'b' }, { ref: 'c' }, { ref: 'd' }]);
    });

    test('leaves out those that another worker has claimed, and those that have ended before', async () => {
      await enqueue(db, ...['a', 'b', 'c'].map(newJob));
      const [a, b, c] = await claimAll(0);
      if (!a || !b || !c) throw new Error('three jobs were due');
      expect(await endJobs(db, [{ job: c, dueAt: at(0) }])).toEqual([0]);
      await db.query('update jobs set fence = fence + 1 where ref = $1', ['b']);
      const ends = [a, b, c].map((job) => ({ job, dueAt: null }));
      expect(await endJobs(db, ends)).toEqual([0]);
      const { rows } = await db.query('select ref from jobs order by ref');
      expect(rows).toEqual([{ ref: 'b' }, { ref: 'c' }]);
      expect(() => noteJobEnd({ job: b, dueAt: null }, false)).toThrow(LeaseLostError);
    });

    test.each([
      { seen: 0, isAnalyzed: false },
      { seen: 10_000, isAnalyzed: false },
      { seen: 10_000, isAnalyzed: true },
    ])('reads no other job, with a plan for $seen jobs, analyzed: $isAnalyzed', async ({ seen, isAnalyzed }) => {
      await db.transaction(async (tx) => {
        // Statistics that other tests leave are those of another table.
        await tx.query('create temporary table jobs (like public.jobs including all) on commit drop');
        await tx.query('set local plan_cache_mode = force_generic_plan');
        await tx.query('discard plans');
        const fill = (count: number) =>
          tx.query(
            `insert into jobs (kind, ref, fairness_key, due_at, is_leased, created_at)
              select 'work', gen_random_uuid()::text, 'other', $1::timestamptz, false, $1 from generate_series(1, $2::int) i`,
            [START, count],
          );
        const countReads = async () => {
          const { rows } = await tx.query<{ reads: number }>(
            `select coalesce(idx_tup_fetch, 0) + seq_tup_read as reads from pg_stat_xact_user_tables
              where relid = 'pg_temp.jobs'::regclass`,
          );
          return rows[0]?.reads ?? 0;
        };
        const newClaimed = async (ref: string) => {
          const { rows } = await tx.query<ClaimedJob>(
            `insert into jobs (kind, ref, fairness_key, due_at, is_leased, created_at)
              values ('work', $1, $1, $2, true, $2) returning id, fence`,
            [ref, START],
          );
          const [row] = rows;
          if (row === undefined) throw new Error('a row was inserted');
          return row;
        };
        await fill(seen);
        // None of them is leased, as while the queue is quiet.
        if (isAnalyzed) await tx.query('analyze jobs');
        const first = await newClaimed('first');
        expect(await endJobs(tx, [{ job: first, dueAt: null }])).toEqual([0]);
        await fill(10_000 - seen);
        await tx.query('update jobs set is_leased = true');
        const ends = [
          { job: await newClaimed('finished'), dueAt: null },
          { job: await newClaimed('deferred'), dueAt: at(10) },
        ];
        const readsBefore = await countReads();
        expect(await endJobs(tx, ends)).toEqual([0, 1]);
        expect((await countReads()) - readsBefore).toBeLessThan(20);
      });
    });
  });
});
