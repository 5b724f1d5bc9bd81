import type { WebhookDeliveryStatus } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/access';
import type { Position } from '@svc/domain/cursor';
import type { WebhookDeliveryRow, WebhookRow } from '@svc/domain/resources';
import { sql } from 'kysely';
import { build, type Db } from './db.ts';
import { WEBHOOK_DELIVERY_COLUMNS } from './events.ts';

/** Without the secret: it is read only where a delivery is signed. */
const SELECT = `select w.id, w.url, w.description, w.enabled_events as "enabledEvents", w.is_active as "isActive",
    w.auto_disabled_at as "autoDisabledAt", w.created_at as "createdAt", w.updated_at as "updatedAt"
  from webhooks w where w.account_id = $1 and w.deleted_at is null`;

/** The webhooks of the account, oldest first; deleted ones are gone. */
export async function listWebhooks(db: Db, access: Access): Promise<WebhookRow[]> {
  const { rows } = await db.query<WebhookRow>(
    { name: 'webhooks-list', text: `${SELECT} order by w.created_at, w.id` },
    [access.accountId],
  );
  return rows;
}

/** The webhook, or null when the account has none with this id. */
export async function getWebhook(db: Db, access: Access, id: string): Promise<WebhookRow | null> {
  const { rows } = await db.query<WebhookRow>({ name: 'webhooks-get', text: `${SELECT} and w.id = $2` }, [
    access.accountId,
    id,
  ]);
  return rows[0] ?? null;
}

export interface WebhookDeliveryPageQuery {
  status?: WebhookDeliveryStatus | undefined;
  /** Rows strictly below this position. */
  after?: Position<string> | undefined;
  /** Rows to read: the page and one more. */
  limit: number;
}

/** Deliveries, in list order, to a webhook that was found to be the account's. */
export function listWebhookDeliveries(
  db: Db,
  webhookId: string,
  query: WebhookDeliveryPageQuery,
): Promise<WebhookDeliveryRow[]> {
  const { status, after, limit } = query;
  const conditions = [
    sql`d.webhook_id = ${webhookId}`,
    ...(status === undefined ? [] : [sql`d.status = ${status}`]),
    ...(after === undefined ? [] : [sql`(d.created_at, d.id) < (${after.createdAt}::timestamptz, ${after.id})`]),
  ];
  const statement = sql<WebhookDeliveryRow>`
    select ${sql.raw(WEBHOOK_DELIVERY_COLUMNS)} from webhook_deliveries d where ${sql.join(conditions, sql` and `)}
    order by d.created_at desc, d.id desc limit ${limit}`;
  return db.run(statement.compile(build));
}
