import type { operations, RequestReceipt, Source, Sync } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import type { LogParams } from '../lists/log-list.ts';
import type { List } from '../lists/paginate.ts';
import { createShapeCheck } from '../calls/shape.ts';

type SourceSyncsQuery = operations['listSourceSyncs']['parameters']['query'];

/** Filters of `sources.listSyncs`, and a range of any length. */
export interface SourceSyncListParams extends LogParams {
  status?: SourceSyncsQuery['status'];
  /** Only of this connection. */
  connectionId?: number | undefined;
}

/** Sources: inbound URLs that sequencers post to. */
export interface SourcesResource {
  /** Lists all sources that the key can access, with their destinations and relay; not paged. */
  list(options?: CallOptions): ApiPromise<{ sources: Source[] }>;
  /**
   * Lists the receipts of one source, newest first, over a range of any length (README.md#lists).
   *
   * @throws NotFoundError when the source does not exist or is not accessible
   */
  listRequests(sourceId: number, params: LogParams, options?: CallOptions): List<RequestReceipt>;
  /**
   * Lists the syncs of one source, newest first, over a range of any length (README.md#lists).
   *
   * @throws NotFoundError when the source does not exist or is not accessible
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
