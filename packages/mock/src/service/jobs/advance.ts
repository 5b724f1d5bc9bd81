/** Moving a world through time: whatever is due on the way runs at its own instant, in order. */
import { advanceBy, readClock } from '../../state/clock.ts';
import { update, type World } from '../../state/world.ts';
import type { JobDeps } from './job-run.ts';
import { nextJob, nextPostLimit, overduePostsEnded, runDue, waitingPosts } from './run-due.ts';

/** Moves of each world that are under way: the next one begins where the last one ends. */
const moves = new WeakMap<World, { readonly generation: number; readonly end: Promise<void> }>();

/**
 * Moves the clock ahead by `ms`, through every due time in between. Posts that it makes on the way are waited for. Those that
 * were waiting for an answer before go on waiting while time moves, up to their limit.
 * @throws RangeError when `ms` is negative or no number
 */
export async function advance(world: World, ms: number, deps: JobDeps): Promise<void> {
  if (!(ms >= 0 && Number.isFinite(ms)))
    throw new RangeError('A clock can only be moved ahead: give 0 or more milliseconds.');
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
    await overduePostsEnded(world, readClock(world.state.clock, deps.realNow));
    await runDue(world, deps, waiting);
    leftMs -= stepMs;
    if (leftMs <= 0) return;
  }
}

/** World time until something happens by itself, 0 or more; Infinity when nothing does. */
function untilNext(world: World, deps: JobDeps): number {
  const nowMs = readClock(world.state.clock, deps.realNow).getTime();
  const times = [nextJob(world)?.dueAt ?? null, nextPostLimit(world)];
  const waits = times.map((time) => (time === null ? Infinity : Math.max(0, time.getTime() - nowMs)));
  return Math.min(...waits);
}
