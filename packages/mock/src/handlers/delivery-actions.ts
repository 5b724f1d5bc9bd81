import type { ReplayQueued } from '@svc/contract/types';
import { assertDeliveryReplayable } from '@svc/domain/forwarding/delivery-replay';
import { notFound } from '@svc/domain/errors/errors';
import { parsePathId } from '@svc/domain/requests/parameters';
import { authorizedHandler } from '../core/call.ts';
import { findRow } from '../core/log.ts';
import { destinationsById } from '../core/rows.ts';
import { updateData } from '../core/world.ts';
import { addJob, receivedText } from '../core/world-data.ts';
import { hasWaitingJob } from '../jobs/run-due.ts';

/** Checks and enqueues; a replay that still waits stays the only one. The status does not matter: what succeeded may be sent again. */
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
