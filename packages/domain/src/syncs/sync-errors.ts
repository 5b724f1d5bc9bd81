/** What the `error` of a sync shows (specification, "Sync") when the CRM was not even asked. */
import { supportsRetry } from './sync-retry.ts';

export interface SyncErrorDetails {
  /** For programs. */
  readonly code: string;
  /** For people: what went wrong and what to do. */
  readonly message: string;
  /** Of the CRM's answer; null when there was none. */
  readonly httpStatus: number | null;
}

/** A retry was asked for, and `capabilities.sync` of the connection is off: nothing is synced. */
export function syncDisabledError(): SyncErrorDetails & { readonly [key: string]: unknown } {
  return {
    code: 'sync_disabled',
    message: 'Syncing is switched off on the connection: switch it on, then retry the sync.',
    httpStatus: null,
  };
}

/** A retry was asked for, and what was received is not kept any more, or not read as it was then. */
export function payloadUnreadableError(): SyncErrorDetails & { readonly [key: string]: unknown } {
  return {
    code: 'payload_unreadable',
    message: 'The received payload does not hold this event any more, so it could not be written again.',
    httpStatus: null,
  };
}

/** The connection has no token. */
export function crmDisconnectedError(crm: string): SyncErrorDetails & { readonly [key: string]: unknown } {
  return {
    code: 'crm_disconnected',
    message: `${crm} is disconnected: connect it again${retryHint(crm)}.`,
    httpStatus: null,
  };
}

/** The last part of a remedy: names the retry only for CRMs whose syncs can be retried. */
export function retryHint(crm: string): string {
  return supportsRetry(crm) ? ', then retry the sync' : '';
}
