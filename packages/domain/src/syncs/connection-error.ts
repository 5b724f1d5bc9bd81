/**
 * The error recorded on a connection, which makes its status `error` (`getAccountStatus`, `listConnections`).
 *
 * The rule: a success clears the error. A failed write records one when the cause is the connection as a whole: a 402 or 403
 * (a scope is missing, or the CRM account is unpaid, suspended or inactive), an exhausted daily limit, or an exhausted share of it. So does a warning with such a
 * cause (the CRM accepted the event but refused its company or task). Every other warning clears the error; every other
 * failure leaves it unchanged. A refused token disconnects the connection instead.
 */
import type { SyncStatus } from '@svc/contract/vocabulary';

/** `code` of a sync error caused by the CRM's daily limit, or by the share of it that this service may use. */
export const DAILY_LIMIT_REACHED = 'daily_limit_reached';

export interface ConnectionWrite {
  readonly crm: string;
  readonly status: SyncStatus;
  /** The `error` of the sync. */
  readonly error: { readonly code?: unknown; readonly httpStatus?: unknown } | null;
}

/** Returns the error that a write records on its connection, null when it clears it, and undefined when it changes nothing. */
export function connectionErrorAfterWrite({ crm, status, error }: ConnectionWrite): string | null | undefined {
  if (status === 'success') return null;
  if (error?.code === DAILY_LIMIT_REACHED && error.httpStatus === null) {
    return `The share of the daily limit of calls to ${crm} is used up: writing goes on once ${crm} counts a new day.`;
  }
  if (error?.code === DAILY_LIMIT_REACHED) {
    return `The daily limit of calls to ${crm} is reached: writing goes on once ${crm} takes calls again.`;
  }
  if (error?.httpStatus === 402 || (error?.httpStatus === 403 && !isOtherRefusal(error.code))) {
    return `${crm} refuses access: connect it again with every scope, and check that its account is active.`;
  }
  return status === 'warning' ? null : undefined;
}

/** A 403 that says nothing about access: a caller that was too fast, a feature that the account's plan lacks. */
function isOtherRefusal(code: unknown): boolean {
  return code === 'rate_limited' || code === 'feature_missing';
}
