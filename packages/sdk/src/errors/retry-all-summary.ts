/**
 * Why a failed sync is not retried.
 *
 * - `recovered`: the event has been written since
 * - `superseded`: a newer attempt at the same event failed too and is retried instead
 * - `crm`: its CRM does not support retries
 */
export type RetrySkipReason = 'recovered' | 'superseded' | 'crm';

/** Result of `syncs.retryAll`. */
export interface RetryAllSummary {
  /** Number of failed syncs found. */
  readonly found: number;
  /** Ids of the syncs whose retry is queued. */
  readonly queued: readonly number[];
  readonly skipped: readonly { readonly id: number; readonly reason: RetrySkipReason }[];
  /** Retries that the service refused (409) or whose sync it did not find (404), with its message. */
  readonly refused: readonly { readonly id: number; readonly status: number; readonly message: string }[];
}
