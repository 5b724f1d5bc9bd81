import { parseDuration as parseDurationText } from '@svc/domain/values/duration';

/** A world's clock: real time plus an offset, or frozen at an instant. */
export type ClockState =
  | { readonly mode: 'running' /** Milliseconds ahead of the real clock. */; readonly offsetMs: number }
  | { readonly mode: 'frozen'; readonly at: Date };

/** Reads the real clock. */
export type RealNow = () => Date;

export const REAL_TIME: ClockState = { mode: 'running', offsetMs: 0 };

export function readClock(clock: ClockState, realNow: RealNow): Date {
  return clock.mode === 'frozen' ? clock.at : new Date(realNow().getTime() + clock.offsetMs);
}

/** Returns a clock that is frozen at `at`. */
export function freezeAt(at: Date): ClockState {
  return { mode: 'frozen', at };
}

/** Returns a clock that runs from the current instant of `clock`. */
export function resume(clock: ClockState, realNow: RealNow): ClockState {
  if (clock.mode === 'running') return clock;
  return { mode: 'running', offsetMs: clock.at.getTime() - realNow().getTime() };
}

/** Returns the clock moved ahead by `ms`. */
export function advanceBy(clock: ClockState, ms: number): ClockState {
  if (clock.mode === 'frozen') return freezeAt(new Date(clock.at.getTime() + ms));
  return { mode: 'running', offsetMs: clock.offsetMs + ms };
}

/**
 * Parses a duration: a number of milliseconds, or a text such as `"500ms"`, `"90s"`, `"1h30m"`, `"7d"`.
 * @returns milliseconds
 * @throws RangeError for an invalid duration
 */
export function parseDuration(value: number | string): number {
  const ms = typeof value === 'string' ? parseDurationText(value) : value;
  if (ms !== null && Number.isFinite(ms) && ms >= 0) return ms;
  throw new RangeError(
    `A duration must be a number of milliseconds or a text such as 500ms, 90s, 1h30m, 24h or 7d, not ${String(value)}.`,
  );
}
