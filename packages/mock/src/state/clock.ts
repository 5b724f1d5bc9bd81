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

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const DURATION_PATTERN = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/**
 * Parses a duration: a number of milliseconds, or a text such as `"500ms"`, `"90s"`, `"24h"`, `"7d"`.
 * @returns milliseconds
 * @throws RangeError for an invalid duration
 */
export function parseDuration(value: number | string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  const [, amount, unit] = DURATION_PATTERN.exec(String(value)) ?? [];
  const unitMs = UNITS_MS[unit ?? ''];
  if (typeof value === 'string' && amount !== undefined && unitMs !== undefined) return Number(amount) * unitMs;
  throw new RangeError(
    `A duration must be a number of milliseconds or a text such as 500ms, 90s, 5m, 24h or 7d, not ${String(value)}.`,
  );
}
