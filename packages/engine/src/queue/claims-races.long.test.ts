/**
 * Several claimers and enqueuers at once, with crashes: every job runs to its end, none is run by two workers, serial
 * kinds of a key never overlap and keep their order, and every due job is found. Concurrent on PostgreSQL; PGlite takes
 * statements in turn.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../../test/support/backends.ts';
import type { Database } from '../store/database/db.ts';
import { claimBatches, deferFailed, extendLeases, returnJobs } from './claims.ts';
import { deferAll } from './job-batches.ts';
import { type ClaimedJob, enqueue, finishAll } from './queue.ts';

const START = new Date('2026-03-01T12:00:00.000Z');
const LEASE_MS = 1_000;
const KEYS = ['connection:1', 'connection:2', 'account:1/webhook:a', 'account:1/webhook:b'];

const action = fc.constantFrom(
  'claim',
  'claim',
  'claim',
  'finish',
  'finish',
  'defer',
  'fail',
  'return',
  'extend',
  'crash',
);
const round = fc.record({
  ms: fc.integer({ min: 0, max: 700 }),
  /** What each of four claimers does, all at the same time. */
  actions: fc.array(action, { minLength: 4, maxLength: 4 }),
  added: fc.array(fc.record({ kind: fc.constantFrom('write', 'read', 'single'), key: fc.constantFrom(...KEYS) }), {
    maxLength: 6,
  }),
  limit: fc.integer({ min: 1, max: 8 }),
});

describe.each(backends)('races of claims on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('laws', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
    });
    afterAll(async () => {
      await db.close();
    });

    test('property: no job is lost or run twice, serial kinds of a key do not overlap, and due jobs are found', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(round, { maxLength: 25 }), async (rounds) => {
          await db.query('truncate jobs, job_owners');
          let nowMs = 0;
          let added = 0;
          const ended = new Map<string, number>();
          /** What each claimer holds, and until when. */
          const held: { jobs: ClaimedJob[]; untilMs: number }[][] = [[], [], [], []];
          const cursors = ['', '', '', ''];
          const at = (ms: number) => new Date(START.getTime() + ms);
          const claimFor = async (claimer: number, limit: number) => {
            const batches = await claimBatches(db, {
              now: at(nowMs),
              kinds: ['write', 'read', 'single'],
              batchSizes: { write: 3, read: 2 },
              serialKinds: [['write']],
              limit,
              leaseUntil: at(nowMs + LEASE_MS),
              lastKey: cursors[claimer] ?? '',
            });
            for (const jobs of batches) {
              expect(new Set(jobs.map(({ kind, fairnessKey }) => `${kind} ${fairnessKey}`)).size).toBe(1);
              held[claimer]?.push({ jobs, untilMs: nowMs + LEASE_MS });
            }
            cursors[claimer] = batches.at(-1)?.at(-1)?.fairnessKey ?? '';
          };
          const end = async (jobs: readonly ClaimedJob[]) => {
            const ids = await finishAll(db, jobs);
            for (const { id, ref } of jobs) if (ids.has(id)) ended.set(ref, (ended.get(ref) ?? 0) + 1);
          };
          const act = async (what: string, claimer: number, limit: number) => {
            if (what === 'claim') return claimFor(claimer, limit);
            const batch = held[claimer]?.[0];
            if (batch === undefined) return;
            if (what === 'extend') {
              const ids = await extendLeases(db, batch.jobs, at(nowMs + LEASE_MS));
              if (ids.size === batch.jobs.length) batch.untilMs = nowMs + LEASE_MS;
              return;
            }
            held[claimer]?.shift();
            if (what === 'finish') await end(batch.jobs);
            if (what === 'defer')
              await deferAll(
                db,
                batch.jobs.map((job) => ({ job, dueAt: at(nowMs + 300) })),
              );
            if (what === 'fail')
              await deferFailed(db, batch.jobs, { now: at(nowMs), error: 'failed', isCounted: true });
            if (what === 'return') await returnJobs(db, batch.jobs, at(nowMs));
          };
          /** Batches of live leases do not share a job, nor the serial kind of a key. */
          const expectApart = () => {
            const live = held.flat().filter(({ untilMs }) => untilMs > nowMs);
            const ids = live.flatMap(({ jobs }) => jobs.map(({ id }) => id));
            expect(new Set(ids).size).toBe(ids.length);
            const serial = live.flatMap(({ jobs: [first] }) => (first?.kind === 'write' ? [first.fairnessKey] : []));
            expect(new Set(serial).size).toBe(serial.length);
          };
          for (const { ms, actions, added: adds, limit } of rounds) {
            nowMs += ms;
            const jobs = adds.map(({ kind, key }) => {
              added += 1;
              return { kind, ref: added, fairnessKey: key, dueAt: at(nowMs), createdAt: at(nowMs) };
            });
            await Promise.all([
              ...(jobs.length > 0 ? [enqueue(db, ...jobs)] : []),
              ...actions.map((what, claimer) => act(what, claimer, limit)),
            ]);
            expectApart();
          }
          // All workers have died. One claimer finds what comes due: a bounded number of claims ends every job.
          for (const batches of held) batches.length = 0;
          nowMs += 3_600_000;
          for (let claims = 0; claims <= added; claims += 1) {
            await claimFor(0, 16);
            const batches = held[0]?.splice(0) ?? [];
            if (batches.length === 0) break;
            for (const { jobs } of batches) await end(jobs);
          }
          expect([...ended.keys()].length).toBe(added);
          expect([...ended.values()].every((times) => times === 1)).toBe(true);
          expect((await db.query('select from jobs')).rowCount).toBe(0);
        }),
        { numRuns: 40, seed: 20_260_301 },
      );
    }, 600_000);
  });
});
