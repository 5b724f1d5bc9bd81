/** Moving a world through time: whatever is due on the way runs at its own instant, in order. */
import { type JobDeps, runDue } from '../jobs/run-due.ts';
import { advanceBy, readClock } from './clock.ts';
import { update, type World } from './world.ts';

/**
 * Moves the clock ahead by `ms`, through every due time in between.
 * @throws RangeError when `ms` is negative or no number
 */
export async function advance(world: World, ms: number, deps: JobDeps): Promise<void> {
  if (!(ms >= 0 && Number.isFinite(ms)))
    throw new RangeError('A clock can only be moved ahead: give 0 or more milliseconds.');
  const { generation } = world;
  await runDue(world, deps);
  let leftMs = ms;
  while (world.generation === generation) {
    const now = readClock(world.state.clock, deps.realNow);
    const [next] = world.state.data.jobs;
    const stepMs = next === undefined ? leftMs : Math.min(leftMs, Math.max(0, next.dueAt.getTime() - now.getTime()));
    update(world, { clock: advanceBy(world.state.clock, stepMs) });
    await runDue(world, deps);
    leftMs -= stepMs;
    if (leftMs <= 0) return;
  }
}

/** Runs what is due now. */
export async function settle(world: World, deps: JobDeps): Promise<void> {
  await runDue(world, deps);
}
