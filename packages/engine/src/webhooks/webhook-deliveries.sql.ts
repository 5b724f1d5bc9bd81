import type { WebhookDeliveryRow } from '@svc/domain/resources';
import type { WebhookEndpointState } from '@svc/domain/webhooks/webhook-endpoint';
import type { EventAudience, WebhookDeliveryState } from '@svc/domain/webhooks/webhook-delivery';
import { enqueueText, enqueueValues, type NewJob } from '../queue/queue.ts';
import type { Db } from '../store/database/db.ts';
import type { RowTimes } from '../store/row-times.ts';
import { canUseApiOf, WEBHOOK_DELIVERY_COLUMNS } from '../store/events.ts';

export interface NewWebhookDelivery extends WebhookDeliveryState {
  id: string;
  eventId: string;
  webhookId: string;
  replayOfDeliveryId: string | null;
  at: Date;
}

/** Adds deliveries and the jobs that attempt them in one statement. */
export async function insertWebhookDeliveries(
  tx: Db,
  deliveries: readonly NewWebhookDelivery[],
  jobs: readonly NewJob[],
): Promise<void> {
  await tx.query(
    {
      name: 'webhook-deliveries-insert',
      text: `with enqueued as (${enqueueText(9)})
        insert into webhook_deliveries (id, event_id, webhook_id, status, attempt_count, next_attempt_at,
          replay_of_delivery_id, created_at, updated_at)
        select id, event_id, webhook_id, status, attempt_count, next_attempt_at, replay_of_delivery_id, at, at
        from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::timestamptz[], $7::text[],
            $8::timestamptz[])
          as made (id, event_id, webhook_id, status, attempt_count, next_attempt_at, replay_of_delivery_id, at)`,
    },
    [
      deliveries.map((delivery) => delivery.id),
      deliveries.map((delivery) => delivery.eventId),
      deliveries.map((delivery) => delivery.webhookId),
      deliveries.map((delivery) => delivery.status),
      deliveries.map((delivery) => delivery.attemptCount),
      deliveries.map((delivery) => delivery.nextAttemptAt),
      deliveries.map((delivery) => delivery.replayOfDeliveryId),
      deliveries.map((delivery) => delivery.at),
      ...enqueueValues(jobs),
    ],
  );
}

/** Returns a delivery as the API shows it, with its event; null when the webhook has none with this id. */
export async function findDeliveryOfWebhook(
  db: Db,
  webhookId: string,
  id: string,
): Promise<(WebhookDeliveryRow & { eventId: string }) | null> {
  const { rows } = await db.query<WebhookDeliveryRow & { eventId: string }>(
    {
      name: 'webhook-deliveries-find',
      text: `select ${WEBHOOK_DELIVERY_COLUMNS}, d.event_id as "eventId"
        from webhook_deliveries d where d.webhook_id = $1 and d.id = $2`,
    },
    [webhookId, id],
  );
  return rows[0] ?? null;
}

/** A delivery with everything that an attempt needs. */
export interface DeliveryToAttempt {
  id: string;
  createdAt: Date;
  state: WebhookDeliveryState;
  isTestOrReplay: boolean;
  audience: EventAudience;
  event: { id: string; type: string; summary: string; data: Record<string, unknown>; createdAt: Date };
  webhook: {
    id: string;
    url: string;
    isActive: boolean;
    isDeleted: boolean;
    sealedSecret: string;
    consecutiveDeadCount: number;
  };
}

/** Events are made in the same transaction as their deliveries; the events of replays are older. */
const EVENT_BEFORE_MS = 3_600_000;

/**
 * Returns the deliveries with these ids, in any order; unknown ids are left out.
 *
 * @param times when they were made; others, and those of an older event, are left out
 */
