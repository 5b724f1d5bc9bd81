/**
 * Keeps the leases of running jobs, and stops a job that has lost its lease.
 *
 * A process that was stopped (SIGSTOP, a machine that was paused) or could not reach the database may go on after other workers have taken
 * its jobs over. So a job confirms its lease before each call to others: a write to a CRM, a post, a mail. That costs nothing while the
 * lease was extended lately; otherwise it is extended first. Once a lease is lost, calls that are under way are aborted, and no more are made. A
 * process that is stopped between the check and its call cannot be prevented from sending it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import type { Database } from '../store/database/db.ts';
import { extendLeases } from './claims.ts';
import { type Instant, instantOf, isWithin } from './instant.ts';
import { type ClaimedJob, LeaseLostError } from './queue.ts';
import type { WorkerPresence } from './worker-presence.ts';

/** Jobs that run together. */
interface HeldJobs {
  readonly jobs: readonly ClaimedJob[];
  /** The beginning of the last statement that gave or extended their leases. */
  confirmedAt: Instant;
  /** The number of this process then. */
  workerId: number | null;
  readonly lost: Set<ClaimedJob>;
  readonly lostAll: AbortController;
}

interface Scope {
  readonly held: HeldJobs;
  /** The jobs that the code in this scope works for. */
  readonly jobs: readonly ClaimedJob[];
  readonly refresh: () => Promise<void>;
}

const scopes = new AsyncLocalStorage<Scope>();

export interface LeaseKeeper {
  /** Runs the work of claimed jobs, and extends their leases until it ends. */
  hold(jobs: readonly ClaimedJob[], claim: LeasingClaim, work: () => Promise<void>): Promise<void>;
  /** Extends no more leases. */
  stop(): void;
}

/** The claim that gave the leases. */
export interface LeasingClaim {
  /** Its beginning. */
  at: Instant;
  workerId: number | null;
}

export function createLeaseKeeper({
  db,
  clock,
  log,
  leaseMs,
  presence,
}: {
  db: Database;
  clock: Clock;
  log: Logger;
  leaseMs: number;
  presence: WorkerPresence | null;
}): LeaseKeeper {
  const allHeld = new Set<HeldJobs>();
  /**
   * For this time after its renewal a lease needs no check; the rest of the lease is left for the call, and for clocks
   * that differ.
   */
  const freshMs = (leaseMs * 2) / 3;
  let isHeartbeatPlanned = false;
  let cancelHeartbeat = () => {};
  let extension: Promise<void> | null = null;

  async function extendAll(): Promise<void> {
    const extended = [...allHeld];
    const jobs = extended.flatMap((held) => held.jobs);
    if (presence?.isTrusted() === false) await presence.beat();
    const startedAt = instantOf(clock);
    const workerId = presence?.id ?? null;
    const ids = await extendLeases(db, jobs, new Date(startedAt.wallMs + leaseMs));
    for (const held of extended) {
      held.confirmedAt = startedAt;
      held.workerId = workerId;
      const running = held.jobs.filter(isRunning);
      for (const job of running) if (!ids.has(job.id)) held.lost.add(job);
      if (running.length > 0 && running.every((job) => held.lost.has(job))) held.lostAll.abort();
    }
  }

  /** Every third of a lease. The next heartbeat does not wait for this one, which a slow database may delay. */
  function planHeartbeat(): void {
    isHeartbeatPlanned = true;
    cancelHeartbeat = clock.setTimer(() => {
      isHeartbeatPlanned = false;
      if (allHeld.size === 0) return;
      planHeartbeat();
      extendAll().catch((error: unknown) => log.error({ err: error }, 'leases could not be extended'));
    }, leaseMs / 3);
  }

  function isFresh({ confirmedAt, workerId }: HeldJobs): boolean {
    // With another number, this process was taken for dead after the jobs were claimed.
    const isAlive = presence === null || (presence.id === workerId && presence.isTrusted());
    return isAlive && isWithin(confirmedAt, freshMs, clock);
  }

  /** After a long stop, all jobs of the process share one statement. */
  async function refresh(held: HeldJobs): Promise<void> {
    // Once more when the process was stopped again meanwhile.
    while (!isFresh(held) && held.jobs.some(isRunning)) {
      extension ??= extendAll().finally(() => {
        extension = null;
      });
      await extension;
    }
  }

  return {
    async hold(jobs, { at, workerId }, work) {
      const held: HeldJobs = { jobs, confirmedAt: at, workerId, lost: new Set(), lostAll: new AbortController() };
      allHeld.add(held);
      // Never restart a planned heartbeat: a stream of short jobs would postpone it forever.
      if (!isHeartbeatPlanned) planHeartbeat();
      try {
        await scopes.run({ held, jobs, refresh: () => refresh(held) }, work);
      } finally {
        allHeld.delete(held);
      }
    },
    stop() {
      cancelHeartbeat();
      isHeartbeatPlanned = false;
    },
  };
}

function isRunning({ result }: ClaimedJob): boolean {
  return result === undefined;
}

/** A job may lose its lease while its end is stored; then the end counts. */
function hasNoEnd({ result }: ClaimedJob): boolean {
  return result === undefined || result === 'lease_lost';
}

/** Runs work for one of the jobs that run together: only its own lease counts. */
export function forJob<T>(job: ClaimedJob, work: () => T): T {
  const scope = scopes.getStore();
  return scope === undefined ? work() : scopes.run({ ...scope, jobs: [job] }, work);
}

/**
 * Returns once the job that this code runs in surely has its lease; outside of jobs at once.
 *
 * @throws LeaseLostError when another worker may have the job
 * @throws DatabaseUnavailableError when that cannot be found out
 */
export async function confirmLease(): Promise<void> {
  await scopes.getStore()?.refresh();
  throwIfLeaseLost();
}

/**
 * Call it after calls that take what `confirmLease` throws for a failure of their own: it is thrown again.
 *
 * @throws LeaseLostError when it is known that a job which this code runs in has lost its lease; marks the lost ones
 */
export function throwIfLeaseLost(): void {
  const scope = scopes.getStore();
  const lost = scope?.jobs.filter((job) => hasNoEnd(job) && scope.held.lost.has(job)) ?? [];
  const [first] = lost;
  if (first === undefined) return;
  for (const job of lost) job.result = 'lease_lost';
  throw new LeaseLostError(first);
}

/** Aborts when all jobs that run together have lost their leases; undefined outside of jobs. */
export function lostLeaseSignal(): AbortSignal | undefined {
  return scopes.getStore()?.held.lostAll.signal;
}
