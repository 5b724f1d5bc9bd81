import type { operations, RequestReceipt, Source, Sync } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/fetch.ts';
import type { Operations } from './operations.ts';
import type { LogParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import { createShapeCheck } from '../calls/shape.ts';

type SourceSyncsQuery = operations['listSourceSyncs']['parameters']['query'];

/** A range of any span, and which syncs of the source. */
export interface SourceSyncListParams extends LogParams {
  status?: SourceSyncsQuery['status'];
  connectionId?: number | undefined;
}

/** Inbound URLs that sequencers post to. */
export interface SourcesResource {
  /** All sources the key can reach, with their destinations and relay; not paged (specification, "Source"). */
  list(options?: CallOptions): ApiPromise<{ sources: Source[] }>;
  /**
   * Receipts of one source, newest first, over a range of any span (specification, "Observability").
   *
   * @throws NotFoundError when the source is missing or not within reach
   */
  listRequests(sourceId: number, params: LogParams, options?: CallOptions): List<RequestReceipt>;
  /**
   * Syncs of one source, newest first, over a range of any span (specification, "Observability").
   *
   * @throws NotFoundError when the source is missing or not within reach
   */
  listSyncs(sourceId: number, params: SourceSyncListParams, options?: CallOptions): List<Sync>;
}

const findFault = createShapeCheck<{ sources: Source[] }>({ sources: 'objects' });

export function createSourcesResource({ get, log }: Operations): SourcesResource {
  const requests = log<RequestReceipt>('/api/v1/sources/{sourceId}/requests');
  const syncs = log<Sync>('/api/v1/sources/{sourceId}/syncs');
  return {
    list: get('/api/v1/sources', findFault),
    listRequests: (sourceId, params, options) => requests(params, options, { sourceId }),
    listSyncs: (sourceId, params, options) => syncs(params, options, { sourceId }),
  };
}
