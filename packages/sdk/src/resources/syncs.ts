import type { operations, RetryQueued, Sync, SyncMetrics } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import { ConflictError, NotFoundError, SvcError } from '../errors/errors.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { RetryAllSummary } from '../errors/retry-all-summary.ts';
import type { RetryAllParams } from '../flows/retry-all.ts';
import type { ConnectionsResource } from './connections.ts';
import type { Operations } from './operations.ts';
import type { LogParams, RangeParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import { createShapeCheck } from '../calls/shape.ts';
import type { TailParams } from '../lists/tail.ts';

type SyncsQuery = operations['listSyncs']['parameters']['query'];

/** A range of any span, and which syncs. */
export interface SyncListParams extends LogParams {
  status?: SyncsQuery['status'];
  /** Unknown or out of reach: `NotFoundError`. */
  sourceId?: number | undefined;
  /** Out of reach: no rows. */
  connectionId?: number | undefined;
}

/** Which syncs to watch. */
export interface SyncTailParams extends Omit<SyncListParams, keyof LogParams>, TailParams {}

/** A range of at most 31 days, and what to count. */
export interface SyncMetricsParams extends RangeParams {
  sourceId?: number | undefined;
  connectionId?: number | undefined;
}

/** Attempts to write received events to a CRM. */
export interface SyncsResource {
  /**
   * Retries what failed in a range of any span and can be retried, one call at a time, at the pace of the rate limit. Of the
   * attempts at one event only the newest counts, and none where the event has been written since.
   *
   * @returns what was queued, skipped and refused
   * @throws what a call throws that cannot go on (no write scope, no connection); `error.summary` says what was done until then
   * @example
   * const { queued } = await client.syncs.retryAll({ from: '2026-03-01' });
   */
  retryAll(params: RetryAllParams, options?: CallOptions): Promise<RetryAllSummary>;
  /**
   * CRM write attempts, newest first, over a range of any span: more than 31 days are fetched in windows and
   * come as one list (specification, "Sync" and "Observability").
   */
  list(params: SyncListParams, options?: CallOptions): List<Sync>;
  /**
   * CRM write attempts as they come, oldest first and each once, until the loop is left or `options.signal` fires (`AbortError`). The newest
   * minute is read again with each look, so that a row that becomes visible late is not lost.
   *
   * @throws what the first look fails with, later what does not pass by itself
   * @example
   * for await (const sync of client.syncs.tail({ status: 'error' })) console.log(sync.id);
   */
  tail(params?: SyncTailParams, options?: CallOptions): AsyncGenerator<Sync, void, undefined>;
  /** @throws NotFoundError when it is missing or not within reach */
  get(id: number, options?: CallOptions): ApiPromise<Sync>;
  /**
   * Has the CRM write of a failed sync made again (specification, "Write actions"). The answer says that it is queued; the
   * outcome becomes a sync of its own, and the one that failed stays as it is. Needs a key with write scope.
   *
   * @throws ConflictError unless its status is `error` and its CRM one of the two that support it
   * @throws NotFoundError when it is missing or not within reach, PermissionError without write scope
   */
  retry(id: number, options?: CallOptions): ApiPromise<RetryQueued>;
  /** Counts by status over at most 31 days. */
  metrics(params: SyncMetricsParams, options?: CallOptions): ApiPromise<SyncMetrics>;
}

const findSyncFault = createShapeCheck<Sync>({ id: 'number', status: 'string', createdAt: 'string' });
const findMetricsFault = createShapeCheck<SyncMetrics>({ success: 'number', warning: 'number', error: 'number' });

export function createSyncsResource(
  { log, metrics, one, tail }: Operations,
  connections: ConnectionsResource,
): SyncsResource {
  const list = log<Sync, SyncListParams>('/api/v1/syncs');
  const syncs: SyncsResource = {
    retryAll: async (params, options) => {
      // Loaded when it is called: the core stays small for those who never do.
      const { retryAll } = await import('../flows/retry-all.ts');
      return retryAll({ syncs, connections, errors: { ConflictError, NotFoundError, SvcError } }, params, options);
    },
    list,
    tail: tail(list),
    get: one('GET', '/api/v1/syncs/{id}', findSyncFault),
    metrics: metrics('/api/v1/syncs/metrics', findMetricsFault),
    retry: one('POST', '/api/v1/syncs/{id}/retry'),
  };
  return syncs;
}
