import type { operations, RetryQueued, Sync, SyncMetrics } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../calls/call.ts';
import { ConflictError, NotFoundError, SvcError } from '../errors/errors.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { RetryAllSummary } from '../errors/retry-all-summary.ts';
import type { RetryAllParams } from '../flows/retry-all.ts';
import type { ConnectionsResource } from './connections.ts';
import type { Operations } from './operations.ts';
import type { LogParams, RangeParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import { createShapeCheck } from '../calls/shape.ts';
import type { TailParams } from '../lists/tail.ts';
import { parseInstantMs } from '../lists/windows.ts';

type SyncsQuery = operations['listSyncs']['parameters']['query'];

/** Filters of `syncs.list`, and a range of any length. */
export interface SyncListParams extends LogParams {
  status?: SyncsQuery['status'];
  /** Only of this source; `NotFoundError` when it does not exist or is not accessible. */
  sourceId?: number | undefined;
  /** Only of this connection; no rows when it is not accessible. */
  connectionId?: number | undefined;
}

/** Filters of `syncs.tail`, and how to poll. */
export interface SyncTailParams extends Omit<SyncListParams, keyof LogParams>, TailParams {}

/** Filters of `syncs.metrics`, and a range of at most 31 days. */
export interface SyncMetricsParams extends RangeParams {
  /** Only of this source. */
  sourceId?: number | undefined;
  /** Only of this connection. */
  connectionId?: number | undefined;
}

/** Attempts to write received events to a CRM. */
export interface SyncsResource {
  /**
   * Retries the failed syncs of a range of any length, one call at a time and within the rate limit. Of each event only the newest
   * attempt is retried, and none when the event has been written since.
   *
   * @returns what was queued, skipped and refused
   * @throws errors that concern all syncs (no write scope, no connection); `error.summary` holds what was done until then
   * @example
   * const { queued } = await client.syncs.retryAll({ from: '2026-03-01' });
   */
  retryAll(params: RetryAllParams, options?: CallOptions): Promise<RetryAllSummary>;
  /**
   * Lists CRM write attempts, newest first, over a range of any length: more than 31 days are fetched in windows and
   * come as one list (README.md#lists).
   */
  list(params: SyncListParams, options?: CallOptions): List<Sync>;
  /**
   * Yields new CRM write attempts, oldest first and each once, until the loop ends or `options.signal` fires (`AbortError`). Each poll
   * reads the newest minute again, so that rows that become visible late are not lost.
   *
   * @throws the error of the first poll; later only errors that are not temporary
   * @example
   * for await (const sync of client.syncs.tail({ status: 'error' })) console.log(sync.id);
   */
  tail(params?: SyncTailParams, options?: CallOptions): AsyncGenerator<Sync, void, undefined>;
  /** Returns one sync. @throws NotFoundError when it does not exist or is not accessible */
  get(id: number, options?: CallOptions): ApiPromise<Sync>;
  /**
   * Queues another CRM write for a failed sync. The result becomes a new sync; the failed one stays
   * as it is. Needs a key with write scope.
   *
   * @throws ConflictError unless its status is `error` and its CRM supports retries
   * @throws NotFoundError when it does not exist or is not accessible, PermissionError without write scope
   */
  retry(id: number, options?: CallOptions): ApiPromise<RetryQueued>;
  /** Returns counts by status over at most 31 days. */
  metrics(params: SyncMetricsParams, options?: CallOptions): ApiPromise<SyncMetrics>;
}

const findSyncFault = createShapeCheck<Sync>({ id: 'number', status: 'string', createdAt: 'string' });
const findRetryFault = createShapeCheck<RetryQueued>({ queued: 'boolean', syncId: 'number' });
const findMetricsFault = createShapeCheck<SyncMetrics>({ success: 'number', warning: 'number', error: 'number' });

export function createSyncsResource(
  { log, metrics, one, tail }: Operations,
  connections: ConnectionsResource,
  { now }: CallContext,
): SyncsResource {
  const list = log<Sync, SyncListParams>('/api/v1/syncs');
  const syncs: SyncsResource = {
    retryAll: async (params, options) => {
      // Loaded on demand, to keep the core small.
      const { retryAll } = await import('../flows/retry-all.ts');
      const errors = { ConflictError, NotFoundError, SvcError };
      return retryAll({ syncs, connections, errors, now, parseInstantMs }, params, options);
    },
    list,
    tail: tail(list),
    get: one('GET', '/api/v1/syncs/{id}', findSyncFault),
    metrics: metrics('/api/v1/syncs/metrics', findMetricsFault),
    retry: one('POST', '/api/v1/syncs/{id}/retry', findRetryFault),
  };
  return syncs;
}
