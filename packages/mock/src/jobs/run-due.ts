/**
 * Runs the work of a world that is due, one job after the other in the order of their due times. A job is in the queue until
 * its outcome is written, in the change that writes it, so a snapshot never loses one. A job that was under way when the world
 * was restored or reset belongs to a state that is gone: what it brings is dropped.
 */
import { readClock } from '../core/clock.ts';
import type { CoreDeps } from '../core/handle.ts';
import { update, type World } from '../core/world.ts';
import { type Job, type JobWork, removeJob } from '../core/world-data.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { fetchBlocklist, pushBlocklist, topUpBlocklist } from './blocklists.ts';
import { forwardEvent, replayDelivery } from './forward.ts';
import type { Post } from './post.ts';
import { processRequest } from './process-request.ts';
import { retrySync } from './retry-sync.ts';

export interface JobDeps extends CoreDeps {
  /** Posts to a receiver that a host was routed to; real HTTP in the skins. */
  readonly post: Post;
}

/** What a job runs in. */
export interface WorldRun {
  readonly world: World;
  /** World time. */
  readonly now: Date;
  readonly deps: JobDeps;
  /** False once the world was restored or reset: the job must not change it any more. */
  readonly isCurrent: () => boolean;
}

export interface JobRun<Kind extends JobWork['kind'] = JobWork['kind']> extends WorldRun {
  readonly job: Extract<Job, { readonly kind: Kind }>;
}

/** Does the work, and in its last change removes the job from the queue. */
type JobHandler<Kind extends JobWork['kind']> = (run: JobRun<Kind>) => Promise<void> | void;

const HANDLERS: { readonly [Kind in JobWork['kind']]: JobHandler<Kind> } = {
  'retry-sync': retrySync,
  'replay-delivery': replayDelivery,
  'process-request': processRequest,
  'forward-event': forwardEvent,
  'fetch-blocklist': fetchBlocklist,
  'push-blocklist': pushBlocklist,
  'top-up-blocklist': topUpBlocklist,
  'deliver-webhook': deliverWebhook,
};

/** The run under way in each world: two never interleave. One that belongs to a state that is gone stops by itself. */
const running = new WeakMap<World, { readonly generation: number; readonly end: Promise<unknown> }>();

/** Runs every job that is due at world time, those included that they enqueue. @returns how many ran */
export function runDue(world: World, deps: JobDeps): Promise<number> {
  const { generation } = world;
  const before = running.get(world);
  const start = before?.generation === generation ? before.end : Promise.resolve();
  const end = start.then(() => runAll(world, deps, generation));
  running.set(world, { generation, end });
  return end;
}

async function runAll(world: World, deps: JobDeps, generation: number): Promise<number> {
  for (let count = 0; ; count += 1) {
    if (world.generation !== generation) return count;
    const now = readClock(world.state.clock, deps.realNow);
    const [job] = world.state.data.jobs;
    if (job === undefined || job.dueAt > now) return count;
    await runOne({ world, job, now, deps });
  }
}

async function runOne({ world, job, now, deps }: Omit<JobRun, 'isCurrent'>): Promise<void> {
  const { generation } = world;
  const isCurrent = () => world.generation === generation;
  // Every handler takes just the jobs of its own kind, which the type of a table cannot say of a value.
  const handler = HANDLERS[job.kind] as JobHandler<JobWork['kind']>;
  try {
    await handler({ world, job, now, deps, isCurrent });
  } catch (error) {
    // A fault of the mock itself. The job goes, or it would fail for ever and hold up all others.
    deps.reportError?.(error);
    if (isCurrent()) update(world, { data: removeJob(world.state.data, job) });
  }
}
