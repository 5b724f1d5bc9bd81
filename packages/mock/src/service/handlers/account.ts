import type { AccountMetrics } from '@svc/contract/types';
import {
  accountStatus,
  type ConnectionFacts,
  RECENT_RECEIPTS_MAX,
  RECENT_RECEIPTS_MS,
} from '@svc/domain/account/account-status';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { countDeliveries, countSyncs } from '@svc/domain/syncs/metrics';
import { connectionIdsOfDeliveries } from '@svc/domain/requests/list-filters';
import { parseIdFilter } from '@svc/domain/requests/parameters';
import type { ConnectionRow } from '@svc/domain/world';
import { newestFirst } from '../../state/log.ts';
import type { WorldData } from '../../state/world-data.ts';
import { authorizedHandler } from '../call.ts';
import { visibleConnections } from './connections.ts';
import { deliveriesOf, hasDestinations } from './deliveries.ts';
import { countRequests, resolveRequestFilter } from './requests.ts';
import { syncsOf } from './syncs.ts';

export const getAccountStatus = authorizedHandler(({ world, access, now, urls }) => {
  const { data } = world.state;
  const outcomes = recentOutcomes(data, now);
  const connections = visibleConnections(data, access).map((row) => toFacts(data, row, outcomes));
  return { json: accountStatus({ connections, now, dashboardUrl: urls.dashboard, docsUrl: urls.docs }) };
});

/** `sourceId` filters requests and syncs, `connectionId` all three parts. */
export const getAccountMetrics = authorizedHandler(({ world, access, query }) => {
  const { data } = world.state;
  const range = parseDateRange(query);
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const sourceId = parseIdFilter('sourceId', query['sourceId']);
  const filter = resolveRequestFilter(data, access, { sourceId, connectionId });
  const { connectionIds } = filter;
  const metrics: AccountMetrics = {
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    requests: countRequests(data, filter, range),
    syncs: countSyncs(syncsOf(data, { connectionIds, sourceId }, range)),
    destinationDeliveries: countDeliveries(
      deliveriesOf(
        data,
        { connectionIds: connectionIdsOfDeliveries(connectionIds, hasDestinations(data, access)) },
        range,
      ),
    ),
  };
  return { json: metrics };
});

/** Returns the outcomes of each source's recent requests that were processed, newest first. */
function recentOutcomes(data: WorldData, now: Date): ReadonlyMap<number, readonly string[]> {
  const waiting = new Set(data.jobs.flatMap((job) => (job.kind === 'process-request' ? [job.requestId] : [])));
  const bySource = new Map<number, string[]>();
  for (const row of newestFirst(data.requests, { from: new Date(now.getTime() - RECENT_RECEIPTS_MS) })) {
    if (row.sourceId === null || waiting.has(row.id)) continue;
    const outcomes = bySource.get(row.sourceId);
    if (outcomes === undefined) bySource.set(row.sourceId, [row.outcome]);
    else if (outcomes.length < RECENT_RECEIPTS_MAX) outcomes.push(row.outcome);
  }
  return bySource;
}

function toFacts(
  data: WorldData,
  connection: ConnectionRow,
  outcomes: ReadonlyMap<number, readonly string[]>,
): ConnectionFacts {
  const isOfConnection = (row: { readonly connectionId: number }) => row.connectionId === connection.id;
  return {
    ...connection,
    hasCrmToken: connection.crmToken !== null,
    sources: data.sources.filter(isOfConnection).map(({ id, platform }) => {
      return { id, platform, recentOutcomes: outcomes.get(id) ?? [] };
    }),
    destinations: data.destinations.filter(isOfConnection).map(({ url, bindings }) => ({
      url,
      eventTypes: bindings.flatMap(({ eventTypes }) => eventTypes),
    })),
    replyRelays: data.replyRelays.filter(isOfConnection).map(({ sourceIds }) => ({ isBound: sourceIds.length > 0 })),
    blocklists: data.blocklists.filter(isOfConnection),
  };
}
