/**
 * Writes an event (`listEvents`) and, in the same transaction, a delivery that is due
 * now for every webhook of the account that subscribes to its type.
 */
import { ID_RANDOM_BYTES, newWebhookDeliveryId } from '@svc/domain/values/resource-ids';
import { newWebhookDelivery, withholdReason } from '@svc/domain/webhooks/webhook-delivery';
import { subscribes } from '@svc/domain/webhooks/webhook-endpoint';
import type { Context } from '../context.ts';
import { deliverWebhookJob } from './deliver-webhook.ts';
import type { Db } from '../store/database/db.ts';
import { getEventAudience, insertEvent, type NewEvent } from '../store/events.ts';
import { insertWebhookDeliveries } from './webhook-deliveries.sql.ts';
import { listWebhooks } from '../store/webhooks.ts';

/** Writes the event and its deliveries, unless the account's webhooks may not get it. */
export async function emitEvent(ctx: Context, tx: Db, event: NewEvent): Promise<void> {
  await insertEvent(tx, event);
  if (withholdReason(await getEventAudience(tx, event)) !== null) return;
  const webhooks = await listWebhooks(tx, event);
  const subscribers = webhooks.filter((webhook) => subscribes(webhook, event.type));
  await queueDeliveries(
    ctx,
    tx,
    subscribers.map((webhook) => ({ accountId: event.accountId, eventId: event.id, webhookId: webhook.id })),
  );
}

interface DeliveryTarget {
  accountId: number;
  eventId: string;
  webhookId: string;
  replayOfDeliveryId?: string;
}

/** Creates one delivery and the job that attempts it; returns its id. */
export async function queueDelivery(ctx: Context, tx: Db, target: DeliveryTarget): Promise<string> {
  const [id] = await queueDeliveries(ctx, tx, [target]);
  if (id === undefined) throw new Error('The delivery was not queued.');
  return id;
}

async function queueDeliveries(ctx: Context, tx: Db, targets: readonly DeliveryTarget[]): Promise<string[]> {
  if (targets.length === 0) return [];
  const at = ctx.clock.now();
  const deliveries = targets.map(({ replayOfDeliveryId = null, ...target }) => {
    const id = newWebhookDeliveryId(at, ctx.randomBytes(ID_RANDOM_BYTES));
    return { ...newWebhookDelivery(at), ...target, id, replayOfDeliveryId, at };
  });
  const jobs = deliveries.map((delivery) => deliverWebhookJob(delivery, at));
  await insertWebhookDeliveries(tx, deliveries, jobs);
  return deliveries.map(({ id }) => id);
}
