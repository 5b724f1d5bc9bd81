/** A world's clock: real time plus an offset, or standing still. Only the world's own jobs and answers look at it. */
export type ClockState =
  | { readonly mode: 'running' /** Milliseconds ahead of the real clock. */; readonly offsetMs: number }
  | { readonly mode: 'frozen'; readonly at: Date };

/** The real clock; injected. */
export type RealNow = () => Date;

export const REAL_TIME: ClockState = { mode: 'running', offsetMs: 0 };

export function readClock(clock: ClockState, realNow: RealNow): Date {
  return clock.mode === 'frozen' ? clock.at : new Date(realNow().getTime() + clock.offsetMs);
}

/** Stands still at `at`. */
export function freezeAt(at: Date): ClockState {
  return { mode: 'frozen', at };
}

/** Runs on from the instant it shows. */
export function resume(clock: ClockState, realNow: RealNow): ClockState {
  if (clock.mode === 'running') return clock;
  return { mode: 'running', offsetMs: clock.at.getTime() - realNow().getTime() };
}

/** Moves ahead, running or not. @param ms 0 or more */
export function advanceBy(clock: ClockState, ms: number): ClockState {
  if (clock.mode === 'frozen') return freezeAt(new Date(clock.at.getTime() + ms));
  return { mode: 'running', offsetMs: clock.offsetMs + ms };
}
