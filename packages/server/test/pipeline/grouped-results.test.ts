/**
 * Results of posts that are stored together, in any interleaving of answers, lost leases and failures of the database:
 * each is stored exactly once, or its job comes back.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DELIVER_WEBHOOK, FORWARD_EVENT } from '@svc/engine/jobs/kinds';
import { createForwardEventHandler } from '@svc/engine/pipeline/forward-event';
import { claim } from '@svc/engine/queue/claims';
import { type ClaimedJob, LeaseLostError } from '@svc/engine/queue/queue';
import type { JobHandler } from '@svc/engine/queue/runner';
import { type Database, DatabaseUnavailableError, type Db } from '@svc/engine/store/database/db';
import { createDeliverWebhookHandler } from '@svc/engine/webhooks/deliver-webhook';
import { backends } from '@svc/engine/test/backends';
import { recordStatements } from '../support/database-probes.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

const WEBHOOKS = ['oswhk_one', 'oswhk_two'] as const;
const KINDS = [DELIVER_WEBHOOK, FORWARD_EVENT];

/** How one post goes: after how many turns of the event loop it is answered, and what happens to its lease meanwhile. */
const plan = fc.record({
  turns: fc.nat(12),
  httpStatus: fc.constantFrom(200, 200, 200, 404, 500),
  isLeaseLost: fc.boolean(),
});
/** What happens to the statements that store results, in their order. */
const weather = fc.array(fc.constantFrom('fine', 'fine', 'refused', 'not available', 'answer lost'), { maxLength: 12 });

