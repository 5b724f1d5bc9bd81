/**
 * Which deliveries to a destination `replayDelivery` accepts.
 *
 * The rule: the delivery exists, it went to the destination in the path, and its payload is known and still stored.
 * Otherwise the answer is the 404 of the delivery. A delivery of any status may be replayed.
 */
import { notFound } from '../errors/errors.ts';

export interface DeliveryReplayFacts {
  readonly destinationId: number;
  readonly payloadId: number | null;
  /** False when the payload was deleted by age, or when there never was one. */
  readonly isPayloadKept: boolean;
}

/**
 * @param delivery the row with that id, null when there is none
 * @param wanted the ids in the path; the caller has already checked that the destination exists
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
