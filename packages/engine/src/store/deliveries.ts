import type { DeliveryReplayFacts } from '@svc/domain/forwarding/delivery-replay';
import type { DeliveryMetrics } from '@svc/contract/types';
import { DELIVERY_STATUSES, type DeliveryStatus } from '@svc/contract/vocabulary';
import type { DateRange } from '@svc/domain/requests/date-range';
import type { DeliveryRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';
import { countLog } from './hour-counts.ts';
import { type LogPageQuery, readLogPage } from './log-page.ts';

/** Filter of deliveries; `filteredConnectionIds` has resolved it for this access. */
export interface DeliveryFilter {
  /** The account of the connections. */
  accountId: number;
  connectionIds: readonly number[];
  destinationId?: number | undefined;
  status?: DeliveryStatus | undefined;
}

const COLUMNS = `rows.id, rows.destination_id as "destinationId", rows.destination_url as "destinationUrl", rows.status,
  rows.http_status as "httpStatus", rows.connection_id as "connectionId", rows.source_id as "sourceId",
  rows.event_type as "eventType", rows.to_email as "toEmail", rows.payload_id as "payloadId", rows.error,
  rows.created_at as "createdAt"`;

/** Returns deliveries in list order. */
export function listDeliveries(db: Db, filter: DeliveryFilter, query: LogPageQuery): Promise<DeliveryRow[]> {
  const { destinationId, ...shown } = filter;
  const onlyFrom = { column: 'destination_id', id: destinationId } as const;
  return readLogPage(
    db,
    { table: 'deliveries', columns: COLUMNS, statuses: DELIVERY_STATUSES, onlyFrom, ...shown },
    query,
  );
}

/** Returns the facts that decide whether a delivery may be replayed; null for an unknown id. */
export async function findReplayCandidate(db: Db, id: number): Promise<DeliveryReplayFacts | null> {
  const { rows } = await db.query<DeliveryReplayFacts>(
    {
      name: 'deliveries-replay-candidate',
      text: `select deliveries.destination_id as "destinationId", deliveries.payload_id as "payloadId",
          requests.body is not null as "isPayloadKept"
        from deliveries left join requests on requests.id = deliveries.payload_id where deliveries.id = $1`,
    },
    [id],
  );
  return rows[0] ?? null;
}

/** What a delivery is about. */
export interface DeliverySubject {
  accountId: number;
  connectionId: number;
  destinationId: number;
  /** The destination's current URL. */
  destinationUrl: string;
  sourceId: number | null;
  eventType: string | null;
  toEmail: string | null;
  /** Id of the delivery's request. */
  payloadId: number;
}

export interface DeliveryToReplay extends DeliverySubject {
  id: number;
  /** Whether the connection's capability is on. */
  canForward: boolean;
  /** Null when the payload was deleted. */
  body: Buffer | null;
  contentType: string | null;
}

/**
 * Returns deliveries with their payloads for the replay job, in any order; the access was checked at enqueueing. Leaves out
 * those without a payload.
 */
export async function getDeliveriesToReplay(db: Db, ids: readonly number[]): Promise<DeliveryToReplay[]> {
  const { rows } = await db.query<DeliveryToReplay>(
    {
      name: 'deliveries-to-replay',
      text: `select deliveries.id, deliveries.account_id as "accountId", deliveries.connection_id as "connectionId",
          deliveries.destination_id as "destinationId", destinations.url as "destinationUrl",
          deliveries.source_id as "sourceId", deliveries.event_type as "eventType", deliveries.to_email as "toEmail",
          deliveries.payload_id as "payloadId", requests.body, requests.headers ->> 'content-type' as "contentType",
          connections.capability_destinations as "canForward"
        from deliveries join destinations on destinations.id = deliveries.destination_id
        join connections on connections.id = destinations.connection_id
        left join requests on requests.id = deliveries.payload_id
        where deliveries.id = any($1) and deliveries.payload_id is not null`,
    },
    [ids],
  );
  return rows;
}

/** Counts by status the rows that a list with the same filters shows, and answers with 2xx whatever the status. */
export async function countDeliveries(
  db: Db,
  filter: Pick<DeliveryFilter, 'connectionIds' | 'destinationId'>,
  range: DateRange,
): Promise<DeliveryMetrics> {
  const { connectionIds, destinationId } = filter;
  const { success, error, http2xx } = await countLog(
    db,
    'deliveries',
    { ownerIds: connectionIds, partId: destinationId },
    range,
  );
  return { success, error, http2xx };
}
