/**
 * Runs due jobs by a timer: at once when they are due, later ones at their time while the clock runs. With a frozen clock, later
 * jobs wait for `advance`.
 */
import { readClock } from '../../state/clock.ts';
import type { World } from '../../state/world.ts';
import type { JobDeps } from './job-run.ts';
import { nextJob, startDue } from './run-due.ts';

/** Starts a real timer that does not keep the process alive. @returns a function that cancels it */
export type SetTimer = (callback: () => void, delayMs: number) => () => void;

/** Longest delay that a timer accepts. */
const TIMER_MAX_MS = 2_147_483_647;
/** Wake time of a timer for due jobs, and without a timer. */
const AT_ONCE = -Infinity;
const NEVER = Infinity;

/** Starts the timers of a world. @returns a function that stops them */
export function runDueJobsByTimer(world: World, deps: JobDeps, setTimer: SetTimer): () => void {
  let cancel = () => {};
  /** Real time at which the timer fires. */
  let wakesAtMs = NEVER;
  /** Generation of the state whose jobs are being started. Runs of earlier generations are ignored. */
  let runningGeneration: number | null = null;
  let isEnded = false;

  function plan(): void {
    if (isEnded || runningGeneration === world.generation) return;
    const waitMs = waitOf(world, deps);
    const nextMs = waitMs <= 0 ? AT_ONCE : deps.realNow().getTime() + waitMs;
    if (nextMs === wakesAtMs) return;
    cancel();
    wakesAtMs = nextMs;
    cancel = nextMs === NEVER ? () => {} : setTimer(run, Math.min(Math.max(0, waitMs), TIMER_MAX_MS));
  }

  function run(): void {
    const { generation } = world;
    runningGeneration = generation;
    wakesAtMs = NEVER;
    startDue(world, deps)
      .catch((error: unknown) => deps.reportError?.(error))
      .finally(() => {
        if (runningGeneration === generation) runningGeneration = null;
        plan();
      });
  }

  world.listeners.add(plan);
  plan();
  return () => {
    isEnded = true;
    world.listeners.delete(plan);
    cancel();
  };
}

/** Returns the milliseconds of real time until a job is due: 0 or less when one is, `NEVER` without one. */
function waitOf(world: World, { realNow }: JobDeps): number {
  const { clock, settings } = world.state;
  const next = nextJob(world);
  if (next === undefined || !settings.runsJobs) return NEVER;
  const waitMs = next.dueAt.getTime() - readClock(clock, realNow).getTime();
  return clock.mode === 'frozen' && waitMs > 0 ? NEVER : waitMs;
}
