/**
 * One attempt of a webhook delivery (`domain/src/webhooks/webhook-delivery.ts`). The body's bytes are the same at every
 * attempt; timestamp and signature are new, made with the webhook's current secret. Deliveries that are claimed
 * together are read together, and results that arrive together are stored together.
 */
import { createHmac } from 'node:crypto';
import { LIMITS } from '@svc/contract/limits';
import {
  giveUp,
  giveUpReason,
  nextDelivery,
  toEnvelope,
  type WebhookDeliveryState,
  webhookHeaders,
} from '@svc/domain/webhooks/webhook-delivery';
import { createSignPayload } from '@svc/domain/webhooks/webhook-signature';
import type { Context } from '../context.ts';
import { activeSpan } from '../runtime/tracing.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { composeRef, DELIVER_WEBHOOK, fairnessKeys } from '../jobs/kinds.ts';
import { createBatcher } from '../store/database/batcher.ts';
import type { Database } from '../store/database/db.ts';
import { ANY_TIME, timesOf } from '../store/row-times.ts';
import type { DeliveryResult } from './delivery-results.sql.ts';
import { storeDeliveryResults } from './delivery-results.ts';
import { type DeliveryToAttempt, getDeliveriesToAttempt } from './webhook-deliveries.sql.ts';
import { noteJobEnd } from '../queue/job-ends.ts';
import { type ClaimedJob, finish, type NewJob } from '../queue/queue.ts';
import { type PostHandler, retryJitterMs } from '../queue/endpoint-jobs.ts';

export interface WebhookDeliveryTarget {
  readonly id: string;
  readonly accountId: number;
  readonly webhookId: string;
}

const OPENED_SECRETS_MAX = 1_000;

/** The outcome of an attempt that was not made because it could not be signed. */
const UNREADABLE_SECRET = {
  httpStatus: null,
  error:
    "The webhook's signing secret cannot be decrypted: rotate it, or give the server the key it was encrypted with",
};

export function deliverWebhookJob({ id, accountId, webhookId }: WebhookDeliveryTarget, now: Date): NewJob {
  const fairnessKey = fairnessKeys.webhook(accountId, webhookId);
  const trace = activeSpan()?.traceparent ?? null;
  return { kind: DELIVER_WEBHOOK, ref: composeRef(id), fairnessKey, dueAt: now, createdAt: now, trace };
}

export function createDeliverWebhookHandler(ctx: Context): PostHandler {
  const read = createBatcher<ClaimedJob, DeliveryToAttempt | null>({
    async run(jobs) {
      const byId = await readDeliveries(ctx.db, jobs);
      return jobs.map(({ ref }) => byId.get(ref) ?? null);
    },
  });
  const openSigningSecret = createSecretOpener(ctx);
  const store = createBatcher<DeliveryResult, boolean>({ run: (results) => storeDeliveryResults(ctx.db, results) });
  return async (job, mayStore) => {
    const delivery = await read(job);
    if (!delivery || delivery.state.status !== 'PENDING') {
      await finish(ctx.db, job);
      return;
    }
    const reason = giveUpReason(delivery.webhook, delivery);
    const state = reason === null ? await attempt(ctx, delivery, openSigningSecret) : giveUp(delivery.state, reason);
    await mayStore;
    const end = { job, dueAt: state.nextAttemptAt };
    const result = { end, delivery, state, at: ctx.clock.now() };
    noteJobEnd(end, (await store(result)) || (await store({ ...result, isWebhookChanged: true })));
    ctx.metrics.webhookDeliveries.inc({ status: state.status === 'PENDING' ? 'retry' : state.status });
  };
}

async function readDeliveries(db: Database, jobs: readonly ClaimedJob[]): Promise<Map<string, DeliveryToAttempt>> {
  const ids = jobs.map(({ ref }) => ref);
  // Jobs are as old as their deliveries.
  const deliveries = await getDeliveriesToAttempt(db, ids, timesOf(jobs.map(({ createdAt }) => createdAt)));
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const others = ids.filter((id) => !byId.has(id));
  if (others.length === 0) return byId;
  for (const delivery of await getDeliveriesToAttempt(db, others, ANY_TIME)) byId.set(delivery.id, delivery);
  return byId;
}

const sign = createSignPayload((secret, bytes) => createHmac('sha256', secret).update(bytes).digest());

async function attempt(
  ctx: Context,
  { id, event, webhook, state }: DeliveryToAttempt,
  openSigningSecret: (webhook: DeliveryToAttempt['webhook']) => string | null,
): Promise<WebhookDeliveryState> {
  const secret = openSigningSecret(webhook);
  if (secret === null) await ctx.assertKeys();
  const payload = JSON.stringify(toEnvelope(event));
  const timestampSeconds = Math.floor(ctx.clock.now().getTime() / 1_000);
  const { httpStatus, error } =
    secret === null
      ? UNREADABLE_SECRET
      : await ctx.outbound.post({
          url: webhook.url,
          headers: webhookHeaders(
            { eventId: event.id, deliveryId: id, signature: await sign({ payload, secret, timestampSeconds }) },
            ctx.branding,
          ),
          body: payload,
          timeoutMs: LIMITS.webhookAttemptTimeoutMs,
        });
  return nextDelivery(state, { httpStatus, error, at: ctx.clock.now() }, { jitterMs: retryJitterMs(ctx) });
}

/** Opens signing secrets, and remembers opened ones, because webhooks get many deliveries. */
function createSecretOpener(ctx: Context): (webhook: DeliveryToAttempt['webhook']) => string | null {
  const opened = new Map<string, string>();
  return ({ id, sealedSecret }) => {
    const place = `${id} ${sealedSecret}`;
    const known = opened.get(place);
    if (known !== undefined) return known;
    const secret = openSecret(ctx, sealedSecret, { kind: 'webhook signing secret', id });
    if (secret === null) return null;
    opened.set(place, secret);
    const [oldest] = opened.keys();
    if (opened.size > OPENED_SECRETS_MAX && oldest !== undefined) opened.delete(oldest);
    return secret;
  };
}