export async function getDeliveriesToAttempt(
  db: Db,
  ids: readonly string[],
  { from, until }: RowTimes,
): Promise<DeliveryToAttempt[]> {
  const { rows } = await db.query<Record<string, unknown> & DeliveryColumns>(
    {
      name: 'webhook-deliveries-to-attempt',
      text: `select d.id, d.status, d.attempt_count as "attemptCount", d.last_attempt_at as "lastAttemptAt",
          d.last_http_status as "lastHttpStatus", d.last_error as "lastError", d.next_attempt_at as "nextAttemptAt",
          d.replay_of_delivery_id is not null or e.type = 'test.ping' as "isTestOrReplay",
          d.created_at as "createdAt", e.id as "eventId", e.type, e.summary, e.data, e.created_at as "eventCreatedAt",
          w.id as "webhookId", w.url, w.is_active as "isActive", w.deleted_at is not null as "isDeleted",
          w.secret as "sealedSecret", w.consecutive_dead_count as "consecutiveDeadCount",
          accounts.can_use_webhooks as "canUseWebhooks", ${canUseApiOf('e.connection_id')} as "canUseApi"
        from webhook_deliveries d join events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
          join accounts on accounts.id = w.account_id left join connections on connections.id = e.connection_id
        where d.id = any($1) and d.created_at >= $2 and d.created_at <= $3
          and e.created_at >= $4 and e.created_at <= $3`,
    },
    [ids, from, until, from instanceof Date ? new Date(from.getTime() - EVENT_BEFORE_MS) : from],
  );
  return rows.map((row) => {
    const { status, attemptCount, lastAttemptAt, lastHttpStatus, lastError, nextAttemptAt } = row;
    const { canUseWebhooks, canUseApi } = row;
    return {
      id: row.id,
      createdAt: row.createdAt,
      state: { status, attemptCount, lastAttemptAt, lastHttpStatus, lastError, nextAttemptAt },
      isTestOrReplay: row.isTestOrReplay,
      audience: { canUseWebhooks, canUseApi },
      event: { id: row.eventId, type: row.type, summary: row.summary, data: row.data, createdAt: row.eventCreatedAt },
      webhook: {
        id: row.webhookId,
        url: row.url,
        isActive: row.isActive,
        isDeleted: row.isDeleted,
        sealedSecret: row.sealedSecret,
        consecutiveDeadCount: row.consecutiveDeadCount,
      },
    };
  });
}

interface DeliveryColumns extends WebhookDeliveryState, EventAudience {
  id: string;
  createdAt: Date;
  isTestOrReplay: boolean;
  eventId: string;
  type: string;
  summary: string;
  data: Record<string, unknown>;
  eventCreatedAt: Date;
  webhookId: string;
  url: string;
  isActive: boolean;
  isDeleted: boolean;
  sealedSecret: string;
  consecutiveDeadCount: number;
}

/**
 * Returns the webhook, locked until the caller's transaction ends, so that its DEAD deliveries are counted one by one.
 */
export async function lockWebhook(tx: Db, id: string): Promise<WebhookEndpointState | null> {
  return (await lockWebhooks(tx, [id])).get(id) ?? null;
}

/** Returns the webhooks by id, locked like `lockWebhook` and in the order of their ids. */
export async function lockWebhooks(tx: Db, ids: readonly string[]): Promise<Map<string, WebhookEndpointState>> {
  const { rows } = await tx.query<WebhookEndpointState & { id: string }>(
    {
      name: 'webhooks-lock',
      text: `select id, url, description, enabled_events as "enabledEvents", is_active as "isActive",
          auto_disabled_at as "autoDisabledAt", consecutive_dead_count as "consecutiveDeadCount",
          updated_at as "updatedAt"
        from webhooks where id = any($1) order by id for update`,
    },
    [ids],
  );
  return new Map(rows.map(({ id, ...state }) => [id, state]));
}

export async function setWebhookState(tx: Db, id: string, state: WebhookEndpointState): Promise<void> {
  await tx.query(
    {
      name: 'webhooks-set',
      text: `update webhooks set url = $2, description = $3, enabled_events = $4, is_active = $5, auto_disabled_at = $6,
        consecutive_dead_count = $7, updated_at = $8 where id = $1`,
    },
    [
      id,
      state.url,
      state.description,
      state.enabledEvents,
      state.isActive,
      state.autoDisabledAt,
      state.consecutiveDeadCount,
      state.updatedAt,
    ],
  );
}
