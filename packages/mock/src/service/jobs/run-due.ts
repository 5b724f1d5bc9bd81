/**
 * Runs the work of a world that is due, in the order of the due times, one job after the other: the next one begins when the one
 * before is done, or waits for a receiver's answer. So a receiver that hangs holds up nobody but the later posts of the
 * same webhook or to the same destination, which arrive in order.
 *
 * A job is in the queue until its outcome is written, in the change that writes it, so a snapshot never loses one. A job
 * that was under way when the world was restored or reset belongs to a state that is gone: what it brings is dropped.
 */
import { readClock } from '../../state/clock.ts';
import { findRow } from '../../state/log.ts';
import { type Job, type JobWork, removeJob } from '../../state/world-data.ts';
import { update, type World } from '../../state/world.ts';
import { fetchBlocklist, pushBlocklist, topUpBlocklist } from './blocklists.ts';
import { writeAgain } from './crm.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { forwardEvent, replayDelivery } from './forward.ts';
import type { JobDeps, JobRun } from './job-run.ts';
import { processRequest } from './process-request.ts';
import { retrySync } from './retry-sync.ts';

/** Does the work, and in its last change removes the job from the queue. */
type JobHandler<Kind extends JobWork['kind']> = (run: JobRun<Kind>) => Promise<void> | void;

const HANDLERS: { readonly [Kind in JobWork['kind']]: JobHandler<Kind> } = {
  'write-crm': writeAgain,
  'retry-sync': retrySync,
  'replay-delivery': replayDelivery,
  'process-request': processRequest,
  'forward-event': forwardEvent,
  'fetch-blocklist': fetchBlocklist,
  'push-blocklist': pushBlocklist,
  'top-up-blocklist': topUpBlocklist,
  'deliver-webhook': deliverWebhook,
};

/** A job under way. */
interface RunningJob {
  readonly job: Job;
  /** Jobs with the same key run one after the other. Null: this job posts nothing, so all others wait for its end. */
  readonly serialKey: string | null;
  /** World time at which its post has taken too long; null while it is not waiting for one. */
  endsBy: Date | null;
  end: Promise<void>;
}

/** What is under way in one state of a world: until it is restored or reset. */
interface Runner {
  readonly generation: number;
  readonly runningJobs: Map<number, RunningJob>;
  /** The jobs that were begun so far, each up to its end or its post. */
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

/** Whether a job that matches still waits for its run. One that runs does not count: it cannot do what is asked for now. */
export function hasWaitingJob(world: World, matches: (job: Job) => boolean): boolean {
  const { runningJobs } = runnerOf(world);
  return world.state.data.jobs.some((job) => matches(job) && !runningJobs.has(job.number));
}

/** Posts that wait for their receivers. */
export type Waiting = ReadonlySet<object>;

export function waitingPosts(world: World): Waiting {
  return new Set(runnerOf(world).runningJobs.values());
}

/**
 * Runs every job that is due at world time, those included that they enqueue, and waits for the posts that they make.
 * @param except posts that are not waited for
 */
export async function runDue(world: World, deps: JobDeps, except: Waiting = new Set()): Promise<void> {
  const runner = runnerOf(world);
  for (;;) {
    await startDue(world, deps);
    if (world.generation !== runner.generation) return;
    const awaited = [...runner.runningJobs.values()].filter((running) => !except.has(running));
    // What ended a moment ago may have made room for the next.
    if (awaited.length === 0 && nextDueJob(world, deps) !== undefined) continue;
    if (awaited.length === 0) return;
    const change = nextChange(world);
    await Promise.race([change.happened, ...awaited.map(({ end }) => end)]);
    change.forget();
  }
}

/** Begins every job that is due at world time, and waits for no post. */
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

/** @returns whether there was a job to begin */
async function startNext(world: World, deps: JobDeps, runner: Runner): Promise<boolean> {
  const { generation, runningJobs } = runner;
  if (world.generation !== generation) return false;
  const time = () => readClock(world.state.clock, deps.realNow);
  const now = time();
  const job = nextDueJob(world, deps);
  if (job === undefined) return false;
  const serialKey = serialKeyOf(world, job);
  const running: RunningJob = { job, serialKey, endsBy: null, end: Promise.resolve() };
  const posting = Promise.withResolvers<void>();
  const limit = new AbortController();
  const endWhenOver = () => {
    if (isOverdue(running, time())) limit.abort();
  };
  const beginPost = (timeoutMs: number): AbortSignal => {
    running.endsBy = new Date(time().getTime() + timeoutMs);
    world.listeners.add(endWhenOver);
    posting.resolve();
    return limit.signal;
  };
  runningJobs.set(job.number, running);
  const isCurrent = () => world.generation === generation;
  running.end = runOne({ world, job, now, time, deps, isCurrent, beginPost }).finally(() => {
    runningJobs.delete(job.number);
    world.listeners.delete(endWhenOver);
    // Jobs that waited for this one may begin.
    if (isCurrent()) update(world, {});
  });
  await Promise.race([running.end, posting.promise]);
  return true;
}

async function runOne(run: JobRun): Promise<void> {
  const { world, job, deps, isCurrent } = run;
  // Every handler takes just the jobs of its own kind, which the type of a table cannot say of a value.
  const handler = HANDLERS[job.kind] as JobHandler<JobWork['kind']>;
  try {
    await handler(run);
  } catch (error) {
    // A fault of the mock itself. The job goes, or it would fail for ever and hold up all others.
    deps.reportError?.(error);
    if (isCurrent()) update(world, { data: removeJob(world.state.data, job) });
  }
}

/** The earliest job that is not running and has no running job of its serial key. */
export function nextJob(world: World): Job | undefined {
  return findJob(world, null);
}

function nextDueJob(world: World, deps: JobDeps): Job | undefined {
  return findJob(world, readClock(world.state.clock, deps.realNow));
}

/** @param until later ones are not looked at; null for all */
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

/** When the first of the posts that are waiting will have waited too long, in world time. */
export function nextPostLimit(world: World): Date | null {
  const limits = [...runnerOf(world).runningJobs.values()].flatMap(({ endsBy }) => endsBy ?? []);
  return limits.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null;
}

/** Resolves once the posts that have waited too long by now have come to their end. */
export async function overduePostsEnded(world: World, now: Date): Promise<void> {
  const overdue = [...runnerOf(world).runningJobs.values()].filter((running) => isOverdue(running, now));
  await Promise.all(overdue.map(({ end }) => end));
}

function isOverdue({ endsBy }: RunningJob, now: Date): boolean {
  return endsBy !== null && endsBy <= now;
}

const serialKeys = new WeakMap<Job, string | null>();

/** Found once per job: many jobs may wait for one key. */
function serialKeyOf(world: World, job: Job): string | null {
  let serialKey = serialKeys.get(job);
  if (serialKey === undefined) {
    serialKey = findSerialKey(world, job);
    serialKeys.set(job, serialKey);
  }
  return serialKey;
}

/** The webhook or destination that a job posts to. */
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

/** Of queue or clock: only then can there be work that was not there before. */
function nextChange(world: World): { readonly happened: Promise<void>; readonly forget: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { clock, data } = world.state;
  const listener = () => {
    if (world.state.clock !== clock || world.state.data.jobs !== data.jobs) resolve();
  };
  world.listeners.add(listener);
  return { happened: promise, forget: () => world.listeners.delete(listener) };
}
