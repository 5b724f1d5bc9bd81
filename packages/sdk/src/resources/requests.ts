import type { RequestMetrics, RequestReceipt } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { Operations } from './operations.ts';
import type { LogParams, RangeParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import type { TailParams } from '../lists/tail.ts';

/** A range of any span, and which receipts. */
export interface RequestListParams extends LogParams {
  /** Unknown or out of reach: `NotFoundError`. */
  sourceId?: number | undefined;
}

/** Which receipts to watch. */
export interface RequestTailParams extends Omit<RequestListParams, keyof LogParams>, TailParams {}

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
  /**
   * Inbound receipts as they come, oldest first and each once, until the loop is left or `options.signal` fires (`AbortError`). The newest
   * minute is read again with each look, so that a row that becomes visible late is not lost.
   *
   * @throws what the first look fails with, later what does not pass by itself
   * @example
   * for await (const request of client.requests.tail()) console.log(request.id);
   */
  tail(params?: RequestTailParams, options?: CallOptions): AsyncGenerator<RequestReceipt, void, undefined>;
  /** Their count over at most 31 days. */
  metrics(params: RequestMetricsParams, options?: CallOptions): ApiPromise<RequestMetrics>;
}

export function createRequestsResource({ log, metrics, tail }: Operations): RequestsResource {
  const list = log<RequestReceipt, RequestListParams>('/api/v1/requests');
  return {
    list,
    tail: tail(list),
    metrics: metrics('/api/v1/requests/metrics'),
  };
}
