import { LIMITS } from '@svc/contract/limits';
import { WEBHOOK_DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import { parseCursor } from '@svc/domain/requests/cursor';
import { notFound } from '@svc/domain/errors/errors';
import { sortByCreation } from '@svc/domain/values/order';
import { parseEnumFilter, parseLimit } from '@svc/domain/requests/parameters';
import {
  ID_RANDOM_BYTES,
  newSecret,
  newWebhookId,
  parsePrefixedPathId,
  SECRET_RANDOM_BYTES,
} from '@svc/domain/values/resource-ids';
import { toWebhookEndpoint, toWebhookEndpointWithSecret } from '@svc/domain/resources';
import type { WebhookDeliveryRow, WebhookRow } from '@svc/domain/world';
import { testPingEvent } from '@svc/domain/webhooks/event-types';
import {
  applyPatch,
  assertBelowWebhookLimit,
  parseCreateWebhook,
  parseWebhookPatch,
} from '@svc/domain/webhooks/webhook-endpoint';
import { findRow } from '../../state/log.ts';
import { randomBytes } from '../../state/random.ts';
import type { WorldData } from '../../state/world-data.ts';
import { updateData, type World } from '../../state/world.ts';
import { type AuthorizedCall, authorizedHandler } from '../call.ts';
import { insertEvent, queueDelivery } from '../events.ts';
import { readPage } from './log-query.ts';
import { webhookDeliveryOf } from './resources.ts';

const PAGE = { default: LIMITS.webhookPageDefault, max: LIMITS.webhookPageMax };

export const listWebhooks = authorizedHandler(({ world, access }) => {
  const rows = sortByCreation(webhooksOf(world.state.data, access));
  return { json: { webhooks: rows.map(toWebhookEndpoint) } };
});

export const getWebhook = authorizedHandler(({ world, access, params }) => ({
  json: toWebhookEndpoint(findWebhook(world.state.data, access, params['id'] ?? '')),
}));

export const listWebhookDeliveries = authorizedHandler(({ world, access, params, query }) => {
  const { data, settings } = world.state;
  const status = parseEnumFilter('status', query['status'], WEBHOOK_DELIVERY_STATUSES);
  const after = parseCursor('webhook-delivery', query['cursor']);
  const pageSize = parseLimit(query['limit'], PAGE);
  const webhook = findWebhook(data, access, params['id'] ?? '');
  const list = {
    rowType: 'webhook-delivery' as const,
    rows: data.webhookDeliveries,
    isVisible: (row: WebhookDeliveryRow) => row.webhookId === webhook.id,
    matches: (row: WebhookDeliveryRow) => status === undefined || row.status === status,
    toResource: webhookDeliveryOf,
  };
  return { json: readPage(list, { after, pageSize }, settings.scanCap) };
});

/** Returns the account's webhooks without deleted ones. */
function webhooksOf(data: WorldData, access: Access): WebhookRow[] {
  return data.webhooks.filter(({ accountId, deletedAt }) => accountId === access.accountId && deletedAt === null);
}

/**
 * @param raw the id in the path
 * @throws ApiError 404 when the account has no such webhook
 */
function findWebhook(data: WorldData, access: Access, raw: string): WebhookRow {
  const id = parsePrefixedPathId('Webhook', raw);
  const webhook = webhooksOf(data, access).find((row) => row.id === id);
  if (webhook === undefined) throw notFound('Webhook', id);
  return webhook;
}

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

/** Pending deliveries are given up at their next attempt. */
export const deleteWebhook = authorizedHandler((call) => {
  changeWebhook(call, (webhook) => ({ ...webhook, deletedAt: call.now }));
  return {};
});

/** The new secret signs every later attempt. */
export const rotateWebhookSecret = authorizedHandler((call) => {
  const secret = newWebhookSecret(call.world);
  const webhook = changeWebhook(call, (row) => ({ ...row, secret, updatedAt: call.now }));
  return { json: toWebhookEndpointWithSecret(webhook, secret) };
});

/** Sends a `test.ping` to this webhook, active or not. */
export const testWebhook = authorizedHandler(({ world, access, params, now }) => {
  const webhook = findWebhook(world.state.data, access, params['id'] ?? '');
  const { type, summary, data } = testPingEvent(webhook.id);
  const ofAccount = { accountId: access.accountId, connectionId: null, sourceId: null, createdAt: now };
  const event = insertEvent(world, { type, summary, data: { ...data }, ...ofAccount });
  queueDelivery(world, { eventId: event.id, webhookId: webhook.id, at: now });
  return { json: { eventId: event.id } };
});

/** Sends the delivery's event again in a new delivery, whatever the status of the old one. */
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
