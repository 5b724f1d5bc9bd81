import type { Access } from '@svc/domain/requests/access';
import type { Position } from '@svc/domain/requests/cursor';
import type { EventRow, WebhookDeliveryRow } from '@svc/domain/resources';
import type { EventAudience } from '@svc/domain/webhooks/webhook-delivery';
import type { Db } from './database/db.ts';
import { bind, readMergedPage } from './log-page.ts';
import { toStorableJson } from './database/storable-json.ts';

export interface EventPageQuery {
  /** Empty for all. */
  types: readonly string[];
  delivered?: boolean | undefined;
  /** Only rows older than this one. */
  after?: Position<string> | undefined;
  /** Rows to read: the page and one more. */
  limit: number;
}

export interface ListedEvent extends EventRow {
  delivered: boolean;
}

const COLUMNS = `rows.id, rows.type, rows.summary, rows.data, rows.connection_id as "connectionId",
  rows.source_id as "sourceId", rows.created_at as "createdAt"`;

/** Returns the values of `owner_id` that a key sees: its connections, and the account itself. */
function visibleOwners({ accountId, connectionIds }: Access): number[] {
  return [...connectionIds, -accountId];
}

/** Returns events in list order. */
export function listEvents(db: Db, access: Access, query: EventPageQuery): Promise<ListedEvent[]> {
  const { types, delivered, after, limit } = query;
  const values: unknown[] = [];
  const typeConditions = types.length === 0 ? [''] : types.map((type) => ` and type = ${bind(values, type)}`);
  const deliveredCondition = delivered === undefined ? '' : ` and is_delivered = ${bind(values, delivered)}`;
  const branches = visibleOwners(access).flatMap((owner) => {
    const ownerCondition = `owner_id = ${bind(values, owner)}`;
    return typeConditions.map((typeCondition) => ownerCondition + typeCondition + deliveredCondition);
  });
  const columns = `${COLUMNS}, rows.is_delivered as delivered`;
  return readMergedPage(db, { table: 'events', columns, branches, values, after, limit });
}

/** Returns the event; null when it does not exist for this access. */
export async function getEvent(db: Db, access: Access, id: string): Promise<EventRow | null> {
  const { rows } = await db.query<EventRow>(
    {
      name: 'events-get',
      text: `select ${COLUMNS} from events rows where rows.id = $1 and rows.owner_id = any($2)`,
    },
    [id, visibleOwners(access)],
  );
  return rows[0] ?? null;
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

/** Returns what decides whether webhooks may get the event. A removed connection counts as one without API access. */
export async function getEventAudience(
  db: Db,
  { accountId, connectionId }: Pick<NewEvent, 'accountId' | 'connectionId'>,
): Promise<EventAudience> {
  const { rows } = await db.query<EventAudience>(
    {
      name: 'events-audience',
      text: `select accounts.can_use_webhooks as "canUseWebhooks", ${canUseApiOf('$2::bigint')} as "canUseApi"
        from accounts left join connections on connections.id = $2 where accounts.id = $1`,
    },
    [accountId, connectionId],
  );
  return rows[0] ?? { canUseWebhooks: false, canUseApi: null };
}

/** SQL for `canUseApi` of an event's audience, where `connections` is joined by the given connection id. */
export function canUseApiOf(connectionId: string): string {
  return `case when ${connectionId} is not null then coalesce(connections.can_use_api, false) end`;
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

/** Returns all deliveries of an event whose access was checked. */
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
