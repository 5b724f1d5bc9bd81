/** Two transactions about the same rows, given in opposite orders, never wait for each other. PGlite has only one. */
import { planWrite } from '@svc/domain/policy/plan-write';
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BLANK_CONTACT, type InboundEvent } from '@svc/sequencers';
import { claim, deferFailed, extendLeases, returnJobs } from '@svc/engine/queue/claims';
import { deferAll } from '@svc/engine/queue/job-batches';
import { endJobs } from '@svc/engine/queue/job-ends';
import { type ClaimedJob, enqueue, finishAll } from '@svc/engine/queue/queue';
import type { Database, Db } from '@svc/engine/store/database/db';
import type { Context } from '@svc/engine/context';
import { applyResults, type ConnectionResults } from '@svc/engine/pipeline/sync-results';
import { createManualClock } from '@svc/engine/runtime/clock';
import { listEventsToWrite } from '@svc/engine/store/sync-attempts';
import { insertNewEvents } from '@svc/engine/store/receipts';
import { lockSyncHealth } from '@svc/engine/store/sync-health';
import { backends } from '@svc/engine/test/backends';

/** Runs work as if it were called outside of the transaction of its caller. */
const outside = AsyncLocalStorage.snapshot();
const NOW = new Date('2026-03-01T12:00:00.000Z');
const LATER = new Date('2026-03-01T13:00:00.000Z');

const blankEvent = (eventKey: string): InboundEvent => ({
  eventKey,
  eventType: 'EMAIL_REPLY',
  toEmail: `${eventKey}@example.org`,
  contact: BLANK_CONTACT,
  campaign: { id: null, name: null },
  ...{ occurredAt: null, fromEmail: null, replySender: null, subject: null, bodyHtml: null, bodyText: null },
  ...{ messageId: null, answeredMessageId: null, category: null, linkUrls: [], sequenceNumber: null },
});

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
      ['deferFailed', (jobs) => deferFailed(db, jobs, { now: NOW, error: 'failed', isCounted: true })],
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
        receipt: { id: 1, accountId: 1, receivedAt: NOW, source: { id: 1, platform: 'smartlead', connectionId: 1 } },
        event: blankEvent(eventKey),
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

    /** Adds two connections with a source each, of which one event waits to be written. */
    async function addConnections(): Promise<void> {
      await db.query(`insert into accounts (id, email, created_at) values (1, 'a@example.com', $1)`, [NOW]);
      await db.query(
        `with added as (insert into connections (id, account_id, crm, organization_id, organization_domain, crm_token, created_at)
            select id, 1, 'HUBSPOT', id::text, 'example.com', 'token', $1 from generate_series(1, 2) id)
          insert into sources (id, connection_id, platform, path, created_at)
          select id, id, 'smartlead', id::text, $1 from generate_series(1, 2) id`,
        [NOW],
      );
    }

    test('the first health of a source, beside one that was added in the meantime', async () => {
      await addConnections();
      const [first, second] = [1, 2].map((id) => ({ sourceId: id, connectionId: id }));
      if (!first || !second) throw new Error('There are two sources.');
      await db.transaction((tx) => lockSyncHealth(tx, [second]));
      let other: Promise<unknown> = Promise.resolve();
      const locked = db.transaction((tx) => {
        let isFirst = true;
        const query: Db['query'] = async (statement, values) => {
          const result = await tx.query(statement, values);
          if (isFirst) {
            isFirst = false;
            other = outside(async () => {
              await db.transaction((own) => lockSyncHealth(own, [first]));
              await db.transaction((own) => lockSyncHealth(own, [first, second]));
            });
            await outside(() => untilWaiting(1));
          }
          return result as never;
        };
        return lockSyncHealth({ ...tx, query }, [first, second]);
      });
      await expect(Promise.all([locked, locked.then(() => other)])).resolves.toHaveLength(2);
    });

    test('errors and cooldowns of connections', async () => {
      await addConnections();
      // Without a row, so that the health of the sources is not locked before.
      const error = { code: 'daily_limit_reached', message: 'Enough for today.', httpStatus: null };
      const failed = { status: 'error', error, retry: 'never', disconnected: false, isQuotaWait: true } as const;
      const cooling = { ...failed, error: { ...error, code: 'rate_limited' }, cooldownUntilMs: LATER.getTime() };
      const next = { dueAt: LATER, state: {}, isRecordedNow: false, error: 'It waits.' };
      const receipts = [1, 2, 3, 4].map((id) => ({
        receipt: {
          id,
          accountId: 1,
          receivedAt: NOW,
          source: { id: 1 + (id % 2), platform: 'smartlead', connectionId: 1 + (id % 2) },
        },
        event: blankEvent(`${id}`),
      }));
      await db.query(
        `insert into requests (id, account_id, path, created_at, headers, body)
          select id, 1, 'x', $1, '{}', '' from generate_series(1, 4) id`,
        [NOW],
      );
      const events = await insertNewEvents(db, receipts, NOW);
      const targets = await listEventsToWrite(
        db,
        events.map(({ id }) => id),
      );
      await enqueue(
        db,
        ...events.map(({ id }) => ({ kind: 'w', ref: id, fairnessKey: `${id}`, dueAt: NOW, createdAt: NOW })),
      );
      const jobs = await claim(db, { now: NOW, kinds: ['w'], limit: 16, leaseUntil: LATER });
      const ctx: Context = { clock: createManualClock(NOW) } as never;
      const store = (wanted: readonly { connectionId: number; outcome: typeof failed | typeof cooling }[]) => {
        const batches = wanted.map(({ connectionId, outcome }): ConnectionResults => {
          const job = jobs.find(({ ref }) => targets.get(Number(ref))?.connection.id === connectionId);
          const target = targets.get(Number(job?.ref));
          if (!job || !target) throw new Error('Each connection has two events.');
          jobs.splice(jobs.indexOf(job), 1);
          const plan = planWrite(target.source.switches, target.source.policy, target.event);
          const write = { job, target, plan, fields: [], retryOfSyncId: null, isRequested: false };
          return { connection: target.connection, results: [{ write, outcome, isCall: false, next }] };
        });
        return db.transaction((tx) => applyResults(ctx, tx, batches));
      };
      const raced = race(
        (tx) => tx.query('select from connections where id = 1 for no key update'),
        () =>
          store([
            { connectionId: 1, outcome: failed },
            { connectionId: 2, outcome: cooling },
          ]),
        () =>
          store([
            { connectionId: 2, outcome: failed },
            { connectionId: 1, outcome: cooling },
          ]),
      );
      await expect(raced).resolves.toBeUndefined();
    });
  });
});
