/**
 * Which syncs `retrySync` accepts.
 *
 * The rule, checked in this order, each a 409: the sync ended in `error`; its source, payload and connection are still known;
 * its CRM type is one of `RETRYABLE_CRMS`. The CRM need not be connected to queue the retry.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import { RETRYABLE_CRMS, type SyncStatus } from '@svc/contract/vocabulary';
import { conflict } from '../errors/errors.ts';

export interface SyncRetryFacts {
  readonly sync: {
    readonly status: SyncStatus;
    readonly sourceId: number | null;
    readonly payloadId: number | null;
    readonly connectionId: number | null;
  };
  /** CRM type of the sync's connection; null when the connection is gone. */
  readonly crm: string | null;
}

/** @throws ApiError 409 when the sync must not be retried */
export function assertSyncRetryable({ sync, crm }: SyncRetryFacts): void {
  const isKnown = sync.sourceId !== null && sync.payloadId !== null && sync.connectionId !== null;
  if (sync.status !== 'error' || !isKnown || crm === null) throw conflict(ERROR_MESSAGES.syncNotEligibleForRetry);
  if (!supportsRetry(crm)) throw conflict(ERROR_MESSAGES.retryCrmNotSupported);
}

/** Whether syncs to this CRM type can be retried at all. */
export function supportsRetry(crm: string): boolean {
  return RETRYABLE_CRMS.some((supported) => supported === crm);
}
