/** Statements of the job that forwards an event to a destination. */
import type { EventFilter } from '@svc/domain/forwarding/forwarding';
import type { Db } from './database/db.ts';
import type { DeliverySubject } from './deliveries.ts';
import { timesOf } from './row-times.ts';

/** A received event, its destination, and their current binding. */
export interface EventToForward extends DeliverySubject {
  eventType: string;
  binding: EventFilter;
  /** Null when the payload was deleted. */
  body: Buffer | null;
  contentType: string | null;
}

export interface ForwardingKey {
  /** Id in `inbound_events`. */
  eventId: number;
  destinationId: number;
  /** When the receipt of the event was received; null when that is not known. */
  receivedAt: Date | null;
}

/**
 * Returns the events in the order of their keys; null where the destination, its binding to the event's source, or the
 * connection's capability is gone.
 */
export async function getEventsToForward(db: Db, keys: readonly ForwardingKey[]): Promise<(EventToForward | null)[]> {
  const times = timesOf(keys.map(({ receivedAt }) => receivedAt));
  const { rows } = await db.query<Omit<EventToForward, 'binding'> & { position: number; eventTypes: string[] }>(
    {
      name: 'forwarding-get-events',
      // One look-up per key: without statistics, a plain join would read all events of the source.
      text: `select keys.position, connections.account_id as "accountId", connections.id as "connectionId",
          events.source_id as "sourceId", events.event_type as "eventType", events.to_email as "toEmail",
          events.request_id as "payloadId", bindings.event_types as "eventTypes",
          destinations.id as "destinationId", destinations.url as "destinationUrl",
          case when row_number() over (partition by events.request_id order by keys.position) = 1
            then requests.body end as body,
          requests.content_type as "contentType"
        from unnest($1::bigint[], $2::bigint[]) with ordinality as keys (event_id, destination_id, position)
        cross join lateral (
          select source_id, connection_id, request_id, event_type, to_email
          from inbound_events where id = keys.event_id limit 1
        ) as events
        join connections on connections.id = events.connection_id and connections.capability_destinations
        join destinations on destinations.id = keys.destination_id and destinations.connection_id = connections.id
        join destination_bindings bindings
          on bindings.destination_id = destinations.id and bindings.source_id = events.source_id
        left join lateral (
          select body, headers ->> 'content-type' as content_type
          from requests where id = events.request_id and created_at >= $3 and created_at <= $4 limit 1
        ) as requests on true`,
    },
    [keys.map(({ eventId }) => eventId), keys.map(({ destinationId }) => destinationId), times.from, times.until],
  );
  // A payload that goes to several destinations is read and held once.
  const bodies = new Map(rows.flatMap(({ payloadId, body }) => (body === null ? [] : [[payloadId, body]])));
  const found = new Map(
    rows.map(({ position, eventTypes, ...event }) => {
      const body = bodies.get(event.payloadId) ?? null;
      return [position, { ...event, body, binding: { eventTypes } }];
    }),
  );
  return keys.map((_key, index) => found.get(index + 1) ?? null);
}
