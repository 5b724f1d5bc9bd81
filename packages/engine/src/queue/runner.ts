/**
 * Runs due jobs: claims as many as it has idle workers, extends their leases while they run, and sleeps until the next
 * due time or `wake`. Handlers decide what a failure means, by `defer`. A handler that throws is a bug or an outage:
 * the error is logged and the job runs again after a backoff, until it is given up (`failed-jobs.ts`). Without the database it keeps its
 * lease until that answers, so that no other job of its key overtakes it.
 */
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import type { JobResult } from '../runtime/metrics.ts';
import { noTracing, runInSpan, spanTime, type Tracing } from '../runtime/tracing.ts';
import { type Database, DatabaseUnavailableError } from '../store/database/db.ts';
import { claimBatches, extendLeases, nextDueAt, returnJobs } from './claims.ts';
import { failJobs, type GiveUp } from './failed-jobs.ts';
import { type ClaimTimes, inJobSpans } from './job-spans.ts';
import { instantOf } from './instant.ts';
import { createLeaseKeeper, type LeasingClaim } from './leases.ts';
import { type ClaimedJob, JobReturnedError, LeaseLostError } from './queue.ts';
import type { WorkerPresence } from './worker-presence.ts';

/** Does the work of one job and finishes or defers it in the transaction that stores the result. */
export type JobHandler = (job: ClaimedJob) => Promise<void>;

/**
 * Does the work of all due jobs of one kind and fairness key together, and finishes or defers each of them. When it
 * throws, the jobs without a `result` have failed and run again after a backoff; those that failed twice run alone, so
 * that one bad job does not fail the others.
 */
export interface BatchHandler {
  /** Most jobs that one call takes. A batch never waits to be filled. */
  batchSize: number;
  /** @param jobs in the order of their due times; at least one */
  handleBatch(jobs: readonly ClaimedJob[]): Promise<void>;
}

export interface JobRunnerOptions {
  db: Database;
  clock: Clock;
  handlers: Readonly<Record<string, JobHandler | BatchHandler>>;
  log: Logger;
  /** Groups of kinds of which one worker of all processes runs jobs of a fairness key at a time. Default none. */
  serialKinds?: readonly (readonly string[])[];
  /** Jobs, or batches of jobs, that run at the same time. Default 16. */
  concurrency?: number;
  /** How long a claim lasts without extension, and how long the jobs of a process wait that hangs. Default 15,000 ms. */
  leaseMs?: number;
  /** Shows other processes that this one lives, so that its jobs wait less when it dies. Default: none. */
  presence?: WorkerPresence | null;
  /** Longest sleep, because other processes enqueue without waking this one. Default 1,000 ms. */
  pollMs?: number;
  /** Ends a job that threw the same error again and again. Default: it is repeated for ever. */
  giveUp?: GiveUp;
  /** Called once for every job that ran. */
  onJobEnd?: (kind: string, result: JobResult) => void;
  /** Default: nothing is traced. */
  tracing?: Tracing;
}

export interface JobRunner {
  start(): void;
  /** Claims no more jobs until `resume`; running ones go on. */
  pause(): void;
  resume(): void;
  /** Polls the queue now. `kind` is the kind of the new job, for runners that share the work. */
  wake(kind?: string): void;
  /** Returns whether the queue has not answered for so long that it must be broken. */
  isStuck(): boolean;
  /** Runs due jobs until none is left and returns their number. For tests, on a runner that was not started. */
  runDue(): Promise<number>;
  /**
   * Claims no more jobs and waits for running ones.
   *
   * @param timeUp when it comes first, jobs that still run are given to other workers, and nothing more of them counts. Default: never
   */
  stop(timeUp?: Promise<unknown>): Promise<void>;
}

/** How long an idle worker waits for others before a claim is made for it alone. */
const IDLE_WAIT_MS = 5;
/** Longest wait after a claim while jobs run. */
const CLAIM_GAP_MAX_MS = 50;
/** How long jobs wait once the database answers again that had none. */
const AFTER_OUTAGE_MS = 1_000;
/** How long due jobs wait that another worker was claiming, or whose key another one has. */
const TAKEN_MS = 20;
/** A poll takes milliseconds; one that takes this long is stuck. */
const STUCK_AFTER_MS = 30_000;

