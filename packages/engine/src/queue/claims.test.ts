/** Batches and serial kinds, on both backends; the rules of turns are in `queue.test.ts`. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import type { Database } from '../store/database/db.ts';
import { claimBatches, deferFailed, extendLeases, returnJobs } from './claims.ts';
import { deferAll } from './job-batches.ts';
import { type ClaimedJob, enqueue, finish, finishAll, LeaseLostError } from './queue.ts';

const START = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(START.getTime() + ms);
const refsOf = (batches: readonly (readonly ClaimedJob[])[]) => batches.map((batch) => batch.map((job) => job.ref));

describe.each(backends)('claims on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('of batches', () => {
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

    const add = (kind: string, refs: readonly string[], { key = 'connection:1', dueMs = 0 } = {}) =>
      enqueue(db, ...refs.map((ref) => ({ kind, ref, fairnessKey: key, dueAt: at(dueMs), createdAt: START })));
    const kinds = ['write', 'retry', 'read'];
    const take = (ms: number, limit = 16) =>
      claimBatches(db, {
        now: at(ms),
        kinds,
        batchSizes: { write: 4, read: 3 },
        serialKinds: [['write', 'retry']],
        limit,
        leaseUntil: at(ms + 1_000),
      });

    test('a worker gets all due jobs of a kind and key up to its batch size, in the order in which they were enqueued', async () => {
      await add('read', ['c', 'd'], { dueMs: 2 });
      await add('read', ['a'], { dueMs: 1 });
      await add('read', ['late'], { dueMs: 5_000 });
      await add('read', ['x', 'y'], { key: 'connection:2', dueMs: 3 });
      expect(refsOf(await take(10))).toEqual([
        ['c', 'd', 'a'],
        ['x', 'y'],
      ]);
    });

    test('a job comes in its place although the clock of the process that enqueued it is ahead, and after a wait', async () => {
      const clockAhead = { dueAt: at(60_000), createdAt: at(60_000) };
      await add('read', ['waited']);
      const [[waited] = []] = await take(0);
      await enqueue(db, { kind: 'read', ref: 'ahead', fairnessKey: 'connection:1', ...clockAhead });
      await add('read', ['next']);
      await deferAll(db, [{ job: waited ?? expect.fail(), dueAt: at(10) }]);
      expect(refsOf(await take(10))).toEqual([['waited', 'ahead', 'next']]);
    });

    test('a claim gives one batch of a kind and key, and the next one another', async () => {
      await add('read', ['a', 'b', 'c', 'd', 'e']);
      expect(refsOf(await take(0))).toEqual([['a', 'b', 'c']]);
      expect(refsOf(await take(0))).toEqual([['d', 'e']]);
    });

    test('a batch counts as one worker', async () => {
      for (let index = 0; index < 20; index += 1) await add('read', [`r${index}`]);
      let workers = 0;
      // With eight workers a lone key gets four, whatever their batches.
      while ((await take(0, 8 - workers)).length > 0) workers += 1;
      expect(workers).toBe(4);
    });

    test('serial kinds of a key run one after another, also those of another claimer; other kinds beside them', async () => {
      await add('write', ['a', 'b', 'c', 'd', 'e']);
      await add('retry', ['r'], { dueMs: 1 });
      await add('read', ['x'], { dueMs: 1 });
      const [first = []] = await take(1, 2);
      expect(first.map(({ ref }) => ref)).toEqual(['a', 'b', 'c', 'd']);
      expect(refsOf(await take(1))).toEqual([['x']]);
      await finishAll(db, first.slice(0, 3));
      expect(refsOf(await take(2))).toEqual([]);
      await finishAll(db, first.slice(3));
      const [second = []] = await take(3);
      expect(second.map(({ ref }) => ref)).toEqual(['e']);
      await finishAll(db, second);
      expect(refsOf(await take(4))).toEqual([['r']]);
    });

    test('a dead worker keeps serial kinds of its key until its lease ends; then they come in their old order', async () => {
      await add('write', ['a', 'b']);
      const [dead = []] = await take(0);
      await add('write', ['c', 'd', 'e'], { dueMs: 10 });
      await add('write', ['other'], { key: 'connection:2', dueMs: 10 });
      expect(refsOf(await take(999))).toEqual([['other']]);
      const [alive = []] = await take(1_000);
      expect(alive.map(({ ref }) => ref)).toEqual(['a', 'b', 'c', 'd']);
      expect(await extendLeases(db, dead, at(9_000))).toEqual(new Set());
    });

    test('a worker that was taken for dead gets no serial job back, not even those that nobody has claimed', async () => {
      await add('write', ['a', 'b', 'c', 'd']);
      const [slow = []] = await take(0);
      const [alone = []] = await take(1_000);
      await finishAll(db, alone.slice(0, 1));
      await deferAll(db, [{ job: alone[1] ?? expect.fail(), dueAt: at(5_000) }]);
      expect(await extendLeases(db, slow, at(9_000))).toEqual(new Set());
      expect(await finishAll(db, slow)).toEqual(new Set());
      expect(slow.map(({ result }) => result)).toEqual(Array.from({ length: 4 }, () => 'lease_lost'));
    });

    test('jobs that failed twice are claimed alone, and the others together again', async () => {
      await add('read', ['a', 'b', 'c']);
      for (const [index, ms] of [0, 1_000].entries()) {
        const [batch = []] = await take(ms);
        expect(batch.map(({ ref }) => ref)).toEqual(['a', 'b', 'c']);
        expect(batch.map(({ attempts }) => attempts)).toEqual([index + 1, index + 1, index + 1]);
        await deferFailed(db, batch, { now: at(ms), error: 'poison', isCounted: true });
      }
      await add('read', ['new'], { dueMs: 4_000 });
      const alone = [await take(4_000), await take(4_000), await take(4_000), await take(4_000)].map(refsOf);
      expect(alone).toEqual([[['a']], [['b']], [['c']], [['new']]]);
    });

    test('a job that a handler settled begins anew: many deferrals do not separate a batch', async () => {
      await add('read', ['a', 'b', 'c']);
      for (let ms = 0; ms < 5; ms += 1) {
        const [batch = []] = await take(ms);
        expect(batch).toHaveLength(3);
        const held = await deferAll(
          db,
          batch.map((job) => ({ job, dueAt: at(ms + 1), state: { tries: ms }, error: 'busy' })),
        );
        expect(held).toEqual(new Set(batch.map((job) => job.id)));
        expect(batch.map(({ result }) => result)).toEqual(['deferred', 'deferred', 'deferred']);
      }
      const [batch = []] = await take(5);
      expect(batch.map(({ state }) => state)).toEqual([{ tries: 4 }, { tries: 4 }, { tries: 4 }]);
    });

    test('settles the jobs of a batch whose claim is the latest, and no others', async () => {
      await add('read', ['a', 'b', 'c']);
      const [batch = []] = await take(0);
      const [again = []] = await take(1_000, 1);
      await finish(db, again[0] ?? expect.fail());
      expect(
        await deferAll(
          db,
          batch.map((job) => ({ job, dueAt: at(0) })),
        ),
      ).toEqual(new Set());
      await expect(finish(db, again[0] ?? expect.fail())).rejects.toThrow(LeaseLostError);
      expect(await finishAll(db, again)).toEqual(new Set(again.slice(1).map((job) => job.id)));
      expect((await db.query('select from jobs')).rowCount).toBe(0);
    });

    test('returned jobs are due at once, in their place, as if they had not been claimed', async () => {
      await add('write', ['a', 'b']);
      const [batch = []] = await take(0);
      await add('write', ['c'], { dueMs: 1 });
      await returnJobs(db, batch, at(2));
      expect(refsOf(await take(2))).toEqual([['a', 'b', 'c']]);
    });
  });
});
