import { notFound } from '@svc/domain/errors/errors';
import { testPingEvent } from '@svc/domain/webhooks/event-types';
import {
  ID_RANDOM_BYTES,
  newSecret,
  newWebhookId,
  parsePrefixedPathId,
  SECRET_RANDOM_BYTES,
} from '@svc/domain/values/resource-ids';
import { toWebhookEndpoint, toWebhookEndpointWithSecret } from '@svc/domain/resources';
import {
  applyPatch,
  assertBelowWebhookLimit,
  parseCreateWebhook,
  parseWebhookPatch,
} from '@svc/domain/webhooks/webhook-endpoint';
import type { WebhookRow } from '@svc/domain/world';
import { type AuthorizedCall, authorizedHandler } from '../core/call.ts';
import { insertEvent, queueDelivery } from '../core/events.ts';
import { findRow } from '../core/log.ts';
import { randomBytes } from '../core/random.ts';
import { webhookDeliveryOf } from '../core/resources.ts';
import { updateData, type World } from '../core/world.ts';
import { findWebhook, webhooksOf } from './webhooks.ts';

export const createWebhook = authorizedHandler(({ world, access, body, now }) => {
  const wanted = parseCreateWebhook(body);
  assertBelowWebhookLimit(webhooksOf(world.state.data, access).length);
  const row: WebhookRow = {
    ...wanted,
    id: newWebhookId(now, randomBytes(world, ID_RANDOM_BYTES)),
    accountId: access.accountId,
    isActive: true,
    autoDisabledAt: null,
    consecutiveDeadCount: 0,
    secret: newWebhookSecret(world),
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
  updateData(world, { webhooks: [...world.state.data.webhooks, row] });
  return { json: toWebhookEndpointWithSecret(row, row.secret) };
});

export const updateWebhook = authorizedHandler((call) => {
  const patch = parseWebhookPatch(call.body);
  return { json: toWebhookEndpoint(changeWebhook(call, (webhook) => ({ ...applyPatch(webhook, patch, call.now) }))) };
});

/** Deliveries that are still to be made are given up by their next attempt. */
export const deleteWebhook = authorizedHandler((call) => {
  changeWebhook(call, (webhook) => ({ ...webhook, deletedAt: call.now }));
  return {};
});

/** The new secret signs from the next attempt on. */
export const rotateWebhookSecret = authorizedHandler((call) => {
  const secret = newWebhookSecret(call.world);
  const webhook = changeWebhook(call, (row) => ({ ...row, secret, updatedAt: call.now }));
  return { json: toWebhookEndpointWithSecret(webhook, secret) };
});

/** Sends a `test.ping` to this webhook alone, active or not. */
export const testWebhook = authorizedHandler(({ world, access, params, now }) => {
  const webhook = findWebhook(world.state.data, access, params['id'] ?? '');
  const { type, summary, data } = testPingEvent(webhook.id);
  const ofAccount = { accountId: access.accountId, connectionId: null, sourceId: null, createdAt: now };
  const event = insertEvent(world, { type, summary, data: { ...data }, ...ofAccount });
  queueDelivery(world, { eventId: event.id, webhookId: webhook.id, at: now });
  return { json: { eventId: event.id } };
});

/** Sends the delivery's event once more, whatever became of it, as a delivery of its own. */
export const replayWebhookDelivery = authorizedHandler(({ world, access, params, now }) => {
  const { data } = world.state;
  const id = parsePrefixedPathId('Webhook', params['id'] ?? '');
  const deliveryId = parsePrefixedPathId('Delivery', params['deliveryId'] ?? '');
  const webhook = findWebhook(data, access, id);
  const original = findRow(data.webhookDeliveries, deliveryId);
  if (original === null || original.webhookId !== webhook.id) throw notFound('Delivery', deliveryId);
  const { eventId } = original;
  const made = queueDelivery(world, { eventId, webhookId: webhook.id, replayOfDeliveryId: deliveryId, at: now });
  return { json: webhookDeliveryOf(made) };
});

function changeWebhook(
  { world, access, params }: AuthorizedCall,
  change: (webhook: WebhookRow) => WebhookRow,
): WebhookRow {
  const { data } = world.state;
  const changed = change(findWebhook(data, access, params['id'] ?? ''));
  updateData(world, { webhooks: data.webhooks.map((row) => (row.id === changed.id ? changed : row)) });
  return changed;
}

function newWebhookSecret(world: World): string {
  return newSecret(world.branding.secretPrefix, randomBytes(world, SECRET_RANDOM_BYTES));
}
