/** Two transactions about the same rows, given in opposite orders, never wait for each other. PGlite has only one. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { claim, deferFailed, extendLeases, returnJobs } from '../../src/queue/claims.ts';
import { deferAll } from '../../src/queue/job-batches.ts';
import { endJobs } from '../../src/queue/job-ends.ts';
import { type ClaimedJob, enqueue, finishAll } from '../../src/queue/queue.ts';
import type { Database, Db } from '../../src/store/database/db.ts';
import { insertNewEvents } from '../../src/store/receipts.ts';
import { backends } from '../support/backends.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const LATER = new Date('2026-03-01T13:00:00.000Z');

describe.each(backends.filter(({ name }) => name === 'postgres'))('the order of locks on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('is one', () => {
    let db: Database;
    beforeEach(async () => {
      db = await backend.open();
    });
    afterEach(() => db.close());

    const untilWaiting = (count: number) =>
      vi.waitFor(async () => {
        const { rows } = await db.query<{ waiting: number }>(
          `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(rows[0]?.waiting).toBe(count);
      });

    /** Runs `first` until it waits for what `hold` has locked, then `second`; then `hold` ends. */
    async function race(
      hold: (tx: Db) => Promise<unknown>,
      first: () => Promise<unknown>,
      second: () => Promise<unknown>,
    ): Promise<void> {
      const held = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const holding = db.transaction(async (tx) => {
        await hold(tx);
        held.resolve();
        await released.promise;
      });
      await held.promise;
      const firstDone = first();
      await untilWaiting(1);
      const secondDone = second();
      await untilWaiting(2);
      released.resolve();
      await Promise.all([holding, firstDone, secondDone]);
    }

    const settlements: [string, (jobs: readonly ClaimedJob[]) => Promise<unknown>][] = [
      ['finishAll', (jobs) => finishAll(db, jobs)],
      [
        'deferAll',
        (jobs) =>
          deferAll(
            db,
            jobs.map((job) => ({ job, dueAt: LATER })),
          ),
      ],
      ['deferFailed', (jobs) => deferFailed(db, jobs, { now: NOW, error: 'failed' })],
      ['returnJobs', (jobs) => returnJobs(db, jobs, NOW)],
      ['extendLeases', (jobs) => extendLeases(db, jobs, LATER)],
      [
        'endJobs',
        (jobs) =>
          endJobs(
            db,
            jobs.map((job) => ({ job, dueAt: null })),
          ),
      ],
    ];
    test.each(settlements)('%s and the statements that end jobs', async (_, settle) => {
      const newJob = (ref: number) => ({ kind: 'work', ref, fairnessKey: 'key', dueAt: NOW, createdAt: NOW });
      // Enough rows for the plans of a real queue.
      await enqueue(db, ...Array.from({ length: 500 }, (_entry, index) => newJob(index)));
      await db.query('analyze jobs');
      const jobs = (
        await claim(db, { now: NOW, kinds: ['work'], batchSizes: { work: 3 }, limit: 1, leaseUntil: LATER })
      ).toSorted((a, b) => a.id - b.id);
      const [a, b, c] = jobs;
      if (!a || !b || !c) throw new Error('Three jobs were due.');
      const raced = race(
        (tx) => tx.query('select from jobs where id = $1 for update', [b.id]),
        () => settle([c, b, a]),
        () => finishAll(db, [a, c]),
      );
      await expect(raced).resolves.toBeUndefined();
    });

    test('events that a sender repeats', async () => {
      const received = (eventKey: string) => ({
        receipt: { id: 1, accountId: 1, source: { id: 1, platform: 'smartlead', connectionId: 1 } },
        event: { eventKey, eventType: 'email_reply', toEmail: `${eventKey}@example.org` } as never,
      });
      const [a, b, c] = ['a', 'b', 'c'].map(received);
      if (!a || !b || !c) throw new Error('There are three events.');
      const insert = (...events: (typeof a)[]) => insertNewEvents(db, events, NOW);
      let inserted: Awaited<ReturnType<typeof insert>> = [];
      await race(
        (tx) => insertNewEvents(tx, [b], NOW),
        async () => {
          inserted = await insert(c, b, a);
        },
        () => insert(a, c),
      );
      // The ids keep the order given.
      const [first, second] = inserted;
      expect(inserted).toMatchObject([c, a]);
      expect(first?.id).toBeLessThan(second?.id ?? 0);
    });
  });
});
