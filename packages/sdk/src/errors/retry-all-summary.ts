/**
 * - `recovered`: the event has been written since
 * - `superseded`: a newer attempt at the same event failed too; that one is retried
 * - `crm`: its CRM is not one of the two whose syncs can be retried
 */
export type RetrySkipReason = 'recovered' | 'superseded' | 'crm';

/** What became of every failed sync that was found. */
export interface RetryAllSummary {
  /** Failed syncs that were found. */
  readonly found: number;
  /** Ids of the syncs whose retry is queued. */
  readonly queued: readonly number[];
  readonly skipped: readonly { readonly id: number; readonly reason: RetrySkipReason }[];
  /** What the service refused (409) or did not find (404), in its words. */
  readonly refused: readonly { readonly id: number; readonly status: number; readonly message: string }[];
}
