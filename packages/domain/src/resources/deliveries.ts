/** The contract's `DestinationDelivery`. Not a webhook delivery: see webhook-deliveries.ts. */
import type { Delivery } from '@svc/contract/types';
import type { DeliveryStatus } from '@svc/contract/vocabulary';

export interface DeliveryRow {
  readonly id: number;
  readonly destinationId: number;
  /** The destination's URL at the time of the delivery. */
  readonly destinationUrl: string;
  readonly status: DeliveryStatus;
  /** Null when no answer came. */
  readonly httpStatus: number | null;
  readonly connectionId: number;
  /** Null, like `eventType` and `toEmail`, on historical rows. */
  readonly sourceId: number | null;
  readonly eventType: string | null;
  readonly toEmail: string | null;
  readonly payloadId: number | null;
  readonly error: string | null;
  readonly createdAt: Date;
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    destinationId: row.destinationId,
    destinationUrl: row.destinationUrl,
    status: row.status,
    httpStatus: row.httpStatus,
    connectionId: row.connectionId,
    sourceId: row.sourceId,
    eventType: row.eventType,
    toEmail: row.toEmail,
    payloadId: row.payloadId,
    error: row.error,
    createdAt: row.createdAt.toISOString(),
  };
}
