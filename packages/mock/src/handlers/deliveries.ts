import { DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { parseLogQuery } from '@svc/domain/requests/log-query';
import { countDeliveries } from '@svc/domain/syncs/metrics';
import { parseEnumFilter, parseIdFilter, parsePathId } from '@svc/domain/requests/parameters';
import type { DeliveryRow } from '@svc/domain/world';
import { type AuthorizedCall, authorizedHandler, type Reply } from '../core/call.ts';
import { type LogRange, newestFirst } from '../core/log.ts';
import { deliveryOf } from '../core/resources.ts';
import type { WorldData } from '../core/world-data.ts';
import { ofConnections, readPage, settleFilters } from './log-query.ts';

export const listDeliveries = authorizedHandler((call) =>
  deliveryPage(call, () => parseIdFilter('destinationId', call.query['destinationId'])),
);

/** The destination is in the path; a `destinationId` in the query is ignored. */
export const listDestinationDeliveries = authorizedHandler((call) =>
  deliveryPage(call, () => parsePathId('Destination', call.params['id'] ?? '')),
);

export const getDestinationDeliveryMetrics = authorizedHandler(({ world, access, params, query }) => {
  const { data } = world.state;
  const range = parseDateRange(query);
  const destinationId = parsePathId('Destination', params['id'] ?? '');
  const connectionIds = settleFilters(data, access, { destinationId });
  return { json: countDeliveries(deliveriesOf(data, { connectionIds, destinationId }, range)) };
});

export interface DeliveryFilter {
  /** What `settleFilters` has left. */
  readonly connectionIds: readonly number[];
  readonly destinationId?: number | undefined;
}

/** Deliveries in list order. */
export function* deliveriesOf(
  data: WorldData,
  { connectionIds, destinationId }: DeliveryFilter,
  range: LogRange,
): Generator<DeliveryRow, void, undefined> {
  const isVisible = ofConnections(connectionIds);
  for (const row of newestFirst(data.deliveries, range)) {
    if (isVisible(row) && (destinationId === undefined || row.destinationId === destinationId)) yield row;
  }
}

function deliveryPage({ world, access, query }: AuthorizedCall, parseDestinationId: () => number | undefined): Reply {
  const { data, settings } = world.state;
  const page = parseLogQuery('delivery', query);
  const status = parseEnumFilter('status', query['status'], DELIVERY_STATUSES);
  const destinationId = parseDestinationId();
  const isVisible = ofConnections(settleFilters(data, access, { destinationId }));
  const matches = (row: DeliveryRow) =>
    (destinationId === undefined || row.destinationId === destinationId) &&
    (status === undefined || row.status === status);
  const list = { rowType: 'delivery' as const, rows: data.deliveries, isVisible, matches, toResource: deliveryOf };
  return { json: readPage(list, page, settings.scanCap) };
}
