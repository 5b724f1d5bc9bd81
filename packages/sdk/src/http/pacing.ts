import { GENERAL_REQUESTS_PER_WINDOW, OUTREACH_REQUESTS_PER_WINDOW, RATE_WINDOW_SECONDS } from '@svc/contract/limits';

/**
 * One gate per rate-limit bucket, shared by every call of a client (specification, "Limits"). Pure: the clock is
 * an argument, waiting is the caller's.
 *
 * The windows are fixed and start with the bucket's first request. What a gate knows:
 * - a 429 closes the bucket until its window resets; no request is spent on finding that out twice;
 * - from then on (`auto`), or from the start (`spec`), it counts and closes itself before the limit is passed.
 *
 * `auto` does not count before the first 429, because an installation of one's own may have its limits off.
 *
 * A 429 in spite of the counting means that somebody else spends from the same bucket: another process, another machine. The
 * gate then keeps to what was taken in that window, and from window to window tries a tenth of the limit more, so that any number of
 * clients share a bucket without knowing of each other, at one refusal a window each.
 */
export type PacingMode = 'auto' | 'spec' | 'off';

/** Which of the service's rate limits a call spends: `outreach` has one of its own, all others share `general`. */
export type Bucket = 'general' | 'outreach';

export interface BucketLimit {
  readonly requests: number;
  readonly windowMs: number;
}

export const BUCKET_LIMITS: Readonly<Record<Bucket, BucketLimit>> = {
  general: { requests: GENERAL_REQUESTS_PER_WINDOW, windowMs: RATE_WINDOW_SECONDS * 1000 },
  outreach: { requests: OUTREACH_REQUESTS_PER_WINDOW, windowMs: RATE_WINDOW_SECONDS * 1000 },
};

/** The bucket a path spends from; `null` for the routes without a limit. */
export function bucketOfPath(pathname: string): Bucket | null {
  if (/\/health\/[^/]*$/.test(pathname)) return null;
  return pathname.endsWith('/contacts/outreach') ? 'outreach' : 'general';
}

export interface Gate {
  /** Takes a slot and returns 0, or returns the milliseconds after which to ask again. */
  take(nowMs: number): number;
  /** Whether a refusal closed it, and not its own counting. */
  isRefused(nowMs: number): boolean;
  /** An answer that was not a refusal came in. */
  answered(nowMs: number): void;
  /** The service refused: nothing may be sent for `waitMs`. */
  refused(nowMs: number, waitMs: number): void;
}

export function createGate(limit: BucketLimit, mode: PacingMode): Gate {
  let counts = mode === 'spec';
  let closedUntil = Number.NEGATIVE_INFINITY;
  let windowEndsAt = Number.NEGATIVE_INFINITY;
  let used = 0;
  let accepted = 0;
  let share = limit.requests;
  // Of the first window, others may have used a part before this client began.
  let isWholeWindow = false;
  let awaitsFirstAnswer = false;

  return {
    take(nowMs) {
      if (nowMs < closedUntil) return Math.ceil(closedUntil - nowMs);
      if (!counts) return 0;
      if (nowMs >= windowEndsAt) {
        windowEndsAt = nowMs + limit.windowMs;
        if (used >= share) share = Math.min(limit.requests, share + Math.ceil(limit.requests / 10));
        used = 0;
        accepted = 0;
        awaitsFirstAnswer = true;
      }
      if (used >= share) {
        isWholeWindow = true;
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
      // The service's window began when the first request arrived there, which is some time before its answer
      // came back: counting from the answer never sends too early.
      windowEndsAt = nowMs + limit.windowMs;
    },
    refused(nowMs, waitMs) {
      if (mode === 'off') return;
      // Later refusals of the same window say nothing new.
      if (nowMs >= closedUntil && isWholeWindow) share = Math.max(1, accepted);
      isWholeWindow = counts = true;
      used = 0;
      closedUntil = Math.max(closedUntil, nowMs + waitMs);
      windowEndsAt = Number.NEGATIVE_INFINITY;
      awaitsFirstAnswer = false;
    },
  };
}
