/** Makes one attempt of a webhook delivery; the rules are in `domain/src/webhooks/webhook-delivery.ts`. */
import { LIMITS } from '@svc/contract/limits';
import {
  giveUp,
  giveUpReason,
  jitterFrom,
  nextDelivery,
  toEnvelope,
  type WebhookDeliveryState,
  webhookHeaders,
} from '@svc/domain/webhooks/webhook-delivery';
import { applyDeliveryStatus } from '@svc/domain/webhooks/webhook-endpoint';
import { signPayload } from '@svc/domain/webhooks/webhook-signature';
import type { EventRow, WebhookDeliveryRow, WebhookRow } from '@svc/domain/world';
import { changeRow, findRow } from '../../state/log.ts';
import { random } from '../../state/random.ts';
import { addJob, removeJob } from '../../state/world-data.ts';
import { update, type World } from '../../state/world.ts';
import { audienceOf } from '../events.ts';
import type { JobRun, WorldRun } from './job-run.ts';
import { send } from './post.ts';

interface Target {
  readonly delivery: WebhookDeliveryRow;
  readonly event: EventRow;
  readonly webhook: WebhookRow;
}

export async function deliverWebhook(run: JobRun<'deliver-webhook'>): Promise<void> {
  const { world, job, isCurrent } = run;
  const target = findTarget(world, job.deliveryId);
  if (target === null) {
    update(world, { data: removeJob(world.state.data, job) });
    return;
  }
  const { delivery, event, webhook } = target;
  const isTestOrReplay = event.type === 'test.ping' || delivery.replayOfDeliveryId !== null;
  const reason = giveUpReason(
    { isDeleted: webhook.deletedAt !== null, isActive: webhook.isActive },
    { isTestOrReplay, audience: audienceOf(world, event) },
  );
  const state = reason === null ? await attempt(run, target) : giveUp(delivery, reason);
  if (isCurrent()) record(run, target, state);
}

function findTarget(world: World, deliveryId: string): Target | null {
  const { data } = world.state;
  const delivery = findRow(data.webhookDeliveries, deliveryId);
  if (delivery?.status !== 'PENDING') return null;
  const event = findRow(data.events, delivery.eventId);
  const webhook = data.webhooks.find(({ id }) => id === delivery.webhookId);
  return event === null || webhook === undefined ? null : { delivery, event, webhook };
}

/** Posts the event. Each attempt has the same body, and a new timestamp and signature with the webhook's current secret. */
async function attempt(run: WorldRun, { delivery, event, webhook }: Target): Promise<WebhookDeliveryState> {
  const { now, world } = run;
  // Drawn before the post, because the world may be reset during it.
  const jitterMs = jitterFrom(random(world));
  const payload = JSON.stringify(toEnvelope(event));
  const timestampSeconds = Math.floor(now.getTime() / 1_000);
  const { status, error } = await send(run, {
    kind: 'webhook',
    url: webhook.url,
    headers: webhookHeaders(
      {
        eventId: event.id,
        deliveryId: delivery.id,
        signature: await signPayload({ payload, secret: webhook.secret, timestampSeconds }),
      },
      world.branding,
    ),
    body: payload,
    timeoutMs: LIMITS.webhookAttemptTimeoutMs,
  });
  return nextDelivery(delivery, { httpStatus: status, error, at: run.time() }, { jitterMs });
}

function record(run: JobRun<'deliver-webhook'>, target: Target, state: WebhookDeliveryState): void {
  const { world, job } = run;
  const now = run.time();
  const { data } = world.state;
  const { id } = target.delivery;
  const webhookDeliveries = changeRow(data.webhookDeliveries, id, (row) => ({
    ...row,
    ...pick(state),
    updatedAt: now,
  }));
  // The webhook may have been changed or deleted during the post, so its current row is updated.
  const webhooks = data.webhooks.map((webhook) =>
    webhook.id === target.webhook.id ? applyDeliveryStatus(webhook, state.status, now) : webhook,
  );
  const done = removeJob({ ...data, webhookDeliveries, webhooks }, job);
  const again = { kind: 'deliver-webhook' as const, deliveryId: id };
  update(world, { data: state.nextAttemptAt === null ? done : addJob(done, again, state.nextAttemptAt) });
}

/** Returns only the fields of the state, which may be an outdated row. */
function pick(state: WebhookDeliveryState): WebhookDeliveryState {
  const { status, attemptCount, lastAttemptAt, lastHttpStatus, lastError, nextAttemptAt } = state;
  return { status, attemptCount, lastAttemptAt, lastHttpStatus, lastError, nextAttemptAt };
}
