/**
 * Runs due jobs: claims as many as it has idle workers, extends their leases while they run, and sleeps until the next
 * due time or `wake`. Handlers decide what a failure means, by `defer`. A handler that throws is a bug or an outage:
 * the error is logged and the job runs again after a backoff.
 */
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import type { JobResult } from '../runtime/metrics.ts';
import { type Database, DatabaseUnavailableError } from '../store/database/db.ts';
import {
  type ClaimedJob,
  claim,
  claimMore,
  countAttempts,
  defer,
  LeaseLostError,
  nextDueAt,
  extendLeases,
} from './queue.ts';

/** Does the work of one job and finishes or defers it in the transaction that stores the result. */
export type JobHandler = (job: ClaimedJob) => Promise<void>;

/**
 * Does the work of all due jobs of one kind and fairness key together, and finishes or defers each of them. When it
 * throws, the jobs without a `result` have failed.
 */
export interface BatchHandler {
  /** Most jobs that one call takes. */
  batchSize: number;
  /** @param jobs in the order of their due times; at least one */
  handleBatch(jobs: readonly ClaimedJob[]): Promise<void>;
}

export interface JobRunnerOptions {
  db: Database;
  clock: Clock;
  handlers: Readonly<Record<string, JobHandler | BatchHandler>>;
  log: Logger;
  /** Jobs that run at the same time. Default 16. */
  concurrency?: number;
  /** How long a claim lasts without extension, and how long the jobs of a dead worker wait. Default 15,000 ms. */
  leaseMs?: number;
  /** Longest sleep, because other processes enqueue without waking this one. Default 1,000 ms. */
  pollMs?: number;
  /** Called once for every job that ran. */
  onJobEnd?: (kind: string, result: JobResult) => void;
}

export interface JobRunner {
  start(): void;
  /** Polls the queue now. `kind` is the kind of the new job, for runners that share the work. */
  wake(kind?: string): void;
  /** Returns whether the queue has not answered for so long that it must be broken. */
  isStuck(): boolean;
  /** Runs due jobs until none is left and returns their number. For tests, on a runner that was not started. */
  runDue(): Promise<number>;
  /** Claims no more jobs and waits for running ones. */
  stop(): Promise<void>;
}

