import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import { createManualClock } from '../runtime/clock.ts';
import type { Database } from '../store/database/db.ts';
import { DELIVER_WEBHOOK, PROCESS_RECEIPT } from '../jobs/kinds.ts';
import { deliverWebhookJob } from '../webhooks/deliver-webhook.ts';
import { createWorkerPools } from './worker-pools.ts';
import { enqueue, finish } from './queue.ts';

describe.each(backends)('the worker pools on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('behaviour', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });

    test('20 hanging endpoints of one account delay neither other accounts nor inbound events', async () => {
      const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
      const now = clock.now();
      const ran: string[] = [];
      let hanging = 0;
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const pools = createWorkerPools({
        pools: [{ kinds: new Set([DELIVER_WEBHOOK]), concurrency: 32 }],
        db,
        clock,
        log: pino({ level: 'silent' }),
        handlers: {
          [DELIVER_WEBHOOK]: async (job) => {
            if (job.ref.startsWith('hanging')) {
              hanging += 1;
              await released;
            }
            await finish(db, job);
            ran.push(job.ref);
          },
          [PROCESS_RECEIPT]: async (job) => {
            await finish(db, job);
            ran.push(job.ref);
          },
        },
      });
      const target = (id: string, accountId: number, webhookId: string) =>
        deliverWebhookJob({ id, accountId, webhookId }, now);
      const jobs = Array.from({ length: 20 }, (_, webhook) =>
        Array.from({ length: 10 }, (_, index) => target(`hanging-${webhook}-${index}`, 1, `webhook-${webhook}`)),
      ).flat();
      await enqueue(db, ...jobs);
      pools.start();
      // Half of the workers.
      await expect.poll(() => hanging).toBeGreaterThanOrEqual(16);
      const others = Array.from({ length: 12 }, (_, index) => `quick-${index}`);
      await enqueue(db, ...others.map((id) => target(id, 2, 'webhook-of-another')));
      await enqueue(db, { kind: PROCESS_RECEIPT, ref: 7, fairnessKey: 'connection:1', dueAt: now, createdAt: now });
      pools.wake();
      const ranSoFar = () => {
        // An idle worker waits a moment for others.
        clock.advance(5);
        return ran.toSorted();
      };
      await expect.poll(ranSoFar).toEqual(['7', ...others].toSorted());
      expect(hanging).toBe(16);
      release();
      await expect.poll(() => (clock.advance(5), ran.length)).toBe(213);
      await pools.stop();
    });

    test('runDue runs jobs that one pool enqueued for another', async () => {
      await db.query('truncate jobs');
      const clock = createManualClock(new Date('2026-03-01T12:00:00.000Z'));
      const ran: string[] = [];
      const pools = createWorkerPools({
        pools: [{ kinds: new Set([DELIVER_WEBHOOK]), concurrency: 32 }],
        db,
        clock,
        log: pino({ level: 'silent' }),
        handlers: {
          [PROCESS_RECEIPT]: async (job) => {
            ran.push(job.ref);
            if (job.ref === '1')
              await enqueue(db, deliverWebhookJob({ id: 'd', accountId: 1, webhookId: 'w' }, clock.now()));
            await finish(db, job);
          },
          [DELIVER_WEBHOOK]: async (job) => {
            ran.push(job.ref);
            const fairnessKey = 'connection:1';
            const [dueAt, createdAt] = [clock.now(), clock.now()];
            await enqueue(db, { kind: PROCESS_RECEIPT, ref: 2, fairnessKey, dueAt, createdAt });
            await finish(db, job);
          },
        },
      });
      const [dueAt, createdAt] = [clock.now(), clock.now()];
      await enqueue(db, { kind: PROCESS_RECEIPT, ref: 1, fairnessKey: 'connection:1', dueAt, createdAt });
      expect(await pools.runDue()).toBe(3);
      expect(ran).toEqual(['1', 'd', '2']);
    });
  });
});
