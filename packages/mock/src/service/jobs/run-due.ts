/**
 * Runs the due jobs of a world in the order of their due times. A job starts when the one before it is done or waits for a
 * receiver. So a hanging receiver delays only the later posts of the same webhook or destination, which arrive in order.
 *
 * A job leaves the queue in the change that writes its outcome, so a snapshot never loses one. Results of jobs that were running
 * when the world was restored or reset are dropped.
 */
import { readClock } from '../../state/clock.ts';
import { findRow } from '../../state/log.ts';
import { type Job, type JobWork, removeJob } from '../../state/world-data.ts';
import { update, type World } from '../../state/world.ts';
import { fetchBlocklist, pushBlocklist, topUpBlocklist } from './blocklists.ts';
import { repeatWrite } from './crm.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { releaseEndedHolds } from './hold-events.ts';
import { forwardEvent, replayDelivery } from './forward.ts';
import type { JobDeps, JobRun } from './job-run.ts';
import { processRequest } from './process-request.ts';
import { relayDigest } from './relay-digest.ts';
import { relayReply } from './relay-reply.ts';
import { retrySync } from './retry-sync.ts';

/** Does the work and removes the job from the queue in its last change. */
type JobHandler<Kind extends JobWork['kind']> = (run: JobRun<Kind>) => Promise<void> | void;

const HANDLERS: { readonly [Kind in JobWork['kind']]: JobHandler<Kind> } = {
  'write-crm': repeatWrite,
  'retry-sync': retrySync,
  'replay-delivery': replayDelivery,
  'process-request': processRequest,
  'forward-event': forwardEvent,
  'fetch-blocklist': fetchBlocklist,
  'push-blocklist': pushBlocklist,
  'top-up-blocklist': topUpBlocklist,
  'deliver-webhook': deliverWebhook,
  'relay-reply': relayReply,
  'relay-digest': relayDigest,
};

/** A job that has started and not ended. */
interface RunningJob {
  readonly job: Job;
  /** Jobs with the same key run one after the other. Null: this job posts nothing, so all others wait for its end. */
  readonly serialKey: string | null;
  /** World time at which its post times out; null before the post. */
  timeoutAt: Date | null;
  end: Promise<void>;
}

/** The running jobs of a world since its last restore or reset. */
interface Runner {
  readonly generation: number;
  readonly runningJobs: Map<number, RunningJob>;
  /** Resolves when the last started job has ended or waits for its post. */
  starting: Promise<void>;
}

const runners = new WeakMap<World, Runner>();

function runnerOf(world: World): Runner {
  const known = runners.get(world);
  if (known?.generation === world.generation) return known;
  const runner: Runner = { generation: world.generation, runningJobs: new Map(), starting: Promise.resolve() };
  runners.set(world, runner);
  return runner;
}

/** Returns whether a matching job is queued. A running job does not count: it may have read its data already. */
export function hasWaitingJob(world: World, matches: (job: Job) => boolean): boolean {
  const { runningJobs } = runnerOf(world);
  return world.state.data.jobs.some((job) => matches(job) && !runningJobs.has(job.number));
}

/** Running jobs whose posts wait for their receivers. */
export type Waiting = ReadonlySet<object>;

export function waitingPosts(world: World): Waiting {
  return new Set(runnerOf(world).runningJobs.values());
}

/**
 * Runs every due job, also those that they enqueue, and waits for their posts.
 * @param except running jobs to not wait for
 */
export async function runDue(world: World, deps: JobDeps, except: Waiting = new Set()): Promise<void> {
  const runner = runnerOf(world);
  releaseEndedHolds(world, readClock(world.state.clock, deps.realNow));
  for (;;) {
    await startDue(world, deps);
    if (world.generation !== runner.generation) return;
    const awaited = [...runner.runningJobs.values()].filter((running) => !except.has(running));
    // A job that has just ended may have freed the next one.
    if (awaited.length === 0 && nextDueJob(world, deps) !== undefined) continue;
    if (awaited.length === 0) return;
    const change = nextChange(world);
    await Promise.race([change.happened, ...awaited.map(({ end }) => end)]);
    change.forget();
  }
}

/** Starts every due job without waiting for posts. */
export async function startDue(world: World, deps: JobDeps): Promise<void> {
  const runner = runnerOf(world);
  let isDone = false;
  while (!isDone) {
    const starting = runner.starting.then(async () => {
      isDone = !(await startNext(world, deps, runner));
    });
    runner.starting = starting;
    await starting;
  }
}

