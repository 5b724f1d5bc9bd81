import type { RequestMetrics } from '@svc/contract/types';
import type { Access } from '@svc/domain/requests/access';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { includesRequestsOfDeletedSources } from '@svc/domain/requests/list-filters';
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

/** Ignores a `sourceId` in the query. */
export const listSourceRequests = authorizedHandler((call) =>
  requestPage(call, () => parsePathId('Source', call.params['sourceId'] ?? '')),
);

export const getRequestMetrics = authorizedHandler(({ world, access, query }) => {
  const { data } = world.state;
  const range = parseDateRange(query);
  const sourceId = parseIdFilter('sourceId', query['sourceId']);
  return { json: countRequests(data, resolveRequestFilter(data, access, { sourceId }), range) };
});

/** Selects requests. Requests of deleted sources have no connection; only account keys see them. */
export interface RequestFilter {
  readonly connectionIds: readonly number[];
  readonly sourceId: number | undefined;
  /** The account whose requests of deleted sources are shown; null for none. */
  readonly deletedSourcesOf: number | null;
}

/** Returns the requests that the filters select. @throws ApiError 404 for an inaccessible source */
export function resolveRequestFilter(
  data: WorldData,
  access: Access,
  filters: { readonly sourceId?: number | undefined; readonly connectionId?: number | undefined },
): RequestFilter {
  const connectionIds = resolveConnectionIds(data, access, filters);
  const isVisible = ofConnections(access.connectionIds);
  const includesDeleted = includesRequestsOfDeletedSources(access, filters, () => data.sources.some(isVisible));
  return { connectionIds, sourceId: filters.sourceId, deletedSourcesOf: includesDeleted ? access.accountId : null };
}

/** Counts the rows that the list shows with the same filters. */
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

function visibleBy({ connectionIds, deletedSourcesOf }: RequestFilter): (row: RequestRow) => boolean {
  const isOfConnections = ofConnections(connectionIds);
  return (row) => (row.connectionId === null ? row.accountId === deletedSourcesOf : isOfConnections(row));
}

function matchesOf({ sourceId }: RequestFilter): (row: RequestRow) => boolean {
  return (row) => sourceId === undefined || row.sourceId === sourceId;
}
