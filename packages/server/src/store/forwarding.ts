/** Statements of the job that forwards an event to a destination. */
import type { EventFilter, ForwardingOutcome } from '@svc/domain/forwarding/forwarding';
import type { Db } from './database/db.ts';

/** A received event, its destination, and their current binding. */
export interface EventToForward {
  accountId: number;
  connectionId: number;
  sourceId: number;
  eventType: string;
  toEmail: string;
  /** Id of the event's request. */
  payloadId: number;
  binding: EventFilter;
  destination: { id: number; url: string };
  /** Null when the payload was deleted. */
  body: Buffer | null;
  contentType: string | null;
}

interface Row extends Omit<EventToForward, 'binding' | 'destination'> {
  eventTypes: string[];
  destinationId: number;
  url: string;
}

/** Returns null when the destination, its binding to the event's source, or the connection's capability is gone. */
export async function getEventToForward(
  db: Db,
  inboundEventId: number,
  destinationId: number,
): Promise<EventToForward | null> {
  const { rows } = await db.query<Row>(
    {
      name: 'forwarding-get-event',
      text: `select connections.account_id as "accountId", connections.id as "connectionId",
          events.source_id as "sourceId", events.event_type as "eventType", events.to_email as "toEmail",
          events.request_id as "payloadId", bindings.event_types as "eventTypes",
          destinations.id as "destinationId", destinations.url, requests.body,
          requests.headers ->> 'content-type' as "contentType"
        from inbound_events events
        join connections on connections.id = events.connection_id and connections.capability_destinations
        join destinations on destinations.id = $2 and destinations.connection_id = connections.id
        join destination_bindings bindings
          on bindings.destination_id = destinations.id and bindings.source_id = events.source_id
        left join requests on requests.id = events.request_id
        where events.id = $1`,
    },
    [inboundEventId, destinationId],
  );
  const row = rows[0];
  if (!row) return null;
  const { eventTypes, destinationId: id, url, ...event } = row;
  return { ...event, binding: { eventTypes }, destination: { id, url } };
}

/** Adds the delivery of one attempt. */
export async function insertDelivery(
  tx: Db,
  target: EventToForward,
  outcome: ForwardingOutcome,
  at: Date,
): Promise<void> {
  await tx.query(
    {
      name: 'forwarding-insert-delivery',
      text: `insert into deliveries (account_id, connection_id, destination_id, destination_url, status, http_status,
          source_id, event_type, to_email, payload_id, error, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    },
    [
      target.accountId,
      target.connectionId,
      target.destination.id,
      target.destination.url,
      outcome.status,
      outcome.httpStatus,
      target.sourceId,
      target.eventType,
      target.toEmail,
      target.payloadId,
      outcome.error,
      at,
    ],
  );
}
