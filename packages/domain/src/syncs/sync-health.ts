/**
 * Specification, "Sync health" and "Events": when `sync.failed` and `sync.recovered` are raised.
 *
 * The rule: health is kept per pair of source and connection. The third failed sync in a row turns a healthy pair into
 * a failing one and raises `sync.failed`; more failures raise nothing, so an incident has one alert. A success starts
 * the count anew, and on a failing pair ends the incident with `sync.recovered`. `warning` counts as a success.
 */
import { LIMITS } from '@svc/contract/limits';
import type { SyncFailedData, SyncRecoveredData } from '@svc/contract/types';
import type { SyncStatus } from '@svc/contract/vocabulary';
import { connectionDashboardUrl } from '../account/dashboard-links.ts';
import { supportsRetry } from './sync-retry.ts';

export interface SyncHealthState {
  readonly consecutiveFailures: number;
  /** Instant at which the pair turned failing, the one of its `sync.failed`; null while it is healthy. */
  readonly failingSince: Date | null;
}

/** The state of a pair that has not synced yet. */
export const HEALTHY: SyncHealthState = { consecutiveFailures: 0, failingSince: null };

export interface SyncHealthStep {
  readonly state: SyncHealthState;
  /** The event that this outcome raises, null when it raises none. */
  readonly transition: 'failed' | 'recovered' | null;
}

/** One finished sync, retries included, in the order in which outcomes are committed. */
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

/** Type, summary and data of `sync.failed`. `error` is the `error` of the sync that tipped the balance. */
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

/** Type, summary and data of `sync.recovered`. `failedSince` is the `failingSince` of the state before. */
export function syncRecoveredEvent(subject: SyncHealthSubject, failedSince: Date): SyncRecoveredEvent {
  return {
    type: 'sync.recovered',
    summary: `Syncs from ${subject.sourcePlatform} source ${subject.sourceId} to ${subject.crm} work again`,
    data: { ...pickSubject(subject), failedSince: failedSince.toISOString() },
  };
}

/** Longest reason taken from a CRM's answer, in characters. */
const ERROR_TEXT_MAX_LENGTH = 500;

/** The `error` of a sync in a sentence for a person: its text, its `message`, or as much of it as fits. */
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

/** Callers may pass a whole row; only these four belong into an event. */
function pickSubject({ connectionId, crm, sourceId, sourcePlatform }: SyncHealthSubject): SyncHealthSubject {
  return { connectionId, crm, sourceId, sourcePlatform };
}
