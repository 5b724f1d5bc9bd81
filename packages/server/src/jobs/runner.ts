/**
 * Runs due jobs: claims as many as there are free hands, keeps their leases while they run, and sleeps until the next
 * due time or until somebody calls `wake`. Nothing here decides what a failure means; handlers do, by `defer`.
 * A handler that throws is a bug or an outage: its job stays, backs off, and the error is logged.
 */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { JobResult } from '../metrics.ts';
import { type Database, DatabaseUnavailableError } from '../store/db.ts';
import { type ClaimedJob, claim, countAttempts, defer, LeaseLostError, nextDueAt, prolong } from './queue.ts';

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
  /** Called once for every job that was run. */
  onJobEnd?: (kind: string, result: JobResult) => void;
}

export interface JobRunner {
  start(): void;
  /** Something may be due: look now. `kind` tells of what kind, for runners that share the work. */
  wake(kind?: string): void;
  /** Whether the queue has not answered for so long that nothing of it can be relied on. */
  isStuck(): boolean;
  /** Runs what is due until nothing is, and returns how many jobs ran. For tests, on a runner that was not started. */
  runDue(): Promise<number>;
  /** Takes no more jobs and waits for those at work. */
  stop(): Promise<void>;
}

/** How long a free hand waits for others before jobs are claimed for it alone. */
const HANDS_WAIT_MS = 5;
/** A look at the queue takes milliseconds; one that takes this long will hardly end well. */
const STUCK_AFTER_MS = 30_000;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_MAX_MS = 3_600_000;

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { db, clock, handlers, log } = options;
  const concurrency = options.concurrency ?? 16;
  const leaseMs = options.leaseMs ?? 15_000;
  const pollMs = options.pollMs ?? 1_000;
  const kinds = Object.keys(handlers);

  const running = new Set<{ job: ClaimedJob; done: Promise<void> }>();
  /** Key of the job dealt last, and the instant up to which the last claim has seen what is due. */
  let lastKey = '';
  let lookedAt = clock.now();
  let isStarted = false;
  let isStopping = false;
  let looking = Promise.resolve();
  let isLooking = false;
  let lookingSince = clock.now();
  let lookAgain = false;
  let cancelSleep = () => {};
  const handsWorthAClaim = Math.max(1, Math.floor(concurrency / 4));
  /** Since the last claim. */
  let handsFreed = 0;
  let cancelHandWait = () => {};
  let isBeating = false;
  let cancelHeartbeat = () => {};

  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  async function runOne(job: ClaimedJob): Promise<void> {
    try {
      const handler = handlers[job.kind];
      if (!handler) throw new Error(`No handler for jobs of kind ${job.kind}`);
      await handler(job);
      options.onJobEnd?.(job.kind, job.result ?? 'failed');
    } catch (error) {
      options.onJobEnd?.(job.kind, error instanceof LeaseLostError ? 'lease_lost' : 'failed');
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
    const message = error instanceof Error ? error.message : String(error);
    try {
      // As stored: the handler may have got somewhere before it failed.
      const attempts = await countAttempts(db, job);
      const backoffMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.max(0, Math.min(30, attempts - 1)));
      await defer(db, job, { dueAt: later(backoffMs), error: message });
    } catch (deferError) {
      // When even this cannot be written, the end of the lease brings the job back.
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
    lookedAt = now;
    if (isStopping) {
      // The claim was under way when the stop came: somebody else may have them at once.
      await Promise.all(jobs.map((job) => defer(db, job, { dueAt: clock.now() })));
      return [];
    }
    for (const job of jobs) begin(job);
    lastKey = jobs.at(-1)?.fairnessKey ?? lastKey;
    return jobs;
  }

  function begin(job: ClaimedJob): void {
    const done = runOne(job).finally(() => {
      running.delete(entry);
      if (isStarted) wakeForFreeHand();
    });
    const entry = { job, done };
    running.add(entry);
    // Never anew while one is planned: jobs that come and go would put the beat off for ever.
    if (!isBeating) beat();
  }

  /** A claim for every single job that ends costs more than most jobs do: a free hand waits for others, but not for long. */
  function wakeForFreeHand(): void {
    handsFreed += 1;
    if (handsFreed >= handsWorthAClaim || running.size === 0) wake();
    else if (handsFreed === 1) cancelHandWait = clock.setTimer(wake, HANDS_WAIT_MS);
  }

  /** While jobs are at work their leases are prolonged at a third of their length. */
  function beat(): void {
    isBeating = true;
    cancelHeartbeat = clock.setTimer(() => {
      isBeating = false;
      if (running.size === 0) return;
      // The next beat does not wait for this one: a slow database must not cost two.
      beat();
      const jobs = [...running].map((entry) => entry.job);
      prolong(db, jobs, later(leaseMs)).catch((error: unknown) => {
        log.error({ err: error }, 'leases could not be prolonged');
      });
    }, leaseMs / 3);
  }

  function wake(): void {
    if (!isStarted) return;
    cancelHandWait();
    handsFreed = 0;
    if (isLooking) {
      lookAgain = true;
      return;
    }
    isLooking = true;
    lookingSince = clock.now();
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
        // What is due and was left waits for a job here to end, which wakes us. With none at work, another worker was
        // claiming the same rows: look again at once.
        const next = await nextDueAt(db, kinds, running.size > 0 ? lookedAt : null);
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
    isStuck: () => isLooking && clock.now().getTime() - lookingSince.getTime() > STUCK_AFTER_MS,
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
      cancelHandWait();
      await looking;
      await Promise.all([...running].map((entry) => entry.done));
      cancelHeartbeat();
      isBeating = false;
    },
  };
}

function countByKey(entries: Iterable<{ job: ClaimedJob }>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { job } of entries) counts.set(job.fairnessKey, (counts.get(job.fairnessKey) ?? 0) + 1);
  return counts;
}
