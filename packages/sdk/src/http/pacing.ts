import { GENERAL_REQUESTS_PER_WINDOW, OUTREACH_REQUESTS_PER_WINDOW, RATE_WINDOW_SECONDS } from '@svc/contract/limits';

/**
 * When requests are delayed to keep to the rate limits: `auto` after the first 429, `spec` from the first request on, `off` never.
 * `auto` does not count before the first 429, because an installation may have its limits off.
 */
export type PacingMode = 'auto' | 'spec' | 'off';

/** The rate limit that a call spends from: `outreach` has its own, all other calls share `general`. */
export type Bucket = 'general' | 'outreach';

export interface BucketLimit {
  readonly requests: number;
  readonly windowMs: number;
}

export const BUCKET_LIMITS: Readonly<Record<Bucket, BucketLimit>> = {
  general: { requests: GENERAL_REQUESTS_PER_WINDOW, windowMs: RATE_WINDOW_SECONDS * 1000 },
  outreach: { requests: OUTREACH_REQUESTS_PER_WINDOW, windowMs: RATE_WINDOW_SECONDS * 1000 },
};

/** Returns the bucket that a path spends from; null for routes without a limit. */
export function bucketOfPath(pathname: string): Bucket | null {
  if (/\/health\/[^/]*$/.test(pathname)) return null;
  return pathname.endsWith('/contacts/outreach') ? 'outreach' : 'general';
}

/**
 * The gate of one rate-limit bucket, shared by all calls of a client. Pure: the clock is an argument, and
 * the caller does the waiting.
 *
 * Windows are fixed and start with the bucket's first request. A 429 closes the bucket until its window resets. While the gate
 * counts (see `PacingMode`), it closes itself before the limit is passed.
 *
 * If a 429 arrives although the gate was counting, another process uses the same bucket. The gate then allows only as many requests
 * as were accepted in that window, and a tenth of the limit more in each window after it. So several clients can share a bucket, and
 * each gets at most one 429 per window.
 */
export interface Gate {
  /** Takes a slot and returns 0, or returns the milliseconds to wait before asking again. */
  take(nowMs: number): number;
  /** Whether a 429 closed the gate, rather than its own count. */
  isRefused(nowMs: number): boolean;
  /** Records an answer other than 429. */
  answered(nowMs: number): void;
  /** Records a 429: nothing may be sent for `waitMs`. */
  refused(nowMs: number, waitMs: number): void;
}

export function createGate(limit: BucketLimit, mode: PacingMode): Gate {
  let counts = mode === 'spec';
  let closedUntil = Number.NEGATIVE_INFINITY;
  let windowEndsAt = Number.NEGATIVE_INFINITY;
  let used = 0;
  let accepted = 0;
  let allowedPerWindow = limit.requests;
  // Others may have spent part of the first window before this client started.
  let hasSeenFullWindow = false;
  let awaitsFirstAnswer = false;

  return {
    take(nowMs) {
      if (nowMs < closedUntil) return Math.ceil(closedUntil - nowMs);
      if (!counts) return 0;
      if (nowMs >= windowEndsAt) {
        windowEndsAt = nowMs + limit.windowMs;
        if (used >= allowedPerWindow)
          allowedPerWindow = Math.min(limit.requests, allowedPerWindow + Math.ceil(limit.requests / 10));
        used = 0;
        accepted = 0;
        awaitsFirstAnswer = true;
      }
      if (used >= allowedPerWindow) {
        hasSeenFullWindow = true;
        return Math.ceil(windowEndsAt - nowMs);
      }
      used += 1;
      return 0;
    },
    isRefused: (nowMs) => nowMs < closedUntil,
    answered(nowMs) {
      accepted += 1;
      if (!awaitsFirstAnswer) return;
      awaitsFirstAnswer = false;
      // The service's window began before this answer came back, so counting from the answer never sends too early.
      windowEndsAt = nowMs + limit.windowMs;
    },
    refused(nowMs, waitMs) {
      if (mode === 'off') return;
      // Only the first 429 of a window counts.
      if (nowMs >= closedUntil && hasSeenFullWindow) allowedPerWindow = Math.max(1, accepted);
      hasSeenFullWindow = counts = true;
      used = 0;
      closedUntil = Math.max(closedUntil, nowMs + waitMs);
      windowEndsAt = Number.NEGATIVE_INFINITY;
      awaitsFirstAnswer = false;
    },
  };
}
