/**
 * The metrics operations (`getSyncMetrics`, `getAccountMetrics`, ...): counts over the rows that the list with the same
 * filters shows.
 *
 * The rule: syncs and deliveries are counted by status. `http2xx` counts every delivery with an HTTP status from 200 to 299,
 * whatever its `status`, and whether the HTTP status was recorded or inferred.
 */
import type { DeliveryMetrics, SyncMetrics } from '@svc/contract/types';
import type { DeliveryStatus, SyncStatus } from '@svc/contract/vocabulary';

/** The HTTP status of a delivery. */
export interface HttpOutcome {
  /** Null when no answer came or its status is unknown. */
  readonly httpStatus: number | null;
  /** Whether the HTTP status was derived from the outcome, on rows older than the column. Has no effect here. */
  readonly isHttpStatusInferred: boolean;
}

/** Whether a delivery counts as `http2xx`. */
export function isHttp2xx({ httpStatus }: HttpOutcome): boolean {
  return httpStatus !== null && httpStatus >= 200 && httpStatus <= 299;
}

export function countSyncs(rows: Iterable<{ readonly status: SyncStatus }>): SyncMetrics {
  const counts = { success: 0, warning: 0, error: 0 };
  for (const { status } of rows) counts[status] += 1;
  return counts;
}

export function countDeliveries(rows: Iterable<HttpOutcome & { readonly status: DeliveryStatus }>): DeliveryMetrics {
  const counts = { success: 0, error: 0, http2xx: 0 };
  for (const row of rows) {
    counts[row.status] += 1;
    if (isHttp2xx(row)) counts.http2xx += 1;
  }
  return counts;
}
