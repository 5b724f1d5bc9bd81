/**
 * Runs the due work of a world by itself: right after what made it due, and at its time while the clock is running. With a
 * clock that stands still, later work waits for `advance`.
 */
import { readClock } from '../../state/clock.ts';
import type { World } from '../../state/world.ts';
import type { JobDeps } from './job-run.ts';
import { nextJob, startDue } from './run-due.ts';

/** Starts a real timer and returns what cancels it. It must not keep the process alive. */
export type SetTimer = (callback: () => void, delayMs: number) => () => void;

/** Longest a timer may be set for. */
const TIMER_MAX_MS = 2_147_483_647;
/** When a timer wakes that is set for work that is due already, and when one that is not set. */
const AT_ONCE = -Infinity;
const NEVER = Infinity;

/** @returns what ends it */
export function runDueJobsByTimer(world: World, deps: JobDeps, setTimer: SetTimer): () => void {
  let cancel = () => {};
  /** In real time. */
  let wakesAtMs = NEVER;
  /** Of the state whose work is being done; a run of a state that is gone is nobody's business any more. */
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

/** Milliseconds of real time until work is due; 0 or less when it is, `NEVER` when none comes by itself. */
function waitOf(world: World, { realNow }: JobDeps): number {
  const { clock, settings } = world.state;
  const next = nextJob(world);
  if (next === undefined || !settings.runsJobs) return NEVER;
  const waitMs = next.dueAt.getTime() - readClock(clock, realNow).getTime();
  return clock.mode === 'frozen' && waitMs > 0 ? NEVER : waitMs;
}
