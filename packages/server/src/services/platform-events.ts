/**
 * Specification, "Events" and "Webhook delivery": an event is written to the log and, in the same transaction, to every
 * webhook of the account that subscribes to its type, each as a delivery that is due at once.
 */
import { ID_RANDOM_BYTES, newWebhookDeliveryId } from '@svc/domain/resource-ids';
import { newWebhookDelivery } from '@svc/domain/webhook-delivery';
import { subscribes } from '@svc/domain/webhook-endpoint';
import type { Context } from '../context.ts';
import { deliverWebhookJob } from '../jobs/deliver-webhook.ts';
import { enqueue } from '../jobs/queue.ts';
import type { Db } from '../store/db.ts';
import { insertEvent, type NewEvent } from '../store/events.ts';
import { insertWebhookDelivery } from '../store/webhook-deliveries.ts';
import { listWebhooks } from '../store/webhooks.ts';

/** Writes the event and its deliveries. */
export async function emitEvent(ctx: Context, tx: Db, event: NewEvent): Promise<void> {
  await insertEvent(tx, event);
  for (const webhook of await listWebhooks(tx, event)) {
    if (subscribes(webhook, event.type)) await queueDelivery(ctx, tx, { eventId: event.id, webhookId: webhook.id });
  }
}

/** Makes one delivery and the job that attempts it; returns its id. */
export async function queueDelivery(
  ctx: Context,
  tx: Db,
  target: { eventId: string; webhookId: string; replayOfDeliveryId?: string },
): Promise<string> {
  const now = ctx.clock.now();
  const id = newWebhookDeliveryId(now, ctx.randomBytes(ID_RANDOM_BYTES));
  const { eventId, webhookId, replayOfDeliveryId = null } = target;
  await insertWebhookDelivery(tx, { ...newWebhookDelivery(now), id, eventId, webhookId, replayOfDeliveryId, at: now });
  await enqueue(tx, deliverWebhookJob(id, webhookId, now));
  return id;
}
