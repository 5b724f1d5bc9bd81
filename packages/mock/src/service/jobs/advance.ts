/** Advances a world's clock and runs the jobs that become due, each at its own instant. */
import { advanceBy, readClock } from '../../state/clock.ts';
import { update, type World } from '../../state/world.ts';
import type { JobDeps } from './job-run.ts';
import { nextJob, nextPostTimeout, runDue, waitForOverduePosts, waitingPosts } from './run-due.ts';

/** Advances in progress by world. The next one starts when the last one has ended. */
const moves = new WeakMap<World, { readonly generation: number; readonly end: Promise<void> }>();

/**
 * Moves the clock ahead by `ms`, through every due time in between, and waits for the posts made on the way. Earlier posts that
 * wait for an answer keep waiting, up to their time limit.
 * @throws RangeError when `ms` is negative or not finite
 */
export async function advance(world: World, ms: number, deps: JobDeps): Promise<void> {
  if (!(ms >= 0 && Number.isFinite(ms)))
    throw new RangeError('A clock can only be moved ahead, by 0 or more milliseconds.');
  const { generation } = world;
  const before = moves.get(world);
  const start = before?.generation === generation ? before.end : Promise.resolve();
  const end = start.then(() => move(world, ms, deps));
  moves.set(world, { generation, end: end.catch(() => {}) });
  await end;
}

async function move(world: World, ms: number, deps: JobDeps): Promise<void> {
  const { generation } = world;
  const waiting = waitingPosts(world);
  await runDue(world, deps, waiting);
  let leftMs = ms;
  while (world.generation === generation) {
    const stepMs = Math.min(leftMs, untilNext(world, deps));
    update(world, { clock: advanceBy(world.state.clock, stepMs) });
    await waitForOverduePosts(world, readClock(world.state.clock, deps.realNow));
    await runDue(world, deps, waiting);
    leftMs -= stepMs;
    if (leftMs <= 0) return;
  }
}

/** Returns the milliseconds of world time until the next job or time limit; Infinity without one. */
function untilNext(world: World, deps: JobDeps): number {
  const nowMs = readClock(world.state.clock, deps.realNow).getTime();
  const times = [nextJob(world)?.dueAt ?? null, nextPostTimeout(world)];
  const waits = times.map((time) => (time === null ? Infinity : Math.max(0, time.getTime() - nowMs)));
  return Math.min(...waits);
}
