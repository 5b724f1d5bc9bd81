import type { RequestMetrics } from '@svc/contract/types';
import type { Access } from '@svc/domain/requests/access';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { showsOrphanedRequests } from '@svc/domain/requests/list-filters';
import { parseLogQuery } from '@svc/domain/requests/log-query';
import { parseIdFilter, parsePathId } from '@svc/domain/requests/parameters';
import type { RequestRow } from '@svc/domain/world';
import { type LogRange, newestFirst } from '../../state/log.ts';
import type { WorldData } from '../../state/world-data.ts';
import { type AuthorizedCall, authorizedHandler, type Reply } from '../call.ts';
import { ofConnections, readPage, resolveConnectionIds } from './log-query.ts';
import { requestReceiptOf } from './resources.ts';

export const listRequests = authorizedHandler((call) =>
  requestPage(call, () => parseIdFilter('sourceId', call.query['sourceId'])),
);

/** The source is in the path; a `sourceId` in the query is ignored. */
export const listSourceRequests = authorizedHandler((call) =>
  requestPage(call, () => parsePathId('Source', call.params['sourceId'] ?? '')),
);

export const getRequestMetrics = authorizedHandler(({ world, access, query }) => {
  const { data } = world.state;
  const range = parseDateRange(query);
  const sourceId = parseIdFilter('sourceId', query['sourceId']);
  return { json: countRequests(data, resolveRequestFilter(data, access, { sourceId }), range) };
});

/** Which receipts. Those of sources that are gone belong to no connection: only an account key sees them. */
export interface RequestFilter {
  readonly connectionIds: readonly number[];
  readonly sourceId: number | undefined;
  /** Null when they are not shown. */
  readonly orphansOfAccount: number | null;
}

/** Which receipts the filters leave, by the domain's rules. Throws the 404 of a named source. */
export function resolveRequestFilter(
  data: WorldData,
  access: Access,
  filters: { readonly sourceId?: number | undefined; readonly connectionId?: number | undefined },
): RequestFilter {
  const connectionIds = resolveConnectionIds(data, access, filters);
  const isVisible = ofConnections(access.connectionIds);
  const showsOrphans = showsOrphanedRequests(access, filters, () => data.sources.some(isVisible));
  return { connectionIds, sourceId: filters.sourceId, orphansOfAccount: showsOrphans ? access.accountId : null };
}

/** The exact count of the rows that the list of the same filters shows. */
export function countRequests(data: WorldData, filter: RequestFilter, range: LogRange): RequestMetrics {
  const isVisible = visibleBy(filter);
  const matches = matchesOf(filter);
  let count = 0;
  for (const row of newestFirst(data.requests, range)) if (isVisible(row) && matches(row)) count += 1;
  return { count };
}

function requestPage({ world, access, query }: AuthorizedCall, parseSourceId: () => number | undefined): Reply {
  const { data, settings } = world.state;
  const page = parseLogQuery('request', query);
  const filter = resolveRequestFilter(data, access, { sourceId: parseSourceId() });
  const list = {
    rowType: 'request' as const,
    rows: data.requests,
    isVisible: visibleBy(filter),
    matches: matchesOf(filter),
    toResource: requestReceiptOf,
  };
  return { json: readPage(list, page, settings.scanCap) };
}

function visibleBy({ connectionIds, orphansOfAccount }: RequestFilter): (row: RequestRow) => boolean {
  const isOfConnections = ofConnections(connectionIds);
  return (row) => (row.connectionId === null ? row.accountId === orphansOfAccount : isOfConnections(row));
}

function matchesOf({ sourceId }: RequestFilter): (row: RequestRow) => boolean {
  return (row) => sourceId === undefined || row.sourceId === sourceId;
}
