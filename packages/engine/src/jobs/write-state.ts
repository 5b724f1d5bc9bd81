/**
 * What the state of a job that writes an event says about its wait, in TypeScript and in SQL. An event waits after a failed
 * call, while its CRM does not work, until its CRM may be called, or behind an earlier event of its contact.
 *
 * The keys are stored in databases, and indexes of `jobs` name some of them.
 */
import { kindsSql, RETRY_SYNC, WRITE_CRM } from './kinds.ts';

/** When the first call failed, or when the event began to wait for an outage to end: Unix time in ms. */
export const FIRST_FAILURE_MS = 'firstFailureMs';
/** Failed calls since then. */
export const TRIES = 'tries';
/** Before this, the end of an outage does not make the event due: Unix time in ms. */
export const NOT_BEFORE_MS = 'notBeforeMs';
/** Set when an error row of the pending write exists. Old spelling. */
export const IS_RECORDED = 'isWaitTold';
/**
 * Set when the event waited for an earlier one of its contact, or until its CRM may be called: later events of the
 * contact wait for it.
 */
export const IS_HELD = 'isHeld';
/** Set when a caller asked for a try now. */
export const IS_TRY_REQUESTED = 'isTryRequested';
/**
 * Since when the CRM does not have the contact of the event, which the policy of its source does not create: Unix time in ms. The warning
 * about it is recorded.
 */
export const NO_CONTACT_SINCE_MS = 'noContactSinceMs';
/** The sync that the next one is a retry of. */
export const RETRY_OF_SYNC_ID = 'retryOfSyncId';

/** Kinds of jobs that write an event. */
const WRITES = kindsSql([WRITE_CRM, RETRY_SYNC]);

/** Returns SQL that is true for jobs whose event has failed, or waits for its CRM to work. @param jobs the table or its alias */
export function hasFailedSql(jobs: string): string {
  return `${jobs}.state ? '${FIRST_FAILURE_MS}'`;
}

/** Returns SQL that is true for jobs whose event was held back. */
export function isHeldSql(jobs: string): string {
  return `${jobs}.state ? '${IS_HELD}'`;
}

/** Returns SQL that is true for jobs whose event has an error row. */
export function isRecordedSql(jobs: string): string {
  return `${jobs}.state ? '${IS_RECORDED}'`;
}

/** Returns SQL that is true for the jobs of a connection whose event has failed, or waits for its CRM to work. @param key SQL for the fairness key */
export function waitsForCrmSql(jobs: string, key: string): string {
  return `${jobs}.kind in (${WRITES}) and ${jobs}.fairness_key = ${key} and ${hasFailedSql(jobs)}`;
}

/** Returns SQL that is true for jobs whose event waits until the CRM has its contact. @param jobs the table or its alias */
export function waitsForContactSql(jobs: string): string {
  return `${jobs}.state ? '${NO_CONTACT_SINCE_MS}'`;
}