describe.each(backends)('grouped results on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('of posts', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(backend);
    });
    afterAll(async () => {
      await server.close();
    });

    async function queuePosts(webhookPosts: number, forwards: number): Promise<void> {
      const { db, clock } = server;
      const now = clock.now();
      for (const table of ['jobs', 'webhook_deliveries', 'events', 'deliveries', 'webhooks'])
        await db.query(`delete from ${table}`);
      for (const id of WEBHOOKS) {
        const secret = server.running.ctx.secrets.encrypt('oswhsec_x', { kind: 'webhook signing secret', id });
        await db.query(
          `insert into webhooks (id, account_id, url, description, enabled_events, secret, created_at, updated_at)
            values ($1, 1, 'https://' || $1 || '.example.com/', '', '{}', $2, $3, $3)`,
          [id, secret, now],
        );
      }
      await db.query(
        `with made as (select 'e' || n as event_id, 'd' || n as id, ($3::text[])[n % 2 + 1] as webhook_id from generate_series(1, $1) n),
          events as (insert into events (id, account_id, type, summary, data, created_at)
            select event_id, 1, 'test.ping', '', '{}', $2 from made),
          deliveries as (insert into webhook_deliveries (id, event_id, webhook_id, status, next_attempt_at, created_at, updated_at)
            select id, event_id, webhook_id, 'PENDING', $2, $2, $2 from made)
        insert into jobs (kind, ref, fairness_key, due_at, created_at) select 'deliver-webhook', id, 'w/' || id, $2, $2 from made`,
        [webhookPosts, now, [...WEBHOOKS]],
      );
      await db.query(
        `with receipts as (insert into requests (account_id, connection_id, source_id, path, created_at, headers, body)
            select 1, 1, 1, 'demo-smartlead', $2, '{}', '{}'::bytea from generate_series(1, $1) returning id),
          made as (insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform, normalized, created_at)
            select id, 1, 1, 'grouped-' || id, 'EMAIL_REPLY', 'a@example.org', 'smartlead', '{}', $2 from receipts returning id)
        insert into jobs (kind, ref, fairness_key, due_at, created_at) select 'forward-event', id || '/1', 'f/' || id, $2, $2 from made`,
        [forwards, now],
      );
      await db.query(
        `insert into destination_bindings values (1, 1, '{EMAIL_REPLY}', false)
          on conflict (destination_id, source_id) do update set event_types = excluded.event_types`,
      );
    }

    const claimAll = async (): Promise<ClaimedJob[]> => {
      const now = server.clock.now();
      const leaseUntil = new Date(now.getTime() + 15_000);
      // A claim leaves some workers free for other keys.
      const claimed: ClaimedJob[] = [];
      for (;;) {
        const jobs = await claim(server.db, { now, kinds: KINDS, limit: 1_000, leaseUntil });
        if (jobs.length === 0) return claimed;
        claimed.push(...jobs);
      }
    };

    /** The database as the handlers see it: `troubles` come to the statements that store results. */
    function troubled(db: Database, troubles: string[]): Database {
      const meet = async <T>(text: string, work: () => Promise<T>): Promise<T> => {
        if (!/begin|insert into deliveries|update webhook_deliveries/.test(text)) return work();
        const trouble = troubles.shift() ?? 'fine';
        if (trouble === 'refused') throw new Error('refused');
        if (trouble === 'not available') throw new DatabaseUnavailableError('not available');
        const result = await work();
        if (trouble === 'answer lost') throw new DatabaseUnavailableError('the connection broke');
        return result;
      };
      const query: Db['query'] = (statement, values) =>
        meet(typeof statement === 'string' ? statement : statement.text, () => db.query(statement, values));
      return { ...db, query, transaction: (work, options) => meet('begin', () => db.transaction(work, options)) };
    }

    const readStored = async () => {
      const { rows: webhookStates } = await server.db.query<{ ref: string; attempts: number }>(
        'select id as ref, attempt_count as attempts from webhook_deliveries',
      );
      const { rows: forwarded } = await server.db.query<{ ref: string; attempts: number }>(
        `select events.id || '/1' as ref, count(deliveries.id) as attempts from inbound_events events
          left join deliveries on deliveries.payload_id = events.request_id
          where events.event_key like 'grouped-%' group by events.id`,
      );
      return new Map([...webhookStates, ...forwarded].map(({ ref, attempts }) => [ref, attempts]));
    };
    const readLeased = async () => {
      const { rows } = await server.db.query<{ ref: string }>('select ref from jobs where is_leased');
      return new Set(rows.map(({ ref }) => ref));
    };

    test('property: each result is stored exactly once, or its job is still leased and comes back', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 24 }), weather, async (plans, troubles) => {
          await server.db.query(`delete from inbound_events where event_key like 'grouped-%'`);
          await queuePosts(Math.ceil(plans.length / 2), Math.floor(plans.length / 2));
          const jobs = await claimAll();
          expect(jobs).toHaveLength(plans.length);
          let next = 0;
          const lost = new Set<string>();
          const post = async () => {
            const { turns, httpStatus } = plans[next++] ?? { turns: 0, httpStatus: 200 };
            for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
            return { httpStatus, error: null, isRefused: false };
          };
          const { ctx } = server.running;
          const own = { ...ctx, db: troubled(server.db, [...troubles]), outbound: { ...ctx.outbound, post } };
          const handlers: Record<string, JobHandler> = {
            [DELIVER_WEBHOOK]: createDeliverWebhookHandler(own),
            [FORWARD_EVENT]: createForwardEventHandler(own),
          };
          for (const [index, job] of jobs.entries()) {
            if (plans[index]?.isLeaseLost !== true) continue;
            lost.add(job.ref);
            // Another worker has claimed it.
            await server.db.query('update jobs set fence = fence + 1 where id = $1', [job.id]);
          }
          const outcomes = await Promise.allSettled(jobs.map(async (job) => handlers[job.kind]?.(job)));

          const [stored, leased] = [await readStored(), await readLeased()];
          for (const [index, job] of jobs.entries()) {
            const outcome = outcomes[index];
            const facts = { ref: job.ref, attempts: stored.get(job.ref), isLeased: leased.has(job.ref) };
            const isStored = facts.attempts === 1;
            // Stored and ended in one commit, and never twice.
            expect(facts).toEqual({ ref: job.ref, attempts: isStored ? 1 : 0, isLeased: !isStored });
            if (outcome?.status === 'fulfilled') expect(isStored).toBe(true);
            else if (outcome?.reason instanceof LeaseLostError) expect(lost.has(job.ref)).toBe(true);
            if (lost.has(job.ref)) expect([isStored, outcome?.status]).toEqual([false, 'rejected']);
          }

          // The counts of DEAD deliveries are those of the stored results.
          const { rows: counts } = await server.db.query<{
            id: string;
            counted: number;
            dead: number;
            succeeded: number;
          }>(
            `select webhooks.id, consecutive_dead_count as counted, count(*) filter (where status = 'DEAD') as dead,
                count(*) filter (where status = 'SUCCEEDED') as succeeded
              from webhooks join webhook_deliveries on webhook_id = webhooks.id group by webhooks.id`,
          );
          for (const { counted, dead, succeeded } of counts) {
            if (succeeded === 0) expect(counted).toBe(dead);
            else expect(counted).toBeLessThanOrEqual(dead);
          }

          // The leases end; without troubles, what was not stored is.
          for (let waits = 0; waits < 3; waits += 1) {
            server.clock.advance(10 * 60_000);
            await server.running.runner.runDue();
          }
          const finallyStored = await readStored();
          for (const { ref } of jobs) expect(finallyStored.get(ref)).toBeGreaterThanOrEqual(1);
          expect((await readLeased()).size).toBe(0);
        }),
        { numRuns: 12, seed: 20_260_301 },
      );
    });

    test('a hundred deliveries that are claimed and answered together are read by one statement and stored by one', async () => {
      await queuePosts(100, 100);
      const jobs = await claimAll();
      const { ctx } = server.running;
      const post = async () => ({ httpStatus: 200, error: null, isRefused: false });
      const own = { ...ctx, outbound: { ...ctx.outbound, post } };
      const handlers: Record<string, JobHandler> = {
        [DELIVER_WEBHOOK]: createDeliverWebhookHandler(own),
        [FORWARD_EVENT]: createForwardEventHandler(own),
      };
      const { statements, stop } = recordStatements(server);
      await Promise.all(jobs.map(async (job) => handlers[job.kind]?.(job)));
      stop();
      expect((await server.db.query('select from jobs')).rowCount).toBe(0);
      // Signing ends in several turns.
      expect(statements.filter((text) => text.includes('update webhook_deliveries')).length).toBeLessThanOrEqual(25);
      for (const about of ['from webhook_deliveries d join', 'as keys (event_id', 'insert into deliveries'])
        expect(statements.filter((text) => text.includes(about))).toHaveLength(1);
    });
  });
});
