/** The `error` of a sync (`getSync`) when the CRM was not called. */
import { supportsRetry } from './sync-retry.ts';

export interface SyncErrorDetails {
  /** For programs. */
  readonly code: string;
  /** For people: what went wrong and what to do. */
  readonly message: string;
  /** Status of the CRM's answer; null when there was none. */
  readonly httpStatus: number | null;
}

/** The error of a retry while `capabilities.sync` of the connection is off. */
export function syncDisabledError(): SyncErrorDetails & { readonly [key: string]: unknown } {
  return {
    code: 'sync_disabled',
    message: 'Syncing is switched off on the connection: switch it on, then retry the sync.',
    httpStatus: null,
  };
}

/** The error of a retry when the payload is no longer stored, or is now read differently. */
export function payloadUnreadableError(): SyncErrorDetails & { readonly [key: string]: unknown } {
  return {
    code: 'payload_unreadable',
    message: 'The received payload does not hold this event any more, so it could not be written again.',
    httpStatus: null,
  };
}

/** The error of an event whose write this service itself could not carry out, however often it tried. */
export function internalError(crm: string): SyncErrorDetails & { readonly [key: string]: unknown } {
  return {
    code: 'internal_error',
    message: `An error of this service kept the event from being written, and trying again did not help. Its operator knows the cause and retries it after the repair${supportsRetry(crm) ? '; you can retry the sync, too' : ''}.`,
    httpStatus: null,
  };
}

/** The error of the last attempt to write an event that was retried for `CRM_GIVE_UP_MS`. */
export function givenUpError<Details extends object>(
  error: Details,
  crm: string,
): Details & { readonly message: string } {
  const reason = 'message' in error && typeof error.message === 'string' ? error.message : 'The CRM did not take it';
  return { ...error, message: `${reason} (given up after 24 hours${supportsRetry(crm) ? ': retry the sync' : ''})` };
}

/** The error when the connection has no token. */
export function crmDisconnectedError(crm: string): SyncErrorDetails & { readonly [key: string]: unknown } {
  return {
    code: 'crm_disconnected',
    message: `${crm} is disconnected: connect it again${retryHint(crm)}.`,
    httpStatus: null,
  };
}

/** Returns the end of a message that advises a retry; empty for CRMs whose syncs cannot be retried. */
export function retryHint(crm: string): string {
  return supportsRetry(crm) ? ', then retry the sync' : '';
}
