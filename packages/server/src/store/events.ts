import type { Access } from '@svc/domain/access';
import type { Position } from '@svc/domain/cursor';
import type { EventRow, WebhookDeliveryRow } from '@svc/domain/resources';
import { sql } from 'kysely';
import { build, type Db } from './db.ts';
import { toStorableJson } from './storable-json.ts';

export interface EventPageQuery {
  /** Empty for all. */
  types: readonly string[];
  delivered?: boolean | undefined;
  /** Rows strictly below this position. */
  after?: Position<string> | undefined;
  /** Rows to read: the page and one more. */
  limit: number;
}

export interface ListedEvent extends EventRow {
  delivered: boolean;
}

const EVENT_COLUMNS = sql.raw(`e.id, e.type, e.summary, e.data, e.connection_id as "connectionId",
  e.source_id as "sourceId", e.created_at as "createdAt"`);
const DELIVERED = sql`exists (select from webhook_deliveries d where d.event_id = e.id and d.status = 'SUCCEEDED')`;

/** Events of the account itself are seen by every key of it, others only with their connection. */
function isVisible(access: Access) {
  const { accountId, connectionIds } = access;
  return sql`e.account_id = ${accountId} and (e.connection_id is null or e.connection_id = any(${connectionIds}::bigint[]))`;
}

/** Events in list order. */
export function listEvents(db: Db, access: Access, query: EventPageQuery): Promise<ListedEvent[]> {
  const { types, delivered, after, limit } = query;
  const conditions = [
    isVisible(access),
    ...(types.length === 0 ? [] : [sql`e.type = any(${types}::text[])`]),
    ...(delivered === undefined ? [] : [delivered ? DELIVERED : sql`not ${DELIVERED}`]),
    ...(after === undefined ? [] : [sql`(e.created_at, e.id) < (${after.createdAt}::timestamptz, ${after.id})`]),
  ];
  const statement = sql<ListedEvent>`
    select ${EVENT_COLUMNS}, ${DELIVERED} as delivered from events e where ${sql.join(conditions, sql` and `)}
    order by e.created_at desc, e.id desc limit ${limit}`;
  return db.run(statement.compile(build));
}

/** The event, or null when it does not exist for this access. */
export async function getEvent(db: Db, access: Access, id: string): Promise<EventRow | null> {
  const statement = sql<EventRow>`select ${EVENT_COLUMNS} from events e where e.id = ${id} and ${isVisible(access)}`;
  const [row] = await db.run(statement.compile(build));
  return row ?? null;
}

export const WEBHOOK_DELIVERY_COLUMNS = `d.id, d.webhook_id as "webhookId", d.status, d.attempt_count as "attemptCount",
  d.last_attempt_at as "lastAttemptAt", d.last_http_status as "lastHttpStatus", d.last_error as "lastError",
  d.replay_of_delivery_id as "replayOfDeliveryId", d.created_at as "createdAt", d.updated_at as "updatedAt"`;

export interface NewEvent {
  id: string;
  accountId: number;
  /** Null, like `sourceId`, when the event is about the account. */
  connectionId: number | null;
  sourceId: number | null;
  type: string;
  summary: string;
  data: object;
  createdAt: Date;
}

export async function insertEvent(tx: Db, event: NewEvent): Promise<void> {
  await tx.query(
    {
      name: 'events-insert',
      text: `insert into events (id, account_id, connection_id, source_id, type, summary, data, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    },
    [
      event.id,
      event.accountId,
      event.connectionId,
      event.sourceId,
      event.type,
      event.summary,
      toStorableJson(event.data),
      event.createdAt,
    ],
  );
}

/** Every delivery of an event that the caller was found to see. */
export async function listDeliveriesOfEvent(db: Db, eventId: string): Promise<WebhookDeliveryRow[]> {
  const { rows } = await db.query<WebhookDeliveryRow>(
    {
      name: 'webhook-deliveries-of-event',
      text: `select ${WEBHOOK_DELIVERY_COLUMNS} from webhook_deliveries d where d.event_id = $1`,
    },
    [eventId],
  );
  return rows;
}