function resultOf(error: unknown): JobResult {
  if (error instanceof LeaseLostError) return 'lease_lost';
  return error instanceof JobReturnedError ? 'deferred' : 'failed';
}

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { db, clock, handlers, log } = options;
  const concurrency = options.concurrency ?? 16;
  const leaseMs = options.leaseMs ?? 15_000;
  const pollMs = options.pollMs ?? 1_000;
  const { tracing = noTracing, presence = null } = options;
  const kinds = Object.keys(handlers);
  const batchSizes = Object.fromEntries(
    Object.entries(handlers).map(([kind, handler]) => [kind, typeof handler === 'function' ? 1 : handler.batchSize]),
  );

  const running = new Set<{ jobs: readonly ClaimedJob[]; done: Promise<void> }>();
  /** The key of the job dealt last, and the time of the last claim. */
  let lastKey = '';
  let lastClaimAt = clock.now();
  let isStarted = false;
  let isStopping = false;
  let isPaused = false;
  /** Whether running jobs were given to other workers. */
  let isGivenUp = false;
  let polling = Promise.resolve();
  let isPolling = false;
  let pollingSince = clock.now();
  let cancelSleep = () => {};
  const idleWorkersPerClaim = Math.max(1, Math.floor(concurrency / 4));
  /** Workers that became idle since the last claim. */
  let idleWorkers = 0;
  let cancelIdleWait = () => {};
  /** Until then, jobs wait to be claimed together while others run. */
  let claimGapEndMs = 0;
  let isClaimPlanned = false;
  let cancelPlannedClaim = () => {};
  /** Whether there may be jobs that the running poll does not claim. */
  let isWoken = false;
  /** Jobs that failed because the database did not answer. */
  const interrupted: ClaimedJob[] = [];
  const leases = createLeaseKeeper({ db, clock, log, leaseMs, presence });

  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  function keepInterrupted(jobs: readonly ClaimedJob[]): void {
    interrupted.push(...jobs);
  }

  /** @param jobs of one kind; a single one unless its handler takes batches */
  async function run(jobs: readonly ClaimedJob[]): Promise<void> {
    const [first] = jobs;
    if (!first) return;
    const handler = handlers[first.kind];
    try {
      if (!handler) throw new Error(`No handler for jobs of kind ${first.kind}`);
      if (typeof handler === 'function') await handler(first);
      else await handler.handleBatch(jobs);
      // In a batch, only jobs whose lease was lost have no result.
      const otherwise = jobs.length > 1 ? 'lease_lost' : 'failed';
      for (const job of jobs) options.onJobEnd?.(job.kind, job.result ?? otherwise);
    } catch (error) {
      // A batch may have settled its other jobs before one of them failed.
      const isSettled = (job: ClaimedJob) => typeof handler === 'object' && job.result !== undefined;
      const failed = resultOf(error);
      for (const job of jobs) options.onJobEnd?.(job.kind, isSettled(job) && job.result ? job.result : failed);
      const unsettled = jobs.filter((job) => !isSettled(job));
      if (!isGivenUp) await failJobs({ ...options, keep: keepInterrupted }, unsettled, error);
    }
  }

  /** Lets their leases end soon, if these have not ended: then they are claimed in their places. */
  async function resumeInterrupted(): Promise<void> {
    if (interrupted.length === 0) return;
    const jobs = [...interrupted];
    await extendLeases(db, jobs, later(AFTER_OUTAGE_MS));
    interrupted.splice(0, jobs.length);
  }

  async function claimAndStart(): Promise<number> {
    const limit = concurrency - running.size;
    if (limit <= 0 || isPaused) return 0;
    await resumeInterrupted();
    const now = clock.now();
    const { serialKinds = [] } = options;
    const leasing: LeasingClaim = { at: instantOf(clock), workerId: presence?.id ?? null };
    const { workerId } = leasing;
    const startedAt = spanTime();
    const leaseUntil = later(leaseMs);
    const batches = await claimBatches(db, {
      ...{ now, kinds, batchSizes, serialKinds, limit, leaseUntil, lastKey, workerId },
    });
    const claim = { startedAt, endedAt: spanTime() };
    lastClaimAt = now;
    const endMs = clock.now().getTime();
    claimGapEndMs = endMs + Math.min(CLAIM_GAP_MAX_MS, endMs - now.getTime());
    if (isStopping) {
      // The stop came during the claim.
      await returnJobs(db, batches.flat(), clock.now());
      return 0;
    }
    for (const batch of batches) begin(batch, claim, leasing);
    lastKey = batches.at(-1)?.at(-1)?.fairnessKey ?? lastKey;
    // A claim gives one batch of a key, and there may be another.
    if (batches.some((batch) => batch.length > 1 && batch.length === batchSizes[batch[0]?.kind ?? ''])) isWoken = true;
    return batches.flat().length;
  }

  function begin(jobs: readonly ClaimedJob[], claim: ClaimTimes, leasing: LeasingClaim): void {
    const work = () => inJobSpans(tracing, jobs, claim, () => run(jobs));
    const done = leases.hold(jobs, leasing, work).finally(() => {
      running.delete(entry);
      if (isStarted) wakeForIdleWorker();
    });
    const entry = { jobs, done };
    running.add(entry);
  }

  /** A claim costs more than most jobs, so an idle worker briefly waits for others to share one. */
  function wakeForIdleWorker(): void {
    idleWorkers += 1;
    if (idleWorkers >= idleWorkersPerClaim || running.size === 0) wake();
    else if (idleWorkers === 1) cancelIdleWait = clock.setTimer(wake, IDLE_WAIT_MS);
  }

  /**
   * Claims jobs. While others run, it waits after each claim for as long as that took, so that the claims of a busy process take
   * at most half of its time and give many jobs each.
   */
  function wake(): void {
    if (!isStarted) return;
    if (isPolling) {
      isWoken = true;
      return;
    }
    const gapMs = running.size === 0 ? 0 : claimGapEndMs - clock.now().getTime();
    if (gapMs <= 0) {
      startPoll();
      return;
    }
    if (isClaimPlanned) return;
    isClaimPlanned = true;
    cancelPlannedClaim = clock.setTimer(() => {
      isClaimPlanned = false;
      startPoll();
    }, gapMs);
  }

  function startPoll(): void {
    if (!isStarted || isPaused) return;
    cancelPlannedClaim();
    isClaimPlanned = false;
    cancelIdleWait();
    idleWorkers = 0;
    if (isPolling) {
      isWoken = true;
      return;
    }
    isPolling = true;
    isWoken = false;
    pollingSince = clock.now();
    cancelSleep();
    // Outside of the request or job that woke it.
    polling = runInSpan(undefined, poll);
  }

  async function poll(): Promise<void> {
    let sleepMs = pollMs;
    try {
      const count = await claimAndStart();
      if (running.size < concurrency && !isWoken) {
        // Due jobs that were not claimed wait for a running job to end, which wakes us. Without running jobs, another
        // worker was claiming the same rows, or has their key, so poll again soon.
        const next = await nextDueAt(db, kinds, running.size > 0 ? lastClaimAt : null);
        const soonestMs = count === 0 ? TAKEN_MS : 0;
        if (next) sleepMs = Math.min(pollMs, Math.max(soonestMs, next.getTime() - clock.now().getTime()));
      }
    } catch (error) {
      if (isStarted) log.error({ err: error }, 'the queue could not be read, trying again');
      if (!(error instanceof DatabaseUnavailableError)) sleepMs = Math.max(sleepMs, pollMs);
    } finally {
      isPolling = false;
    }
    if (!isStarted || isPaused) return;
    if (isWoken && running.size < concurrency) wake();
    else cancelSleep = clock.setTimer(startPoll, sleepMs);
  }

  return {
    start() {
      isStarted = true;
      isStopping = false;
      wake();
    },
    pause() {
      isPaused = true;
      cancelSleep();
    },
    resume() {
      isPaused = false;
      wake();
    },
    wake,
    isStuck: () => isPolling && clock.now().getTime() - pollingSince.getTime() > STUCK_AFTER_MS,
    async runDue() {
      let total = 0;
      for (;;) {
        if (isStopping) return total;
        const count = await claimAndStart();
        if (count === 0 && running.size === 0) return total;
        total += count;
        await Promise.all([...running].map((entry) => entry.done));
      }
    },
    async stop(timeUp) {
      isStarted = false;
      isStopping = true;
      cancelSleep();
      cancelIdleWait();
      cancelPlannedClaim();
      isClaimPlanned = false;
      const ended = polling.then(() => Promise.all([...running].map((entry) => entry.done)));
      await (timeUp === undefined ? ended : Promise.race([ended, timeUp]));
      leases.stop();
      const left = [...running].flatMap((entry) => entry.jobs).filter((job) => job.result === undefined);
      if (left.length > 0) {
        isGivenUp = true;
        log.warn({ jobCount: left.length }, 'stopping: jobs that did not end in time are left to other workers');
      }
      const returned = [...left, ...interrupted.splice(0)];
      if (returned.length > 0) await returnJobs(db, returned, clock.now());
    },
  };
}
