import type { AccountMetrics } from '@svc/contract/types';
import { accountStatus, type ConnectionFacts } from '@svc/domain/account/account-status';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { countDeliveries, countSyncs } from '@svc/domain/syncs/metrics';
import { parseIdFilter } from '@svc/domain/requests/parameters';
import type { ConnectionRow } from '@svc/domain/world';
import type { WorldData } from '../../state/world-data.ts';
import { authorizedHandler } from '../call.ts';
import { visibleConnections } from './connections.ts';
import { deliveriesOf } from './deliveries.ts';
import { countRequests, resolveRequestFilter } from './requests.ts';
import { syncsOf } from './syncs.ts';

export const getAccountStatus = authorizedHandler(({ world, access, now, urls }) => {
  const { data } = world.state;
  const connections = visibleConnections(data, access).map((row) => toFacts(data, row));
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
    destinationDeliveries: countDeliveries(deliveriesOf(data, { connectionIds }, range)),
  };
  return { json: metrics };
});

function toFacts(data: WorldData, connection: ConnectionRow): ConnectionFacts {
  const isOfConnection = (row: { readonly connectionId: number }) => row.connectionId === connection.id;
  return {
    ...connection,
    hasCrmToken: connection.crmToken !== null,
    sources: data.sources.filter(isOfConnection),
    destinations: data.destinations.filter(isOfConnection).map(({ url, bindings }) => ({
      url,
      eventTypes: bindings.flatMap(({ eventTypes }) => eventTypes),
    })),
    replyRelays: data.replyRelays.filter(isOfConnection).map(({ sourceIds }) => ({ isBound: sourceIds.length > 0 })),
    blocklists: data.blocklists.filter(isOfConnection),
  };
}
