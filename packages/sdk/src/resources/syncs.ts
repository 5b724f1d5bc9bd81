import type { operations, Sync, SyncMetrics } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../call.ts';
import type { CallOptions } from '../fetch.ts';
import { createLogList, findPageFault, type LogParams, type RangeParams, toRange } from '../log-query.ts';
import type { List } from '../paginate.ts';
import { toQuery } from '../query.ts';
import { hasShape } from '../shape.ts';

type SyncsQuery = operations['listSyncs']['parameters']['query'];

export interface SyncListParams extends LogParams {
  status?: SyncsQuery['status'];
  /** Unknown or out of reach: `NotFoundError`. */
  sourceId?: number | undefined;
  /** Out of reach: no rows. */
  connectionId?: number | undefined;
}

export interface SyncMetricsParams extends RangeParams {
  sourceId?: number | undefined;
  connectionId?: number | undefined;
}

export interface SyncsResource {
  /**
   * CRM write attempts, newest first, over a range of any span: more than 31 days are fetched in windows and
   * come as one list (specification, "Sync" and "Observability").
   */
  list(params: SyncListParams, options?: CallOptions): List<Sync>;
  /** @throws NotFoundError when it is missing or not within reach */
  get(id: number, options?: CallOptions): ApiPromise<Sync>;
  /** Counts by status over at most 31 days. */
  metrics(params: SyncMetricsParams, options?: CallOptions): ApiPromise<SyncMetrics>;
}

const findSyncFault = hasShape<Sync>({ id: 'number', status: 'string', createdAt: 'string' });
const findMetricsFault = hasShape<SyncMetrics>({ success: 'number', warning: 'number', error: 'number' });

export function createSyncsResource(context: CallContext): SyncsResource {
  const { raw, call } = context;
  return {
    list: (params, options) => {
      const { status, sourceId, connectionId } = params;
      return createLogList(context, params, (page) => {
        const query = toQuery({ ...page, status, sourceId, connectionId });
        return call(options, (init) => raw.GET('/api/v1/syncs', { ...init, params: { query } }), findPageFault);
      });
    },
    get: (id, options) =>
      call(options, (init) => raw.GET('/api/v1/syncs/{id}', { ...init, params: { path: { id } } }), findSyncFault),
    metrics: (params, options) => {
      const { sourceId, connectionId } = params;
      return call(
        options,
        async (init) => {
          const query = toQuery({ ...toRange(params, context.now()), sourceId, connectionId });
          return raw.GET('/api/v1/syncs/metrics', { ...init, params: { query } });
        },
        findMetricsFault,
      );
    },
  };
}
