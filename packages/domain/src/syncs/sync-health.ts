/**
 * When the events `sync.failed` and `sync.recovered` are raised (`listEvents`).
 *
 * The rule: health is tracked per pair of source and connection. The third failed sync in a row makes a healthy pair failing
 * and raises `sync.failed`; further failures raise nothing. A success resets the count, and raises `sync.recovered` on a
 * failing pair. `warning` counts as a success.
 */
import { LIMITS } from '@svc/contract/limits';
import type { SyncFailedData, SyncRecoveredData } from '@svc/contract/types';
import type { SyncStatus } from '@svc/contract/vocabulary';
import { connectionDashboardUrl } from '../account/dashboard-links.ts';
import { supportsRetry } from './sync-retry.ts';

export interface SyncHealthState {
  readonly consecutiveFailures: number;
  /** When the pair became failing and `sync.failed` was raised; null while it is healthy. */
  readonly failingSince: Date | null;
}

/** The state of a pair that has not synced yet. */
export const HEALTHY: SyncHealthState = { consecutiveFailures: 0, failingSince: null };

export interface SyncHealthStep {
  readonly state: SyncHealthState;
  /** The event that this outcome raises, null when it raises none. */
  readonly transition: 'failed' | 'recovered' | null;
}

/** Applies the outcome of one finished sync, retries included. Call it in the order in which outcomes are committed. */
export function nextSyncHealth(
  state: SyncHealthState,
  outcome: { readonly status: SyncStatus; readonly at: Date },
): SyncHealthStep {
  if (outcome.status !== 'error') {
    return { state: HEALTHY, transition: state.failingSince === null ? null : 'recovered' };
  }
  const consecutiveFailures = state.consecutiveFailures + 1;
  if (state.failingSince === null && consecutiveFailures >= LIMITS.syncFailuresBeforeAlert) {
    return { state: { consecutiveFailures, failingSince: outcome.at }, transition: 'failed' };
  }
  return { state: { consecutiveFailures, failingSince: state.failingSince }, transition: null };
}

/** The pair that an event of sync health is about. */
export interface SyncHealthSubject {
  readonly connectionId: number;
  readonly crm: string;
  readonly sourceId: number;
  readonly sourcePlatform: string;
}

export interface SyncFailedEvent {
  type: 'sync.failed';
  summary: string;
  data: SyncFailedData;
}

export interface SyncRecoveredEvent {
  type: 'sync.recovered';
  summary: string;
  data: SyncRecoveredData;
}

/** Builds `sync.failed`. @param details.error the `error` of the last failed sync */
export function syncFailedEvent(
  subject: SyncHealthSubject,
  details: { readonly error: unknown; readonly dashboardUrl: string },
): SyncFailedEvent {
  const fix = `Check the CRM's access and field mapping, and reconnect it if access was withdrawn: ${connectionDashboardUrl(details.dashboardUrl, subject.connectionId)}`;
  return {
    type: 'sync.failed',
    summary: `Syncs from ${subject.sourcePlatform} source ${subject.sourceId} to ${subject.crm} are failing`,
    data: {
      ...pickSubject(subject),
      reason: `${LIMITS.syncFailuresBeforeAlert} syncs in a row failed. The last one: ${describeSyncError(details.error)}`,
      remediation: supportsRetry(subject.crm) ? `${fix} (then retry the failed syncs)` : fix,
    },
  };
}

/** Builds `sync.recovered`. @param failedSince the `failingSince` of the previous state */
export function syncRecoveredEvent(subject: SyncHealthSubject, failedSince: Date): SyncRecoveredEvent {
  return {
    type: 'sync.recovered',
    summary: `Syncs from ${subject.sourcePlatform} source ${subject.sourceId} to ${subject.crm} work again`,
    data: { ...pickSubject(subject), failedSince: failedSince.toISOString() },
  };
}

/** Maximum length of a reason from a CRM's answer, in characters. */
const ERROR_TEXT_MAX_LENGTH = 500;

/** Describes the `error` of a sync: its text, its `message`, or its JSON, cut to 500 characters. */
export function describeSyncError(error: unknown): string {
  const text = toErrorText(error).trim();
  if (text === '') return 'the CRM gave no reason';
  return text.length > ERROR_TEXT_MAX_LENGTH ? `${text.slice(0, ERROR_TEXT_MAX_LENGTH)}...` : text;
}

function toErrorText(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return '';
  if ('message' in error && typeof error.message === 'string') return error.message;
  return JSON.stringify(error);
}

/** Callers may pass a whole row; an event holds only these four fields. */
function pickSubject({ connectionId, crm, sourceId, sourcePlatform }: SyncHealthSubject): SyncHealthSubject {
  return { connectionId, crm, sourceId, sourcePlatform };
}
