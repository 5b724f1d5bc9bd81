/** Actions on webhooks that need more than one statement. */
import type { Access } from '@svc/domain/requests/access';
import { notFound } from '@svc/domain/errors/errors';
import { testPingEvent } from '@svc/domain/webhooks/event-types';
import {
  ID_RANDOM_BYTES,
  newEventId,
  newSecret,
  newWebhookId,
  SECRET_RANDOM_BYTES,
} from '@svc/domain/values/resource-ids';
import type { WebhookDeliveryRow, WebhookRow } from '@svc/domain/resources';
import {
  applyPatch,
  assertBelowWebhookLimit,
  type CreateWebhook,
  type WebhookPatch,
} from '@svc/domain/webhooks/webhook-endpoint';
import { privateTargetError } from '@svc/domain/webhooks/webhook-url';
import type { Context } from '../context.ts';
import { lockAccount } from '../store/accounts.ts';
import type { Db } from '../store/database/db.ts';
import { insertEvent } from '../store/events.ts';
import { findDeliveryOfWebhook, lockWebhook, setWebhookState } from './webhook-deliveries.sql.ts';
import * as webhooks from '../store/webhooks.ts';
import { queueDelivery } from './platform-events.ts';

export interface WebhookWithSecret {
  webhook: WebhookRow;
  /** In clear text, for the one answer that shows it. */
  secret: string;
}

/** @throws ApiError 400 when the URL resolves to a private address, or the account has reached its limit of webhooks */
export async function createWebhook(ctx: Context, access: Access, wanted: CreateWebhook): Promise<WebhookWithSecret> {
  await assertReachable(ctx, wanted.url);
  const now = ctx.clock.now();
  const id = newWebhookId(now, ctx.randomBytes(ID_RANDOM_BYTES));
  const secret = newWebhookSecret(ctx);
  await ctx.db.transaction(async (tx) => {
    // Concurrent calls cannot exceed the limit.
    await lockAccount(tx, access.accountId);
    assertBelowWebhookLimit(await webhooks.countWebhooks(tx, access));
    const { accountId } = access;
    await webhooks.insertWebhook(tx, { ...wanted, id, accountId, sealedSecret: sealSecret(ctx, id, secret), at: now });
  });
  return { webhook: await requireWebhook(ctx.db, access, id), secret };
}

export async function updateWebhook(
  ctx: Context,
  access: Access,
  id: string,
  patch: WebhookPatch,
): Promise<WebhookRow> {
  await requireWebhook(ctx.db, access, id);
  if (patch.url !== undefined) await assertReachable(ctx, patch.url);
  await ctx.db.transaction(async (tx) => {
    const before = await lockWebhook(tx, id);
    if (before) await setWebhookState(tx, id, applyPatch(before, patch, ctx.clock.now()));
  });
  return requireWebhook(ctx.db, access, id);
}

/** Pending deliveries are given up by their next attempt. */
export async function deleteWebhook(ctx: Context, access: Access, id: string): Promise<void> {
  await requireWebhook(ctx.db, access, id);
  await webhooks.markWebhookDeleted(ctx.db, id, ctx.clock.now());
}

/** The new secret signs from the next attempt on. */
export async function rotateSecret(ctx: Context, access: Access, id: string): Promise<WebhookWithSecret> {
  await requireWebhook(ctx.db, access, id);
  const secret = newWebhookSecret(ctx);
  await webhooks.setWebhookSecret(ctx.db, id, sealSecret(ctx, id, secret), ctx.clock.now());
  return { webhook: await requireWebhook(ctx.db, access, id), secret };
}

/** Sends a `test.ping` to this webhook alone, active or not. Returns the event's id. */
export async function testWebhook(ctx: Context, access: Access, id: string): Promise<string> {
  const now = ctx.clock.now();
  const eventId = newEventId(now, ctx.randomBytes(ID_RANDOM_BYTES));
  await ctx.db.transaction(async (tx) => {
    await requireWebhook(tx, access, id);
    const { accountId } = access;
    const account = { accountId, connectionId: null, sourceId: null };
    await insertEvent(tx, { ...testPingEvent(id), ...account, id: eventId, createdAt: now });
    await queueDelivery(ctx, tx, { accountId, eventId, webhookId: id });
  });
  ctx.wakeWorkers();
  return eventId;
}

/** Sends the delivery's event again as a new delivery, whatever the status of the original. */
export async function replayWebhookDelivery(
  ctx: Context,
  access: Access,
  webhookId: string,
  deliveryId: string,
): Promise<WebhookDeliveryRow> {
  const made = await ctx.db.transaction(async (tx) => {
    await requireWebhook(tx, access, webhookId);
    const original = await findDeliveryOfWebhook(tx, webhookId, deliveryId);
    if (!original) throw notFound('Delivery', deliveryId);
    const { eventId } = original;
    const { accountId } = access;
    const id = await queueDelivery(ctx, tx, { accountId, eventId, webhookId, replayOfDeliveryId: deliveryId });
    return findDeliveryOfWebhook(tx, webhookId, id);
  });
  if (!made) throw new Error('The replay was not stored.');
  ctx.wakeWorkers();
  return made;
}

async function requireWebhook(db: Db, access: Access, id: string): Promise<WebhookRow> {
  const webhook = await webhooks.getWebhook(db, access, id);
  if (!webhook) throw notFound('Webhook', id);
  return webhook;
}

/** @throws ApiError 400 when the name resolves to a private address now */
export async function assertReachable(ctx: Pick<Context, 'outbound'>, url: string): Promise<void> {
  if (!(await ctx.outbound.isAllowed(url))) throw privateTargetError();
}

function newWebhookSecret(ctx: Context): string {
  return newSecret(ctx.branding.secretPrefix, ctx.randomBytes(SECRET_RANDOM_BYTES));
}

function sealSecret(ctx: Context, id: string, secret: string): string {
  return ctx.secrets.encrypt(secret, { kind: 'webhook signing secret', id });
}
