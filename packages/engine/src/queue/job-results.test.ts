/** The results of jobs that `onJobEnd` receives, on both backends. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { createManualClock } from '../runtime/clock.ts';
import type { JobResult } from '../runtime/metrics.ts';
import type { Database } from '../store/database/db.ts';
import { claim } from './claims.ts';
import { defer, enqueue, finish } from './queue.ts';
import { createJobRunner, type JobHandler } from './runner.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

describe.each(backends)('the results of jobs on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('are', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });

    const later = (ms: number) => new Date(NOW.getTime() + ms);
    const handlers: [JobResult, string, JobHandler][] = [
      ['done', 'finished', (job) => db.transaction((tx) => finish(tx, job))],
      ['deferred', 'deferred', (job) => db.transaction((tx) => defer(tx, job, { dueAt: later(1_000) }))],
      ['failed', 'thrown', () => Promise.reject(new Error('a bug'))],
      [
        'failed',
        'finished in a transaction that was rolled back',
        (job) =>
          db.transaction(async (tx) => {
            await finish(tx, job);
            throw new Error('after it');
          }),
      ],
      ['failed', 'neither finished nor deferred', async () => {}],
      [
        'lease_lost',
        'claimed by another worker meanwhile',
        async (job) => {
          await claim(db, { now: later(60_000), kinds: [job.kind], limit: 1, leaseUntil: later(120_000) });
          await finish(db, job);
        },
      ],
    ];

    test.each(handlers)('%s for a job: %s', async (result, kind, handler) => {
      const ended: [string, JobResult][] = [];
      const runner = createJobRunner({
        db,
        clock: createManualClock(NOW),
        log: pino({ level: 'silent' }),
        handlers: { [kind]: handler },
        onJobEnd: (...end) => ended.push(end),
      });
      await enqueue(db, { kind, ref: 1, fairnessKey: 'a', dueAt: NOW, createdAt: NOW });
      expect(await runner.runDue()).toBe(1);
      expect(ended).toEqual([[kind, result]]);
    });
  });
});
