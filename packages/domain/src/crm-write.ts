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

/** @param httpStatus of the CRM's answer; null when there was none, because it was not even asked */
export function mayPass(httpStatus: number | null): boolean {
  return httpStatus !== null && (httpStatus === 429 || httpStatus >= 500);
}

/** Whether the answer ends the connection to the CRM. */
export function disconnects(httpStatus: number | null): boolean {
  return httpStatus === 401;
}

/** Failures of one write so far, all of a kind that may pass. */
export interface CrmTries {
  /** 1 or more. */
  readonly count: number;
  readonly firstFailedAt: Date;
}

/** The tries with one more that failed, and when the next one is made; null when the failure is recorded instead. */
export function nextCrmTry(
  before: CrmTries | null,
  at: Date,
): { readonly tries: CrmTries; readonly dueAt: Date } | null {
  const tries = { count: (before?.count ?? 0) + 1, firstFailedAt: before?.firstFailedAt ?? at };
  const dueMs = at.getTime() + BACKOFF_FIRST_MS * 2 ** (tries.count - 1);
  return dueMs - tries.firstFailedAt.getTime() <= CRM_RETRY_MS ? { tries, dueAt: new Date(dueMs) } : null;
}
