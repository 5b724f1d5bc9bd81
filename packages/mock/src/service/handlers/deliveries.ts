import { DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import { parseDateRange } from '@svc/domain/requests/date-range';
import type { Access } from '@svc/domain/requests/access';
import { connectionIdsOfDeliveries } from '@svc/domain/requests/list-filters';
import { parseLogQuery } from '@svc/domain/requests/log-query';
import { countDeliveries } from '@svc/domain/syncs/metrics';
import { parseEnumFilter, parseIdFilter, parsePathId } from '@svc/domain/requests/parameters';
import type { DeliveryRow } from '@svc/domain/world';
import type { ReplayQueued } from '@svc/contract/types';
import { assertDeliveryReplayable } from '@svc/domain/forwarding/delivery-replay';
import { notFound } from '@svc/domain/errors/errors';
import { findRow, type LogRange, newestFirst } from '../../state/log.ts';
import { destinationsById } from '../../state/row-indexes.ts';
import { addJob, receivedText, type WorldData } from '../../state/world-data.ts';
import { updateData } from '../../state/world.ts';
import { type AuthorizedCall, authorizedHandler, type Reply } from '../call.ts';
import { hasWaitingJob } from '../jobs/run-due.ts';
import { ofConnections, readPage, resolveConnectionIds } from './log-query.ts';
import { deliveryOf } from './resources.ts';

export const listDeliveries = authorizedHandler((call) =>
  deliveryPage(call, () => parseIdFilter('destinationId', call.query['destinationId'])),
);

/** Ignores a `destinationId` in the query. */
export const listDestinationDeliveries = authorizedHandler((call) =>
  deliveryPage(call, () => parsePathId('Destination', call.params['id'] ?? '')),
);

export const getDestinationDeliveryMetrics = authorizedHandler(({ world, access, params, query }) => {
  const { data } = world.state;
  const range = parseDateRange(query);
  const destinationId = parsePathId('Destination', params['id'] ?? '');
  const connectionIds = resolveConnectionIds(data, access, { destinationId });
  return { json: countDeliveries(deliveriesOf(data, { connectionIds, destinationId }, range)) };
});

export interface DeliveryFilter {
  readonly connectionIds: readonly number[];
  readonly destinationId?: number | undefined;
}

/** Yields matching deliveries in list order. */
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

/** Whether the key sees a destination. */
export function hasDestinations(data: WorldData, access: Access): boolean {
  return data.destinations.some(ofConnections(access.connectionIds));
}

function deliveryPage({ world, access, query }: AuthorizedCall, parseDestinationId: () => number | undefined): Reply {
  const { data, settings } = world.state;
  const page = parseLogQuery('delivery', query);
  const status = parseEnumFilter('status', query['status'], DELIVERY_STATUSES);
  const destinationId = parseDestinationId();
  const connectionIds = resolveConnectionIds(data, access, { destinationId });
  const isVisible = ofConnections(connectionIdsOfDeliveries(connectionIds, hasDestinations(data, access)));
  const matches = (row: DeliveryRow) =>
    (destinationId === undefined || row.destinationId === destinationId) &&
    (status === undefined || row.status === status);
  const list = { rowType: 'delivery' as const, rows: data.deliveries, isVisible, matches, toResource: deliveryOf };
  return { json: readPage(list, page, settings.scanCap) };
}

/** Enqueues a replay unless one is waiting. Deliveries of any status can be replayed. */
export const replayDelivery = authorizedHandler(({ world, access, params, now }) => {
  const { data } = world.state;
  const destinationId = parsePathId('Destination', params['id'] ?? '');
  const destination = destinationsById(data.destinations).get(destinationId);
  if (destination === undefined || !access.connectionIds.includes(destination.connectionId)) {
    throw notFound('Destination', destinationId);
  }
  const deliveryId = parsePathId('Delivery', params['deliveryId'] ?? '');
  const row = findRow(data.deliveries, deliveryId);
  const request = row === null || row.payloadId === null ? null : findRow(data.requests, row.payloadId);
  const isPayloadKept = request !== null && receivedText(request) !== null;
  const delivery = row && { ...row, isPayloadKept };
  assertDeliveryReplayable(delivery, { destinationId, deliveryId });
  const isWaiting = hasWaitingJob(world, (job) => job.kind === 'replay-delivery' && job.deliveryId === deliveryId);
  if (!isWaiting) updateData(world, addJob(data, { kind: 'replay-delivery', deliveryId }, now));
  return { json: { queued: true, destinationId, payloadId: delivery.payloadId } satisfies ReplayQueued };
});
