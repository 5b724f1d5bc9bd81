/**
 * What becomes of a write that a CRM refuses (specification, "Sync `status`").
 *
 * The rule: an answer of 429, or of 500 and above, may pass. Such a write is made again after 1, 2, 4, ... seconds, and nothing is
 * recorded as long as the next attempt comes within `CRM_RETRY_MS` of the first failure; after that, the failure is recorded. Every
 * other refusal is recorded at once. A 401 says that the token is not taken any more: the connection is disconnected by it.
 */

/** How long a passing failure is tried again before its sync is recorded as `error`: a minute. */
export const CRM_RETRY_MS = 60_000;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_DOUBLINGS_MAX = 10;

/** @param httpStatus of the CRM's answer; null when there was none, because it was not even asked */
export function isTransientStatus(httpStatus: number | null): boolean {
  return httpStatus !== null && (httpStatus === 429 || httpStatus >= 500);
}

/** Whether the answer ends the connection to the CRM. */
export function disconnects(httpStatus: number | null): boolean {
  return httpStatus === 401;
}

/** Failures of one write so far, all of a kind that may pass. */
export interface CrmFailures {
  /** 1 or more. */
  readonly count: number;
  readonly firstFailedAt: Date;
}

export interface CrmRetry {
  /** With the one that has just failed. */
  readonly tries: CrmFailures;
  /** When the next one is made. */
  readonly dueAt: Date;
  /** Whether that is so soon that nothing is recorded yet. */
  readonly isInTime: boolean;
}

/** @param notBefore what the CRM asked for. Default: nothing */
export function planCrmRetry(before: CrmFailures | null, at: Date, notBefore: Date = at): CrmRetry {
  const tries = { count: (before?.count ?? 0) + 1, firstFailedAt: before?.firstFailedAt ?? at };
  const backoffMs = BACKOFF_FIRST_MS * 2 ** Math.min(BACKOFF_DOUBLINGS_MAX, tries.count - 1);
  const dueMs = Math.max(notBefore.getTime(), at.getTime() + backoffMs);
  return {
    tries,
    dueAt: new Date(dueMs),
    isInTime: dueMs - tries.firstFailedAt.getTime() <= CRM_RETRY_MS,
  };
}

/** The next try of a CRM that asked for nothing; null when the failure is recorded instead. */
export function nextCrmRetry(before: CrmFailures | null, at: Date): CrmRetry | null {
  const next = planCrmRetry(before, at);
  return next.isInTime ? next : null;
}
