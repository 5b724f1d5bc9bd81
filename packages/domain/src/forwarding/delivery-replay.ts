/**
 * Specification, "Write actions" (`POST /destinations/:id/deliveries/:deliveryId/replay`): which deliveries to a
 * destination may be replayed.
 *
 * The rule: it exists, it went to the destination in the path, and the payload it came from is known and still kept.
 * Otherwise it is not found, in the words of the delivery. The status does not matter: what succeeded may be sent again.
 */
import { notFound } from '../errors/errors.ts';

export interface DeliveryReplayFacts {
  readonly destinationId: number;
  readonly payloadId: number | null;
  /** False once the payload was dropped by age, and when there never was one. */
  readonly isPayloadKept: boolean;
}

/**
 * @param delivery the row with that id, null when there is none
 * @param wanted the ids in the path; the destination's own 404 was settled before
 * @throws ApiError 404 naming the delivery
 */
export function assertDeliveryReplayable<Delivery extends DeliveryReplayFacts>(
  delivery: Delivery | null,
  wanted: { readonly destinationId: number; readonly deliveryId: number },
): asserts delivery is Delivery & { readonly payloadId: number } {
  const canReplay =
    delivery !== null &&
    delivery.destinationId === wanted.destinationId &&
    delivery.payloadId !== null &&
    delivery.isPayloadKept;
  if (!canReplay) throw notFound('Delivery', wanted.deliveryId);
}
