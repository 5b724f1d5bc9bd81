import type { RequestMetrics, RequestReceipt } from '@svc/contract/types';
import type { ApiPromise } from '../call.ts';
import type { CallOptions } from '../fetch.ts';
import type { Operations } from '../operations.ts';
import type { LogParams, RangeParams } from '../log-query.ts';
import type { List } from '../paginate.ts';

/** A range of any span, and which receipts. */
export interface RequestListParams extends LogParams {
  /** Unknown or out of reach: `NotFoundError`. */
  sourceId?: number | undefined;
}

/** A range of at most 31 days, and what to count. */
export interface RequestMetricsParams extends RangeParams {
  sourceId?: number | undefined;
}

/** What sequencers posted, as it was received. */
export interface RequestsResource {
  /**
   * Inbound receipts, newest first, over a range of any span: more than 31 days are fetched in windows and come as one list
   * (specification, "Request" and "Observability").
   */
  list(params: RequestListParams, options?: CallOptions): List<RequestReceipt>;
  /** Their count over at most 31 days. */
  metrics(params: RequestMetricsParams, options?: CallOptions): ApiPromise<RequestMetrics>;
}

export function createRequestsResource({ log, metrics }: Operations): RequestsResource {
  return {
    list: log('/api/v1/requests'),
    metrics: metrics('/api/v1/requests/metrics'),
  };
}
