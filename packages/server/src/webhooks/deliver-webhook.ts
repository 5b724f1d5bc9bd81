/**
 * One attempt of a webhook delivery (specification, "Events", delivery rules). The body's bytes are the same at every
 * attempt; timestamp and signature are new, made with the webhook's current secret. The outcome, the next due time and
 * the effect on the webhook (auto-disable, reset) are one transaction.
 */
import { LIMITS } from '@svc/contract/limits';
import {
  giveUp,
  giveUpReason,
  nextDelivery,
  toEnvelope,
  type WebhookDeliveryState,
  webhookHeaders,
} from '@svc/domain/webhooks/webhook-delivery';
import { applyDeliveryStatus, isUnchangedByDelivery } from '@svc/domain/webhooks/webhook-endpoint';
import { signPayload } from '@svc/domain/webhooks/webhook-signature';
import type { Context } from '../context.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { markEventDelivered } from '../store/events.ts';
import {
  type DeliveryToAttempt,
  endDelivery,
  getDeliveryToAttempt,
  lockWebhook,
  setDeliveryState,
  setWebhookState,
} from './webhook-deliveries.ts';
import { type ClaimedJob, defer, finish, type NewJob } from '../queue/queue.ts';
import { endpointFairnessKey, retryJitterMs } from '../queue/endpoint-jobs.ts';

export const DELIVER_WEBHOOK = 'deliver-webhook';

export interface WebhookDeliveryTarget {
  readonly id: string;
  readonly accountId: number;
  readonly webhookId: string;
}

/** The outcome of an attempt that was not made because it could not be signed. */
const UNREADABLE_SECRET = {
  httpStatus: null,
  error:
    "The webhook's signing secret cannot be decrypted: rotate it, or give the server the key it was encrypted with",
};

export function deliverWebhookJob({ id, accountId, webhookId }: WebhookDeliveryTarget, now: Date): NewJob {
  const fairnessKey = endpointFairnessKey(accountId, webhookId);
  return { kind: DELIVER_WEBHOOK, ref: id, fairnessKey, dueAt: now, createdAt: now };
}

export function createDeliverWebhookHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const delivery = await getDeliveryToAttempt(ctx.db, job.ref);
    if (!delivery || delivery.state.status !== 'PENDING') {
      await finish(ctx.db, job);
      return;
    }
    const reason = giveUpReason(delivery.webhook, delivery);
    const state = reason === null ? await attempt(ctx, delivery) : giveUp(delivery.state, reason);
    await record(ctx, job, delivery, state);
    ctx.metrics.webhookDeliveries.inc({ status: state.status === 'PENDING' ? 'retry' : state.status });
  };
}

async function attempt(ctx: Context, { id, event, webhook, state }: DeliveryToAttempt): Promise<WebhookDeliveryState> {
  const payload = JSON.stringify(toEnvelope(event));
  const timestampSeconds = Math.floor(ctx.clock.now().getTime() / 1_000);
  const secret = openSecret(ctx, webhook.sealedSecret, { kind: 'webhook signing secret', id: webhook.id });
  const { httpStatus, error } =
    secret === null
      ? UNREADABLE_SECRET
      : await ctx.outbound.post({
          url: webhook.url,
          headers: webhookHeaders(
            {
              eventId: event.id,
              deliveryId: id,
              signature: await signPayload({ payload, secret, timestampSeconds }),
            },
            ctx.branding,
          ),
          body: payload,
          timeoutMs: LIMITS.webhookAttemptTimeoutMs,
        });
  return nextDelivery(state, { httpStatus, error, at: ctx.clock.now() }, { jitterMs: retryJitterMs(ctx) });
}

async function record(
  ctx: Context,
  job: ClaimedJob,
  delivery: DeliveryToAttempt,
  state: WebhookDeliveryState,
): Promise<void> {
  const now = ctx.clock.now();
  const isAllThatChanges = state.nextAttemptAt === null && isUnchangedByDelivery(delivery.webhook, state.status);
  if (isAllThatChanges && (await endDelivery(ctx.db, job, delivery, state, now))) {
    job.result = 'done';
    return;
  }
  await ctx.db.transaction(async (tx) => {
    // First, so that a worker without its lease stops before it changes anything.
    if (state.nextAttemptAt === null) await finish(tx, job);
    else await defer(tx, job, { dueAt: state.nextAttemptAt });
    await setDeliveryState(tx, delivery.id, state, now);
    if (state.status === 'SUCCEEDED') await markEventDelivered(tx, delivery.event.id);
    if (state.status !== 'SUCCEEDED' && state.status !== 'DEAD') return;
    const webhook = await lockWebhook(tx, delivery.webhook.id);
    if (!webhook) return;
    const after = applyDeliveryStatus(webhook, state.status, now);
    if (after !== webhook) await setWebhookState(tx, delivery.webhook.id, after);
  });
}
