import type { WebhookDeliveryStatus } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import type { Position } from '@svc/domain/requests/cursor';
import type { WebhookDeliveryRow, WebhookRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';
import { WEBHOOK_DELIVERY_COLUMNS } from './events.ts';

/** All columns except the secret, which is read only to sign a delivery. */
const SELECT = `select w.id, w.url, w.description, w.enabled_events as "enabledEvents", w.is_active as "isActive",
    w.auto_disabled_at as "autoDisabledAt", w.created_at as "createdAt", w.updated_at as "updatedAt"
  from webhooks w where w.account_id = $1 and w.deleted_at is null`;

/** Returns the account's webhooks, oldest first, without deleted ones. */
export async function listWebhooks(db: Db, access: Pick<Access, 'accountId'>): Promise<WebhookRow[]> {
  const { rows } = await db.query<WebhookRow>(
    { name: 'webhooks-list', text: `${SELECT} order by w.created_at, w.id` },
    [access.accountId],
  );
  return rows;
}

/** Returns the webhook; null when the account has none with this id. */
export async function getWebhook(db: Db, access: Access, id: string): Promise<WebhookRow | null> {
  const { rows } = await db.query<WebhookRow>({ name: 'webhooks-get', text: `${SELECT} and w.id = $2` }, [
    access.accountId,
    id,
  ]);
  return rows[0] ?? null;
}

/** Counts the account's webhooks towards the limit, without deleted ones. */
export async function countWebhooks(db: Db, access: Pick<Access, 'accountId'>): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) as count from webhooks where account_id = $1 and deleted_at is null',
    [access.accountId],
  );
  return rows[0]?.count ?? 0;
}

export interface NewWebhook {
  id: string;
  accountId: number;
  url: string;
  description: string;
  enabledEvents: readonly string[];
  sealedSecret: string;
  at: Date;
}

export async function insertWebhook(tx: Db, webhook: NewWebhook): Promise<void> {
  await tx.query(
    `insert into webhooks (id, account_id, url, description, enabled_events, secret, created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $7)`,
    [
      webhook.id,
      webhook.accountId,
      webhook.url,
      webhook.description,
      webhook.enabledEvents,
      webhook.sealedSecret,
      webhook.at,
    ],
  );
}

export async function markWebhookDeleted(db: Db, id: string, at: Date): Promise<void> {
  await db.query('update webhooks set deleted_at = $2, updated_at = $2 where id = $1', [id, at]);
}

export async function setWebhookSecret(db: Db, id: string, sealedSecret: string, at: Date): Promise<void> {
  await db.query('update webhooks set secret = $2, updated_at = $3 where id = $1', [id, sealedSecret, at]);
}

export interface WebhookDeliveryPageQuery {
  status?: WebhookDeliveryStatus | undefined;
  /** Only rows older than this one. */
  after?: Position<string> | undefined;
  /** Rows to read: the page and one more. */
  limit: number;
}

/** Returns deliveries in list order; the caller has checked the access to the webhook. */
export async function listWebhookDeliveries(
  db: Db,
  webhookId: string,
  { status, after, limit }: WebhookDeliveryPageQuery,
): Promise<WebhookDeliveryRow[]> {
  const values: unknown[] = [webhookId, limit];
  const conditions = ['d.webhook_id = $1'];
  if (status !== undefined) conditions.push(`d.status = $${values.push(status)}`);
  if (after !== undefined) {
    const createdAt = `$${values.push(after.createdAt)}::timestamptz`;
    conditions.push(`(d.created_at, d.id) < (${createdAt}, $${values.push(after.id)})`);
  }
  const { rows } = await db.query<WebhookDeliveryRow>(
    `select ${WEBHOOK_DELIVERY_COLUMNS} from webhook_deliveries d where ${conditions.join(' and ')}
      order by d.created_at desc, d.id desc limit $2`,
    values,
  );
  return rows;
}
