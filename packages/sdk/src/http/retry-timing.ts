/**
 * When a call is sent again, and after how long. Pure: time and randomness are arguments.
 *
 * | outcome | GET, HEAD | POST, PATCH, DELETE |
 * |---|---|---|
 * | 408, 5xx | again | no: the service has no idempotency keys, it may have been done |
 * | 429 | again | again: a refused request did nothing |
 * | 409, every other 4xx | no | no |
 * | network fault, timeout | again | only when nothing was sent |
 * | network fault that cannot pass, such as a wrong certificate | no | no |
 */

export type AttemptOutcome =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: number | null }
  | {
      readonly kind: 'network';
      readonly nothingSent: boolean;
      /** False for a fault that the next attempt would meet again. */
      readonly mayPass: boolean;
    }
  | { readonly kind: 'timeout' };

const SAFE_METHOD = /^(get|head|options)$/i;

/** Whether the policy's table lets this outcome be tried again, however many attempts were made. */
export function isRetryable(method: string, outcome: AttemptOutcome): boolean {
  const isSafe = SAFE_METHOD.test(method);
  switch (outcome.kind) {
    case 'status':
      return outcome.status === 429 || (isSafe && (outcome.status === 408 || outcome.status >= 500));
    case 'network':
      return outcome.mayPass && (isSafe || outcome.nothingSent);
    case 'timeout':
      return isSafe;
  }
}

export interface RetryInput {
  method: string;
  outcome: AttemptOutcome;
  /** Attempts made so far, at least 1. */
  attempt: number;
  maxRetries: number;
  /** A longer `Retry-After` is not waited for. */
  maxRetryAfterMs: number;
  /** In [0, 1). */
  random: number;
}

/** Milliseconds until the next attempt, or `null` to give up. */
export function nextRetryDelayMs(input: RetryInput): number | null {
  if (input.attempt > input.maxRetries || !isRetryable(input.method, input.outcome)) return null;
  const asked = input.outcome.kind === 'status' ? (input.outcome.retryAfterMs ?? 0) : 0;
  if (asked > input.maxRetryAfterMs) return null;
  // Less than a second is no wait that a service means: it counts seconds, and a past date or 0 would let us hammer.
  return asked >= 1000 ? asked : Math.max(asked, backoffMs(input.attempt, input.random));
}

const BACKOFF_FIRST_MS = 500;
// Past this a person has given up; whoever wants to wait longer raises `maxRetries`.
const BACKOFF_MAX_MS = 8_000;

/** Doubling, between half and the whole of it, so that clients that failed together do not come back together. */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(BACKOFF_FIRST_MS * 2 ** (attempt - 1), BACKOFF_MAX_MS);
  return Math.round(full * (0.5 + random / 2));
}

/**
 * `Retry-After` in milliseconds: whole seconds, or an HTTP date. A date is measured against the answer's own
 * `Date`, so that a clock that runs wrong here does not matter. `null` when absent or unreadable.
 */
export function parseRetryAfterMs(headers: Headers, nowMs: number): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  // Every form of an HTTP date begins with the name of a day; `Date` reads much else, such as -1, as a year.
  const at = /^[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return null;
  const serverNow = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(serverNow) ? nowMs : serverNow));
}