/** Starts the next due job. @returns whether there was one */
async function startNext(world: World, deps: JobDeps, runner: Runner): Promise<boolean> {
  const { generation, runningJobs } = runner;
  if (world.generation !== generation) return false;
  const time = () => readClock(world.state.clock, deps.realNow);
  const now = time();
  const job = nextDueJob(world, deps);
  if (job === undefined) return false;
  const serialKey = serialKeyOf(world, job);
  const running: RunningJob = { job, serialKey, timeoutAt: null, end: Promise.resolve() };
  const posting = Promise.withResolvers<void>();
  const limit = new AbortController();
  const abortWhenOverdue = () => {
    if (isOverdue(running, time())) limit.abort();
  };
  const beginPost = (timeoutMs: number): AbortSignal => {
    running.timeoutAt = new Date(time().getTime() + timeoutMs);
    world.listeners.add(abortWhenOverdue);
    posting.resolve();
    return limit.signal;
  };
  runningJobs.set(job.number, running);
  const isCurrent = () => world.generation === generation;
  running.end = runOne({ world, job, now, time, deps, isCurrent, beginPost }).finally(() => {
    runningJobs.delete(job.number);
    world.listeners.delete(abortWhenOverdue);
    // Jobs that waited for this one may begin.
    if (isCurrent()) update(world, {});
  });
  await Promise.race([running.end, posting.promise]);
  return true;
}

async function runOne(run: JobRun): Promise<void> {
  const { world, job, deps, isCurrent } = run;
  // The handler of a kind takes jobs of that kind, which the compiler cannot infer.
  const handler = HANDLERS[job.kind] as JobHandler<JobWork['kind']>;
  try {
    await handler(run);
  } catch (error) {
    // An internal error. The job is removed, or it would fail for ever and block all others.
    deps.reportError?.(error);
    if (isCurrent()) update(world, { data: removeJob(world.state.data, job) });
  }
}

/** Returns the earliest job that is not running and whose serial key no running job has. */
export function nextJob(world: World): Job | undefined {
  return findJob(world, null);
}

function nextDueJob(world: World, deps: JobDeps): Job | undefined {
  return findJob(world, readClock(world.state.clock, deps.realNow));
}

/** @param until latest due time; null for any */
function findJob(world: World, until: Date | null): Job | undefined {
  const { runningJobs } = runnerOf(world);
  const busy = new Set([...runningJobs.values()].map(({ serialKey }) => serialKey));
  const untilMs = until?.getTime() ?? Infinity;
  for (const job of world.state.data.jobs) {
    if (job.dueAt.getTime() > untilMs) return undefined;
    const serialKey = serialKeyOf(world, job);
    const isFree = serialKey === null ? !runningJobs.has(job.number) : !busy.has(serialKey);
    if (isFree) return job;
  }
  return undefined;
}

/** Returns the world time of the next post timeout, or null. */
export function nextPostTimeout(world: World): Date | null {
  const limits = [...runnerOf(world).runningJobs.values()].flatMap(({ timeoutAt }) => timeoutAt ?? []);
  return limits.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null;
}

/** Waits until the jobs whose posts have timed out have ended. */
export async function waitForOverduePosts(world: World, now: Date): Promise<void> {
  const overdue = [...runnerOf(world).runningJobs.values()].filter((running) => isOverdue(running, now));
  await Promise.all(overdue.map(({ end }) => end));
}

function isOverdue({ timeoutAt }: RunningJob, now: Date): boolean {
  return timeoutAt !== null && timeoutAt <= now;
}

const serialKeys = new WeakMap<Job, string | null>();

/** Returns the webhook or destination that a job posts to, cached per job. */
function serialKeyOf(world: World, job: Job): string | null {
  let serialKey = serialKeys.get(job);
  if (serialKey === undefined) {
    serialKey = findSerialKey(world, job);
    serialKeys.set(job, serialKey);
  }
  return serialKey;
}

function findSerialKey(world: World, job: Job): string | null {
  const { data } = world.state;
  switch (job.kind) {
    case 'deliver-webhook':
      return `webhook ${findRow(data.webhookDeliveries, job.deliveryId)?.webhookId}`;
    case 'replay-delivery':
      return `destination ${findRow(data.deliveries, job.deliveryId)?.destinationId}`;
    case 'forward-event':
      return `destination ${job.destinationId}`;
    default:
      return null;
  }
}

/** Returns a promise for the next change of queue or clock, after which other jobs may be due. */
function nextChange(world: World): { readonly happened: Promise<void>; readonly forget: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { clock, data } = world.state;
  const listener = () => {
    if (world.state.clock !== clock || world.state.data.jobs !== data.jobs) resolve();
  };
  world.listeners.add(listener);
  return { happened: promise, forget: () => world.listeners.delete(listener) };
}