/** How long an idle worker waits for others before a claim is made for it alone. */
const IDLE_WAIT_MS = 5;
/** A poll takes milliseconds; one that takes this long is stuck. */
const STUCK_AFTER_MS = 30_000;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_MAX_MS = 3_600_000;

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { db, clock, handlers, log } = options;
  const concurrency = options.concurrency ?? 16;
  const leaseMs = options.leaseMs ?? 15_000;
  const pollMs = options.pollMs ?? 1_000;
  const kinds = Object.keys(handlers);

  const running = new Set<{ jobs: readonly ClaimedJob[]; done: Promise<void> }>();
  /** The key of the job dealt last, and the time of the last claim. */
  let lastKey = '';
  let lastClaimAt = clock.now();
  let isStarted = false;
  let isStopping = false;
  let polling = Promise.resolve();
  let isPolling = false;
  let pollingSince = clock.now();
  let pollAgain = false;
  let cancelSleep = () => {};
  const idleWorkersPerClaim = Math.max(1, Math.floor(concurrency / 4));
  /** Workers that became idle since the last claim. */
  let idleWorkers = 0;
  let cancelIdleWait = () => {};
  let isHeartbeatPlanned = false;
  let cancelHeartbeat = () => {};

  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  /** @param jobs of one kind; a single one unless its handler takes batches */
  async function run(jobs: readonly ClaimedJob[]): Promise<void> {
    const [first] = jobs;
    if (!first) return;
    const handler = handlers[first.kind];
    let failure: unknown;
    try {
      if (!handler) throw new Error(`No handler for jobs of kind ${first.kind}`);
      if (typeof handler === 'function') await handler(first);
      else await handler.handleBatch(jobs);
    } catch (error) {
      failure = error;
    }
    for (const job of jobs) {
      // A batch may have settled its other jobs before one of them failed.
      if (failure === undefined || (typeof handler === 'object' && job.result !== undefined)) {
        // In a batch, only jobs whose lease was lost have no result.
        options.onJobEnd?.(job.kind, job.result ?? (jobs.length > 1 ? 'lease_lost' : 'failed'));
      } else {
        options.onJobEnd?.(job.kind, failure instanceof LeaseLostError ? 'lease_lost' : 'failed');
        await onFailure(job, failure);
      }
    }
  }

  async function onFailure(job: ClaimedJob, error: unknown): Promise<void> {
    const fields = { jobId: job.id, kind: job.kind, ref: job.ref, attempts: job.attempts };
    if (error instanceof LeaseLostError) {
      log.warn(fields, 'the lease of a job was lost, its result was dropped');
      return;
    }
    log.error({ ...fields, err: error }, 'a job failed and will run again');
    const message = error instanceof Error ? error.message : String(error);
    try {
      // From the database, because the handler may have saved progress before it failed.
      const attempts = await countAttempts(db, job);
      const backoffMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.max(0, Math.min(30, attempts - 1)));
      await defer(db, job, { dueAt: later(backoffMs), error: message });
    } catch (deferError) {
      // When this fails too, the job comes back at the end of its lease.
      if (!(deferError instanceof LeaseLostError))
        log.error({ ...fields, err: deferError }, 'a job could not be deferred');
    }
  }

  async function claimAndStart(): Promise<ClaimedJob[]> {
    const free = concurrency - running.size;
    if (free <= 0) return [];
    const now = clock.now();
    const leaseUntil = later(leaseMs);
    const jobs = await claim(db, { now, kinds, limit: free, leaseUntil, atWork: countByKey(running), lastKey });
    lastClaimAt = now;
    if (isStopping) {
      // The stop came during the claim: release the jobs for other workers.
      await Promise.all(jobs.map((job) => defer(db, job, { dueAt: clock.now() })));
      return [];
    }
    lastKey = jobs.at(-1)?.fairnessKey ?? lastKey;
    for (const batch of await toBatches(jobs, leaseUntil)) begin(batch);
    return jobs;
  }

  /** Joins jobs of kinds that are handled in batches, and claims more for each batch. */
  async function toBatches(jobs: readonly ClaimedJob[], leaseUntil: Date): Promise<(readonly ClaimedJob[])[]> {
    const batchSizeOf = (kind: string) => {
      const handler = handlers[kind];
      return typeof handler === 'object' ? handler.batchSize : 1;
    };
    const units = [...Map.groupBy(jobs, (job) => `${job.kind} ${job.fairnessKey}`).values()].flatMap((unit) => {
      const size = batchSizeOf(unit[0]?.kind ?? '');
      return Array.from({ length: Math.ceil(unit.length / size) }, (_, index) =>
        unit.slice(index * size, (index + 1) * size),
      );
    });
    return Promise.all(
      units.map(async (unit) => {
        const [first] = unit;
        const limit = batchSizeOf(first?.kind ?? '') - unit.length;
        if (!first || limit <= 0) return unit;
        return [...unit, ...(await claimMore(db, first, { now: clock.now(), leaseUntil, limit }))];
      }),
    );
  }

  function begin(jobs: readonly ClaimedJob[]): void {
    const done = run(jobs).finally(() => {
      running.delete(entry);
      if (isStarted) wakeForIdleWorker();
    });
    const entry = { jobs, done };
    running.add(entry);
    // Never restart a planned heartbeat: a stream of short jobs would postpone it forever.
    if (!isHeartbeatPlanned) planHeartbeat();
  }

  /** A claim costs more than most jobs, so an idle worker briefly waits for others to share one. */
  function wakeForIdleWorker(): void {
    idleWorkers += 1;
    if (idleWorkers >= idleWorkersPerClaim || running.size === 0) wake();
    else if (idleWorkers === 1) cancelIdleWait = clock.setTimer(wake, IDLE_WAIT_MS);
  }

  /** Extends the leases of running jobs every third of their length. */
  function planHeartbeat(): void {
    isHeartbeatPlanned = true;
    cancelHeartbeat = clock.setTimer(() => {
      isHeartbeatPlanned = false;
      if (running.size === 0) return;
      // The next heartbeat does not wait for this one, which a slow database may delay.
      planHeartbeat();
      const jobs = [...running].flatMap((entry) => entry.jobs);
      extendLeases(db, jobs, later(leaseMs)).catch((error: unknown) => {
        log.error({ err: error }, 'leases could not be extended');
      });
    }, leaseMs / 3);
  }

  function wake(): void {
    if (!isStarted) return;
    cancelIdleWait();
    idleWorkers = 0;
    if (isPolling) {
      pollAgain = true;
      return;
    }
    isPolling = true;
    pollingSince = clock.now();
    cancelSleep();
    polling = poll();
  }

  async function poll(): Promise<void> {
    let sleepMs = pollMs;
    try {
      do {
        pollAgain = false;
        await claimAndStart();
      } while (isStarted && pollAgain && running.size < concurrency);
      if (running.size < concurrency) {
        // Due jobs that were not claimed wait for a running job to end, which wakes us. Without running jobs, another
        // worker was claiming the same rows, so poll again at once.
        const next = await nextDueAt(db, kinds, running.size > 0 ? lastClaimAt : null);
        if (next) sleepMs = Math.min(pollMs, Math.max(0, next.getTime() - clock.now().getTime()));
      }
    } catch (error) {
      if (isStarted) log.error({ err: error }, 'the queue could not be read, trying again');
      if (!(error instanceof DatabaseUnavailableError)) sleepMs = Math.max(sleepMs, pollMs);
    } finally {
      isPolling = false;
    }
    if (!isStarted) return;
    if (pollAgain && running.size < concurrency) wake();
    else cancelSleep = clock.setTimer(wake, sleepMs);
  }

  return {
    start() {
      isStarted = true;
      isStopping = false;
      wake();
    },
    wake,
    isStuck: () => isPolling && clock.now().getTime() - pollingSince.getTime() > STUCK_AFTER_MS,
    async runDue() {
      let total = 0;
      for (;;) {
        if (isStopping) return total;
        const jobs = await claimAndStart();
        if (jobs.length === 0 && running.size === 0) return total;
        total += jobs.length;
        await Promise.all([...running].map((entry) => entry.done));
      }
    },
    async stop() {
      isStarted = false;
      isStopping = true;
      cancelSleep();
      cancelIdleWait();
      await polling;
      await Promise.all([...running].map((entry) => entry.done));
      cancelHeartbeat();
      isHeartbeatPlanned = false;
    },
  };
}

function countByKey(entries: Iterable<{ jobs: readonly ClaimedJob[] }>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const {
    jobs: [first],
  } of entries) {
    if (first) counts.set(first.fairnessKey, (counts.get(first.fairnessKey) ?? 0) + 1);
  }
  return counts;
}
