/**
 * Specification, "ComponentStatus" and "Connection": the error that is recorded on a connection, which makes its status `error`.
 *
 * The rule: a write that the CRM refuses for what the connection as a whole may do records the reason. That is a 403 (a scope
 * is missing, or the CRM account is suspended or inactive) and the end of the daily limit. The same holds for a warning: the CRM
 * took the event and refused a part of it, a company or a task, for a scope that is missing. A success and every other warning clear
 * the error. Other failures say nothing about the connection and change nothing; a refused token disconnects it instead.
 */
import type { SyncStatus } from '@svc/contract/vocabulary';

/** `code` in the error of a sync that the CRM's daily limit has stopped. */
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
  if (error?.httpStatus === 403) {
    return `${crm} refuses access: connect it again with every scope, and check that its account is active.`;
  }
  if (error?.code === DAILY_LIMIT_REACHED) {
    return `The daily limit of calls to ${crm} is reached: writing goes on once ${crm} takes calls again.`;
  }
  return status === 'warning' ? null : undefined;
}
