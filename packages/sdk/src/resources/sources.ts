import type { operations, Source, Sync } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../call.ts';
import type { CallOptions } from '../fetch.ts';
import { createLogList, findPageFault, type LogParams } from '../log-query.ts';
import type { List } from '../paginate.ts';
import { toQuery } from '../query.ts';
import { hasShape } from '../shape.ts';

type SourceSyncsQuery = operations['listSourceSyncs']['parameters']['query'];

export interface SourceSyncListParams extends LogParams {
  status?: SourceSyncsQuery['status'];
  connectionId?: number | undefined;
}

export interface SourcesResource {
  /** All sources the key can reach, with their destinations and relay; not paged (specification, "Source"). */
  list(options?: CallOptions): ApiPromise<{ sources: Source[] }>;
  /**
   * Syncs of one source, newest first, over a range of any span (specification, "Observability").
   *
   * @throws NotFoundError when the source is missing or not within reach
   */
  listSyncs(sourceId: number, params: SourceSyncListParams, options?: CallOptions): List<Sync>;
}

const findFault = hasShape<{ sources: Source[] }>({ sources: 'objects' });

export function createSourcesResource(context: CallContext): SourcesResource {
  const { raw, call } = context;
  return {
    list: (options) => call(options, (init) => raw.GET('/api/v1/sources', init), findFault),
    listSyncs: (sourceId, params, options) => {
      const { status, connectionId } = params;
      return createLogList(context, params, (page) => {
        const query = toQuery({ ...page, status, connectionId });
        return call(
          options,
          (init) => raw.GET('/api/v1/sources/{sourceId}/syncs', { ...init, params: { path: { sourceId }, query } }),
          findPageFault,
        );
      });
    },
  };
}
