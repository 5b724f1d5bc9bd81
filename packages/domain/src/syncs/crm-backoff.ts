/**
 * Retries of CRM writes, and the `status` that their syncs get (`listSyncs`).
 *
 * The rule: a 429 or 5xx answer is transient. The write is retried after 1, 2, 4, ... seconds, at most every quarter of an
 * hour. The failure is recorded as an `error` sync when the next attempt would start later than `CRM_RETRY_MS` after the
 * first failure. From then on the write is retried without further syncs until it succeeds, is refused, or is given up
 * `CRM_GIVE_UP_MS` after the first failure; the next sync records which. Every other failure is recorded at once and is
 * final. A 401 means that the token is no longer valid, so the connection is disconnected.
 */

/** Time that a transient failure is retried before its sync is recorded as `error`: a minute. */
export const CRM_RETRY_MS = 60_000;
/** Time after which a write is given up: a day. */
export const CRM_GIVE_UP_MS = 24 * 60 * 60 * 1000;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_DOUBLINGS_MAX = 10;
const BACKOFF_MAX_MS = 15 * 60 * 1000;

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
  const dueAt = laterOf(notBefore, nextCrmCallAt(failures.count, at));
  return { failures, dueAt, isInTime: dueAt.getTime() - failures.firstFailedAt.getTime() <= CRM_RETRY_MS };
}

/** Returns when a failing CRM is called again. @param failureCount failures in a row, 1 or more */
export function nextCrmCallAt(failureCount: number, at: Date): Date {
  const backoffMs = BACKOFF_FIRST_MS * 2 ** Math.min(BACKOFF_DOUBLINGS_MAX, failureCount - 1);
  return new Date(at.getTime() + Math.min(BACKOFF_MAX_MS, backoffMs));
}

/** What follows a write that did not succeed for a transient reason. */
export interface CrmRetryStep {
  /** Whether the failure is recorded now, as an `error` sync. */
  readonly isRecordedNow: boolean;
  /** When the write is retried; null when it is given up. */
  readonly dueAt: Date | null;
  readonly failures: CrmFailures;
}

/**
 * Decides what follows a transient failure for which the CRM asked for no long wait.
 * @param options.isRecorded whether an `error` sync of this write exists already
 */
export function nextCrmRetry(
  before: CrmFailures | null,
  at: Date,
  { isRecorded, notBefore = at }: { readonly isRecorded: boolean; readonly notBefore?: Date },
): CrmRetryStep {
  const { failures, dueAt, isInTime } = planCrmRetry(before, at, notBefore);
  const givenUpAt = addMs(failures.firstFailedAt, CRM_GIVE_UP_MS);
  if (isRecorded && at >= givenUpAt) return { failures, isRecordedNow: true, dueAt: null };
  return { failures, isRecordedNow: !isRecorded && !isInTime, dueAt: dueAt < givenUpAt ? dueAt : givenUpAt };
}

/**
 * Decides what becomes of a write that waits for its CRM without calls of its own. It is recorded and given up as late as one
 * with calls.
 */
export function nextCrmWait(before: CrmFailures | null, at: Date, isRecorded: boolean): CrmRetryStep {
  const failures = before ?? { count: 0, firstFailedAt: at };
  const recordedAt = addMs(failures.firstFailedAt, CRM_RETRY_MS);
  const givenUpAt = addMs(failures.firstFailedAt, CRM_GIVE_UP_MS);
  if (isRecorded) return { failures, isRecordedNow: at >= givenUpAt, dueAt: at < givenUpAt ? givenUpAt : null };
  return { failures, isRecordedNow: at >= recordedAt, dueAt: at < recordedAt ? recordedAt : givenUpAt };
}

function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

function laterOf(a: Date, b: Date): Date {
  return a > b ? a : b;
}
