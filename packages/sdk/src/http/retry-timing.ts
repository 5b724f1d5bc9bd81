/**
 * Decides whether and when a call is retried. Pure: time and randomness are arguments.
 *
 * | outcome | GET, HEAD | POST, PATCH, DELETE |
 * |---|---|---|
 * | 408, 5xx | retry | no: without idempotency keys, the first attempt may have taken effect |
 * | 429 | retry | retry: a refused request had no effect |
 * | 409, every other 4xx | no | no |
 * | network fault, timeout | retry | only when nothing was sent |
 * | permanent network fault, such as a wrong certificate | no | no |
 */

export type AttemptOutcome =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: number | null }
  | {
      readonly kind: 'network';
      readonly nothingSent: boolean;
      /** False if a retry would fail in the same way. */
      readonly mayPass: boolean;
    }
  | { readonly kind: 'timeout' };

const SAFE_METHOD = /^(get|head|options)$/i;

/** Whether the table above allows a retry, regardless of how many attempts were made. */
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

/** Returns the milliseconds until the next attempt, or null to give up. */
export function nextRetryDelayMs(input: RetryInput): number | null {
  if (input.attempt > input.maxRetries || !isRetryable(input.method, input.outcome)) return null;
  const asked = input.outcome.kind === 'status' ? (input.outcome.retryAfterMs ?? 0) : 0;
  if (asked > input.maxRetryAfterMs) return null;
  // `Retry-After` counts seconds: 0 or a past date must not cause retries without a pause.
  return asked >= 1000 ? asked : Math.max(asked, backoffMs(input.attempt, input.random));
}

const BACKOFF_FIRST_MS = 500;
// Most people give up after longer waits; callers who do not can raise `maxRetries`.
const BACKOFF_MAX_MS = 8_000;

/** Returns a delay that doubles with each attempt, minus up to half of it at random, so that clients do not retry in step. */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(BACKOFF_FIRST_MS * 2 ** (attempt - 1), BACKOFF_MAX_MS);
  return Math.round(full * (0.5 + random / 2));
}

/**
 * Parses `Retry-After`, seconds or an HTTP date, into milliseconds; null when it is absent or unreadable. A date is compared with
 * the answer's own `Date` header, so that a wrong local clock does not matter.
 */
export function parseRetryAfterMs(headers: Headers, nowMs: number): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  // HTTP dates begin with the name of a day. `Date.parse` would also read -1, as a year.
  const at = /^[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return null;
  const serverNow = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(serverNow) ? nowMs : serverNow));
}
