/**
 * Specification, "Limits" and "Errors" (429): the fixed window of a bucket.
 *
 * The rule: a window starts with the bucket's first request and lasts `windowMs`; `limit` requests pass in it, the
 * next ones are refused and do not count; the first request at or after its end starts the next window.
 * `Retry-After` is the time to that end in whole seconds, rounded up and at least 1.
 */

/** What a bucket remembers. */
export interface WindowState {
  readonly startedAt: Date;
  /** Requests let through in this window. */
  readonly count: number;
}

export interface WindowDecision {
  readonly allowed: boolean;
  /** To be kept for the next step. Unchanged when the request was refused. */
  readonly state: WindowState;
  /** Requests that would still pass in this window. */
  readonly remaining: number;
  /** Whole seconds for `Retry-After`; null when the request passed. */
  readonly retryAfterSeconds: number | null;
  /** Whole seconds to the end of the window, rounded up, at least 1. */
  readonly resetSeconds: number;
}

/** One request at `now` against a bucket; `state` is null for a bucket that was never used. */
export function takeFromWindow(
  state: WindowState | null,
  window: { readonly limit: number; readonly windowMs: number; readonly now: Date },
): WindowDecision {
  const { limit, windowMs, now } = window;
  const current = state !== null && isCurrent(state, windowMs, now) ? state : { startedAt: now, count: 0 };
  const resetMs = current.startedAt.getTime() + windowMs - now.getTime();
  const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  if (current.count >= limit) {
    return { allowed: false, state: current, remaining: 0, retryAfterSeconds: resetSeconds, resetSeconds };
  }
  const count = current.count + 1;
  return {
    allowed: true,
    state: { startedAt: current.startedAt, count },
    remaining: limit - count,
    retryAfterSeconds: null,
    resetSeconds,
  };
}

/**
 * Clocks of several processes differ, so a window that starts a little ahead of `now` is still the current one;
 * one that starts a whole window ahead is left over from a clock that was set back, and must not lock the bucket.
 */
function isCurrent(state: WindowState, windowMs: number, now: Date): boolean {
  return Math.abs(now.getTime() - state.startedAt.getTime()) < windowMs;
}
