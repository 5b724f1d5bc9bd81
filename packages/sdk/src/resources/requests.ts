import type { RequestMetrics, RequestReceipt } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import type { LogParams, RangeParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import type { TailParams } from '../lists/tail.ts';

/** Filters of `requests.list`, and a range of any length. */
export interface RequestListParams extends LogParams {
  /** Only of this source; `NotFoundError` when it does not exist or is not accessible. */
  sourceId?: number | undefined;
}

/** Filters of `requests.tail`, and how to poll. */
export interface RequestTailParams extends Omit<RequestListParams, keyof LogParams>, TailParams {}

/** Filters of `requests.metrics`, and a range of at most 31 days. */
export interface RequestMetricsParams extends RangeParams {
  /** Only of this source. */
  sourceId?: number | undefined;
}

/** Receipts of what sequencers posted. */
export interface RequestsResource {
  /**
   * Lists inbound receipts, newest first, over a range of any length: more than 31 days are fetched in windows and come as one list
   * (README.md#lists).
   */
  list(params: RequestListParams, options?: CallOptions): List<RequestReceipt>;
  /**
   * Yields new inbound receipts, oldest first and each once, until the loop ends or `options.signal` fires (`AbortError`). Each poll
   * reads the newest minute again, so that rows that become visible late are not lost.
   *
   * @throws the error of the first poll; later only errors that are not temporary
   * @example
   * for await (const request of client.requests.tail()) console.log(request.id);
   */
  tail(params?: RequestTailParams, options?: CallOptions): AsyncGenerator<RequestReceipt, void, undefined>;
  /** Returns the number of receipts over at most 31 days. */
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
