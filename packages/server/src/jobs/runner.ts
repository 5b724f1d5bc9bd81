/**
 * Runs due jobs: claims as many as there are free hands, keeps their leases while they run, and sleeps until the next
 * due time or until somebody calls `wake`. Nothing here decides what a failure means; handlers do, by `defer`.
 * A handler that throws is a bug or an outage: its job stays, backs off, and the error is logged.
 */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { type Database, DatabaseUnavailableError } from '../store/db.ts';
import { type ClaimedJob, claim, defer, LeaseLostError, nextDueAt, prolong } from './queue.ts';

/** Does the work of one job and finishes or defers it, in the transaction that stores the result. */
export type JobHandler = (job: ClaimedJob) => Promise<void>;

export interface JobRunnerOptions {
  db: Database;
  clock: Clock;
  handlers: Readonly<Record<string, JobHandler>>;
  log: Logger;
  /** Jobs at work at a time. Default 16. */
  concurrency?: number;
  /** How long a claim holds without being prolonged; also how long a dead worker's jobs wait. Default 15,000 ms. */
  leaseMs?: number;
  /** Longest sleep: other processes enqueue without waking this one. Default 1,000 ms. */
  pollMs?: number;
}

export interface JobRunner {
  start(): void;
  /** Something may be due: look now. */
  wake(): void;
  /** Runs what is due until nothing is, and returns how many jobs ran. For tests, on a runner that was not started. */
  runDue(): Promise<number>;
  /** Takes no more jobs and waits for those at work. */
  stop(): Promise<void>;
}

const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_MAX_MS = 3_600_000;

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { db, clock, handlers, log } = options;
  const concurrency = options.concurrency ?? 16;
  const leaseMs = options.leaseMs ?? 15_000;
  const pollMs = options.pollMs ?? 1_000;
  const kinds = Object.keys(handlers);

  const running = new Map<number, { job: ClaimedJob; done: Promise<void> }>();
  let isStarted = false;
  let isStopping = false;
  let looking = Promise.resolve();
  let isLooking = false;
  let lookAgain = false;
  let cancelSleep = () => {};
  let cancelHeartbeat = () => {};

  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  async function runOne(job: ClaimedJob): Promise<void> {
    try {
      const handler = handlers[job.kind];
      if (!handler) throw new Error(`No handler for jobs of kind ${job.kind}`);
      await handler(job);
    } catch (error) {
      await onFailure(job, error);
    }
  }

  async function onFailure(job: ClaimedJob, error: unknown): Promise<void> {
    const fields = { jobId: job.id, kind: job.kind, ref: job.ref, attempts: job.attempts };
    if (error instanceof LeaseLostError) {
      log.warn(fields, 'the lease of a job was lost, its result was dropped');
      return;
    }
    log.error({ ...fields, err: error }, 'a job failed and will run again');
    const backoffMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(30, job.attempts - 1));
    const message = error instanceof Error ? error.message : String(error);
    // When even this cannot be written, the end of the lease brings the job back.
    await defer(db, job, { dueAt: later(backoffMs), error: message }).catch((deferError: unknown) => {
      if (!(deferError instanceof LeaseLostError))
        log.error({ ...fields, err: deferError }, 'a job could not be deferred');
    });
  }

  async function claimAndStart(): Promise<ClaimedJob[]> {
    const free = concurrency - running.size;
    if (free <= 0) return [];
    const jobs = await claim(db, { now: clock.now(), kinds, limit: free, leaseUntil: later(leaseMs) });
    if (isStopping) {
      // The claim was under way when the stop came: somebody else may have them at once.
      await Promise.all(jobs.map((job) => defer(db, job, { dueAt: clock.now() })));
      return [];
    }
    for (const job of jobs) {
      const done = runOne(job).finally(() => {
        running.delete(job.id);
        if (isStarted) wake();
      });
      running.set(job.id, { job, done });
    }
    if (running.size > 0) beat();
    return jobs;
  }

  /** While jobs are at work their leases are prolonged at a third of their length. */
  function beat(): void {
    cancelHeartbeat();
    cancelHeartbeat = clock.setTimer(() => {
      if (running.size === 0) return;
      // The next beat does not wait for this one: a slow database must not cost two.
      beat();
      const jobs = [...running.values()].map((entry) => entry.job);
      prolong(db, jobs, later(leaseMs)).catch((error: unknown) => {
        log.error({ err: error }, 'leases could not be prolonged');
      });
    }, leaseMs / 3);
  }

  function wake(): void {
    if (!isStarted) return;
    if (isLooking) {
      lookAgain = true;
      return;
    }
    isLooking = true;
    cancelSleep();
    looking = look();
  }

  async function look(): Promise<void> {
    let sleepMs = pollMs;
    try {
      do {
        lookAgain = false;
        await claimAndStart();
      } while (isStarted && lookAgain && running.size < concurrency);
      if (running.size < concurrency) {
        const next = await nextDueAt(db, kinds);
        if (next) sleepMs = Math.min(pollMs, Math.max(0, next.getTime() - clock.now().getTime()));
      }
    } catch (error) {
      if (isStarted) log.error({ err: error }, 'the queue could not be read, trying again');
      if (!(error instanceof DatabaseUnavailableError)) sleepMs = Math.max(sleepMs, pollMs);
    } finally {
      isLooking = false;
    }
    if (!isStarted) return;
    if (lookAgain && running.size < concurrency) wake();
    else cancelSleep = clock.setTimer(wake, sleepMs);
  }

  return {
    start() {
      isStarted = true;
      isStopping = false;
      wake();
    },
    wake,
    async runDue() {
      let total = 0;
      for (;;) {
        const jobs = await claimAndStart();
        if (jobs.length === 0 && running.size === 0) return total;
        total += jobs.length;
        await Promise.all([...running.values()].map((entry) => entry.done));
      }
    },
    async stop() {
      isStarted = false;
      isStopping = true;
      cancelSleep();
      await looking;
      await Promise.all([...running.values()].map((entry) => entry.done));
      cancelHeartbeat();
    },
  };
}
