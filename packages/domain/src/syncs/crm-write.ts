/**
 * Retries of CRM writes (specification, "Sync `status`").
 *
 * The rule: a 429 or 5xx answer is transient. The write is retried after 1, 2, 4, ... seconds, and the failure is recorded
 * only when the next attempt would start later than `CRM_RETRY_MS` after the first failure. Every other failure is recorded at
 * once. A 401 means that the token is no longer valid, so the connection is disconnected.
 */

/** Time that a transient failure is retried before its sync is recorded as `error`: a minute. */
export const CRM_RETRY_MS = 60_000;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_DOUBLINGS_MAX = 10;

/** Whether a failure is temporary. @param httpStatus status of the CRM's answer; null when it was not called */
export function isTransientStatus(httpStatus: number | null): boolean {
  return httpStatus !== null && (httpStatus === 429 || httpStatus >= 500);
}

/** Whether the answer means that the CRM no longer accepts the token. */
export function disconnects(httpStatus: number | null): boolean {
  return httpStatus === 401;
}

/** The transient failures of one write so far. */
export interface CrmFailures {
  /** 1 or more. */
  readonly count: number;
  readonly firstFailedAt: Date;
}

export interface CrmRetry {
  /** The failures so far, the last one included. */
  readonly failures: CrmFailures;
  /** When the write is retried. */
  readonly dueAt: Date;
  /** Whether the retry is within `CRM_RETRY_MS`, so that no failure is recorded yet. */
  readonly isInTime: boolean;
}

/** Plans the retry after a transient failure. @param notBefore the earliest time that the CRM accepts. Default: none */
export function planCrmRetry(before: CrmFailures | null, at: Date, notBefore: Date = at): CrmRetry {
  const failures = { count: (before?.count ?? 0) + 1, firstFailedAt: before?.firstFailedAt ?? at };
  const backoffMs = BACKOFF_FIRST_MS * 2 ** Math.min(BACKOFF_DOUBLINGS_MAX, failures.count - 1);
  const dueMs = Math.max(notBefore.getTime(), at.getTime() + backoffMs);
  return {
    failures,
    dueAt: new Date(dueMs),
    isInTime: dueMs - failures.firstFailedAt.getTime() <= CRM_RETRY_MS,
  };
}

/** Plans the retry when the CRM asked for no wait; returns null when the failure is to be recorded instead. */
export function nextCrmRetry(before: CrmFailures | null, at: Date): CrmRetry | null {
  const next = planCrmRetry(before, at);
  return next.isInTime ? next : null;
}
