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
interface Flight {
  readonly job: Job;
  /** Jobs of one lane run one after the other; null has the others wait anyway. */
  readonly lane: string | null;
  /** World time at which its post has taken too long; null while it is not waiting for one. */
  endsBy: Date | null;
  end: Promise<void>;
}

/** What is under way in one state of a world: until it is restored or reset. */
interface Runner {
  readonly generation: number;
  readonly flights: Map<number, Flight>;
  /** The jobs that were begun so far, each up to its end or its post. */
  turn: Promise<void>;
}

const runners = new WeakMap<World, Runner>();

function runnerOf(world: World): Runner {
  const known = runners.get(world);
  if (known?.generation === world.generation) return known;
  const runner: Runner = { generation: world.generation, flights: new Map(), turn: Promise.resolve() };
  runners.set(world, runner);
  return runner;
}

/** Whether a job that matches still waits for its run. One that runs does not count: it cannot do what is asked for now. */
export function hasWaitingJob(world: World, matches: (job: Job) => boolean): boolean {
  const { flights } = runnerOf(world);
  return world.state.data.jobs.some((job) => matches(job) && !flights.has(job.number));
}

/** Posts that wait for their receivers. */
export type Waiting = ReadonlySet<object>;

export function waitingPosts(world: World): Waiting {
  return new Set(runnerOf(world).flights.values());
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
    const awaited = [...runner.flights.values()].filter((flight) => !except.has(flight));
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
    const turn = runner.turn.then(async () => {
      isDone = !(await startNext(world, deps, runner));
    });
    runner.turn = turn;
    await turn;
  }
}

/** @returns whether there was a job to begin */
async function startNext(world: World, deps: JobDeps, runner: Runner): Promise<boolean> {
  const { generation, flights } = runner;
  if (world.generation !== generation) return false;
  const time = () => readClock(world.state.clock, deps.realNow);
  const now = time();
  const job = nextDueJob(world, deps);
  if (job === undefined) return false;
  const lane = laneOf(world, job);
  const flight: Flight = { job, lane, endsBy: null, end: Promise.resolve() };
  const posting = Promise.withResolvers<void>();
  const limit = new AbortController();
  const endWhenOver = () => {
    if (isOverdue(flight, time())) limit.abort();
  };
  const beginPost = (timeoutMs: number): AbortSignal => {
    flight.endsBy = new Date(time().getTime() + timeoutMs);
    world.listeners.add(endWhenOver);
    posting.resolve();
    return limit.signal;
  };
  flights.set(job.number, flight);
  const isCurrent = () => world.generation === generation;
  flight.end = runOne({ world, job, now, time, deps, isCurrent, beginPost }).finally(() => {
    flights.delete(job.number);
    world.listeners.delete(endWhenOver);
    // What waited for its lane may begin.
    if (isCurrent()) update(world, {});
  });
  await Promise.race([flight.end, posting.promise]);
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

/** The earliest job that is not under way and whose lane is free. */
export function nextJob(world: World): Job | undefined {
  return findJob(world, null);
}

function nextDueJob(world: World, deps: JobDeps): Job | undefined {
  return findJob(world, readClock(world.state.clock, deps.realNow));
}

/** @param until later ones are not looked at; null for all */
function findJob(world: World, until: Date | null): Job | undefined {
  const { flights } = runnerOf(world);
  const busy = new Set([...flights.values()].map(({ lane }) => lane));
  const untilMs = until?.getTime() ?? Infinity;
  for (const job of world.state.data.jobs) {
    if (job.dueAt.getTime() > untilMs) return undefined;
    const lane = laneOf(world, job);
    const isFree = lane === null ? !flights.has(job.number) : !busy.has(lane);
    if (isFree) return job;
  }
  return undefined;
}

/** When the first of the posts that are waiting will have waited too long, in world time. */
export function nextPostLimit(world: World): Date | null {
  const limits = [...runnerOf(world).flights.values()].flatMap(({ endsBy }) => endsBy ?? []);
  return limits.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null;
}

/** Resolves once the posts that have waited too long by now have come to their end. */
export async function overduePostsEnded(world: World, now: Date): Promise<void> {
  const overdue = [...runnerOf(world).flights.values()].filter((flight) => isOverdue(flight, now));
  await Promise.all(overdue.map(({ end }) => end));
}

function isOverdue({ endsBy }: Flight, now: Date): boolean {
  return endsBy !== null && endsBy <= now;
}

const lanes = new WeakMap<Job, string | null>();

/** Looked for once: many jobs may wait for one lane. */
function laneOf(world: World, job: Job): string | null {
  let lane = lanes.get(job);
  if (lane === undefined) {
    lane = findLane(world, job);
    lanes.set(job, lane);
  }
  return lane;
}

/** The webhook or destination that a job posts to. */
function findLane(world: World, job: Job): string | null {
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
