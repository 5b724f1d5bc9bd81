/** What the state of a job says about earlier attempts to write its event, and what follows a failed one. */
import { type CrmFailures, type CrmRetryStep, nextCrmRetry, planCrmRetry } from '@svc/domain/syncs/crm-backoff';
import { nextTryForContact } from '@svc/domain/policy/missing-contact';
import type { CrmFailed, CrmOutcome } from '@svc/crm';
import {
  FIRST_FAILURE_MS,
  IS_HELD,
  IS_RECORDED,
  IS_TRY_REQUESTED,
  NO_CONTACT_SINCE_MS,
  NOT_BEFORE_MS,
  TRIES,
} from '../jobs/write-state.ts';
import type { ClaimedJob } from '../queue/queue.ts';

export type WriteState = ClaimedJob['state'];

/** Returns the failures of this write so far; null when it has not failed, or not since a long wait. */
export function readFailures(state: WriteState): CrmFailures | null {
  const firstFailureMs = state[FIRST_FAILURE_MS];
  if (typeof firstFailureMs !== 'number') return null;
  const tries = state[TRIES];
  return { count: typeof tries === 'number' ? tries : 0, firstFailedAt: new Date(firstFailureMs) };
}

function withFailures(state: WriteState, { count, firstFailedAt }: CrmFailures): WriteState {
  return { ...state, [TRIES]: count, [FIRST_FAILURE_MS]: firstFailedAt.getTime() };
}

/** Forgets the failures after a long wait, so that a later failure is retried for a full minute. */
export function withoutFailures(state: WriteState): WriteState {
  const { [TRIES]: _tries, [FIRST_FAILURE_MS]: _first, [NOT_BEFORE_MS]: _notBefore, ...kept } = state;
  return kept;
}

function withoutRequest(state: WriteState): WriteState {
  const { [IS_TRY_REQUESTED]: _requested, ...kept } = state;
  return kept;
}

/** The pending next attempt. */
export interface NextAttempt {
  dueAt: Date;
  state: WriteState;
  /** Whether this attempt gets an error row. */
  isRecordedNow: boolean;
  /** Why it is pending. */
  error: string;
}

/** Decides what follows a call. Null when no attempt follows: the outcome is recorded and final. */
export function planNextAttempt(
  state: WriteState,
  outcome: CrmOutcome,
  {
    now,
    isCooldownProbe,
  }: { now: Date /** Whether the call was the probe after a cooldown. */; isCooldownProbe: boolean },
): NextAttempt | null {
  if (!isTemporary(outcome)) return null;
  // A wait until the next day is a cooldown, which one event's error row tells.
  if (isQuotaWait(outcome) && outcome.cooldownUntilMs === undefined) {
    const dueAt = new Date(now.getTime() + (outcome.retry.afterMs ?? 0));
    return { dueAt, state: { ...state, [IS_HELD]: true }, isRecordedNow: false, error: outcome.error.message };
  }
  const {
    cooldownUntilMs = 0,
    error: { message: error },
  } = outcome;
  const notBefore = new Date(Math.max(now.getTime() + (outcome.retry.afterMs ?? 0), cooldownUntilMs));
  // The error row of the first event that hit the limit already exists.
  const isRecorded = state[IS_RECORDED] === true || (isCooldownProbe && cooldownUntilMs > 0);
  const before = readFailures(state);
  if (cooldownUntilMs === 0) {
    const step = nextCrmRetry(before, now, { isRecorded, notBefore });
    return fromStep(withoutRequest(state), step, { notBefore: step.dueAt, error });
  }
  // The attempt after a long wait is like a first one, however often the CRM asks to wait.
  const { dueAt } = planCrmRetry(before, now, notBefore);
  return { dueAt, state: withoutFailures(state), isRecordedNow: !isRecorded, error };
}

/**
 * Decides what follows when the CRM does not have the contact: the warning is recorded the first time. Null when the event is not tried again;
 * then nothing is recorded.
 */
export function planContactWait(before: WriteState, { now, error }: { now: Date; error: string }): NextAttempt | null {
  const { [IS_HELD]: _held, ...state } = withoutRequest(withoutFailures(before));
  const sinceMs = state[NO_CONTACT_SINCE_MS];
  const since = typeof sinceMs === 'number' ? new Date(sinceMs) : now;
  const dueAt = nextTryForContact(since, now);
  if (dueAt === null) return null;
  const next = { ...state, [NO_CONTACT_SINCE_MS]: since.getTime() };
  return { dueAt, state: next, isRecordedNow: typeof sinceMs !== 'number', error };
}

/** @param options.notBefore for an event that was called: the end of an outage does not make it due earlier */
export function fromStep(
  state: WriteState,
  step: CrmRetryStep,
  { notBefore, error }: { notBefore: Date | null; error: string },
): NextAttempt | null {
  if (step.dueAt === null) return null;
  const next = withFailures(state, step.failures);
  return {
    dueAt: step.dueAt,
    state: notBefore === null ? next : { ...next, [NOT_BEFORE_MS]: notBefore.getTime() },
    isRecordedNow: step.isRecordedNow,
    error,
  };
}

/** Returns whether the same call can succeed later. */
export function isTemporary(outcome: CrmOutcome): outcome is CrmFailed & { retry: { afterMs: number | null } } {
  return outcome.status === 'error' && outcome.retry !== 'never';
}

/** Returns whether the event only waits until its CRM may be called, so that nothing has failed. */
export function isQuotaWait(outcome: CrmOutcome): boolean {
  return outcome.status === 'error' && outcome.isQuotaWait === true;
}

/** Returns whether the failure counts for an outage of the connection (`crm-outage.ts`). */
export function isOutage(outcome: CrmOutcome): outcome is CrmFailed & { isUnavailable: true } {
  return outcome.status === 'error' && outcome.isUnavailable === true;
}

/** Returns whether the CRM, or this installation, gave a definite answer, so that an outage is over. */
export function endsOutage(outcome: CrmOutcome): boolean {
  if (!isTemporary(outcome)) return true;
  return !isOutage(outcome) && outcome.error.httpStatus !== null;
}
