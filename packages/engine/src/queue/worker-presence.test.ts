/** When the leases of a process end because it has died, and when they do not. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { createManualClock, type ManualClock } from '../runtime/clock.ts';
import { identifyProcess, type ProcessIdentity } from '../runtime/process-identity.ts';
import type { Database } from '../store/database/db.ts';
import { openPostgres } from '../store/database/postgres.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { claimBatches, extendLeases } from './claims.ts';
import { confirmLease } from './leases.ts';
import { type ClaimedJob, enqueue, finish, LeaseLostError } from './queue.ts';
import { createJobRunner } from './runner.ts';
import { joinWorkers, type WorkerPresence } from './worker-presence.ts';

const log = pino({ level: 'silent' });
const START = new Date('2026-03-01T12:00:00.000Z');
const LEASE_MS = 15_000;
const databaseUrl = inject('databaseUrl');

describe.skipIf(databaseUrl === null)('the presence of workers', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let url: string;
  let db: Database;
  let opened: Database[] = [];
  let joined: WorkerPresence[] = [];
  let taken = 0;

  beforeAll(async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    ({ url } = database);
    db = openPostgres(url, { maxConnections: 4 });
    cleanUps.push(() => db.close());
    await migrate(db, START);
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });
  beforeEach(async () => {
    await db.query('truncate jobs, job_workers');
    taken = 0;
  });
  afterEach(async () => {
    for (const presence of joined.splice(0)) await presence.stop().catch(() => {});
    for (const own of opened.splice(0)) await own.close();
  });

  interface Member {
    presence: WorkerPresence;
    clock: ManualClock;
    /** How often it has planned its next beat. */
    plans: () => number;
    own: Database;
  }

  /** A process with connections and a clock of its own. */
  async function join(
    wrap: (own: Database) => Database = (own) => own,
    identity: ProcessIdentity | null = null,
  ): Promise<Member> {
    const own = wrap(openPostgres(url, { maxConnections: 2 }));
    opened.push(own);
    const manual = createManualClock(START);
    let planned = 0;
    const clock: ManualClock = {
      ...manual,
      setTimer(callback, delayMs) {
        planned += 1;
        return manual.setTimer(callback, delayMs);
      },
    };
    const onLeasesEnded = () => (taken += 1);
    const presence = await joinWorkers({ db: own, clock, log, callingKinds: ['call'], onLeasesEnded, identity });
    joined.push(presence);
    return { presence, clock, plans: () => planned, own };
  }

  /** SIGKILL: its connections end, and nothing more happens. */
  async function die({ own, presence }: Member): Promise<void> {
    opened = opened.filter((other) => other !== own);
    joined = joined.filter((other) => other !== presence);
    await own.close();
  }

  /** Moves its clock by a second at a time, each until its beat is stored and it has looked at the others. */
  async function live({ clock, plans }: Member, seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      const before = plans();
      clock.advance(1_000);
      await expect.poll(plans).toBeGreaterThan(before);
    }
  }

  async function claimFor({ presence: { id: workerId } }: Member, kinds = ['work', 'call']): Promise<ClaimedJob[]> {
    const batches = await claimBatches(db, {
      ...{ now: START, kinds, limit: 16, workerId },
      leaseUntil: new Date(START.getTime() + LEASE_MS),
    });
    return batches.flat();
  }

  const add = (kind: string) =>
    enqueue(db, { kind, ref: kind, fairnessKey: kind, dueAt: START, createdAt: START, trace: null });
  const readJobs = async () =>
    (
      await db.query<{ kind: string; inMs: number; fence: number }>(
        `select kind, extract(epoch from due_at - $1::timestamptz)::int * 1000 as "inMs", fence from jobs order by kind`,
        [START],
      )
    ).rows;

  test('the leases of a process that has died end once it has given no beat for three seconds', async () => {
    const [dead, other] = [await join(), await join()];
    await add('work');
    const jobs = await claimFor(dead);
    await live(other, 1);
    await die(dead);
    await live(other, 1);
    expect(await readJobs()).toEqual([{ kind: 'work', inMs: LEASE_MS, fence: 1 }]);
    expect(other.clock.now().getTime() - START.getTime()).toBeLessThan(LEASE_MS / 3);
    await live(other, 2);
    await expect.poll(() => taken).toBe(1);
    const [job] = await readJobs();
    expect(job?.fence).toBe(2);
    expect(job?.inMs).toBeLessThanOrEqual(5_000);
    expect(await extendLeases(db, jobs, new Date(START.getTime() + 99_000))).toEqual(new Set());
    expect((await db.query('select from job_workers')).rowCount).toBe(1);
  });

  test('a process that is stopped or hangs keeps its leases until they end', async () => {
    const [hanging, other] = [await join(), await join()];
    await add('work');
    await claimFor(hanging);
    await live(other, 8);
    expect(await readJobs()).toEqual([{ kind: 'work', inMs: LEASE_MS, fence: 1 }]);
    expect(taken).toBe(0);
  });

  test('a process that lives keeps its leases although it has lost the connection with its lock', async () => {
    const withoutLock = await join((own) => ({ ...own, announce: async () => true }));
    const other = await join();
    await add('work');
    await claimFor(withoutLock);
    for (let second = 0; second < 8; second += 1) {
      await live(withoutLock, 1);
      await live(other, 1);
    }
    expect(taken).toBe(0);
    expect(withoutLock.presence.isTrusted()).toBe(true);
  });

  test('a process that was taken for dead makes no call for its jobs, and begins anew', async () => {
    const slow = await join((own) => ({ ...own, announce: async () => true }));
    const { id } = slow.presence;
    let outcome: unknown;
    let wake = () => {};
    const awake = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let isAtWork = false;
    const runner = createJobRunner({
      ...{ db, clock: slow.clock, log, presence: slow.presence },
      handlers: {
        work: async (job) => {
          isAtWork = true;
          await awake;
          await confirmLease().catch((error: unknown) => {
            outcome = error;
            throw error;
          });
          await finish(db, job);
        },
      },
    });
    await add('work');
    const running = runner.runDue();
    await expect.poll(() => isAtWork).toBe(true);
    const other = await join();
    await live(other, 4);
    await expect.poll(() => taken).toBe(1);
    expect(slow.presence.isTrusted()).toBe(true);
    // The others have seen this process silent for about as long.
    slow.clock.advance(2_000);
    wake();
    await running;
    expect(outcome).toBeInstanceOf(LeaseLostError);
    expect(slow.presence.id).not.toBe(id);
    expect(slow.presence.isTrusted()).toBe(true);
    expect(await readJobs()).toHaveLength(1);
  });

  test.skipIf(identifyProcess() === null)(
    'a process on the same machine ends them at once; what the dead one called gets three seconds',
    async () => {
      const gone = { ...(identifyProcess() ?? expect.fail()), started: '1' };
      const dead = await join(undefined, gone);
      await add('work');
      await add('call');
      await claimFor(dead);
      await die(dead);
      await join();
      expect(taken).toBe(1);
      expect(await readJobs()).toEqual([
        { kind: 'call', inMs: 3_000, fence: 2 },
        { kind: 'work', inMs: 0, fence: 2 },
      ]);
    },
  );

  test('a process that still holds its lock is not dead, whatever its pid says', async () => {
    const gone = { ...(identifyProcess() ?? { machine: 'm', pid: 1 }), started: '1' };
    const dead = await join(undefined, gone);
    await add('work');
    await claimFor(dead);
    await live(await join(), 4);
    expect(taken).toBe(0);
  });

  test('where nobody sees locks, leases only end by time', async () => {
    const { presence, clock } = await join((own) => ({ ...own, announce: async () => false }));
    expect(presence.id).toBe(null);
    clock.advance(60_000);
    expect(presence.isTrusted()).toBe(true);
    expect((await db.query('select from job_workers')).rowCount).toBe(0);
  });

  test('a process that leaves is forgotten', async () => {
    const { presence } = await join();
    expect((await db.query('select from job_workers')).rowCount).toBe(1);
    await presence.stop();
    expect((await db.query('select from job_workers')).rowCount).toBe(0);
  });
});
