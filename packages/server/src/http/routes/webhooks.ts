import { LIMITS } from '@svc/contract/limits';
import { WEBHOOK_DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import { parseCursor } from '@svc/domain/requests/cursor';
import { notFound } from '@svc/domain/errors/errors';
import { buildPage } from '@svc/domain/requests/page';
import { parseEnumFilter, parseLimit } from '@svc/domain/requests/parameters';
import { parsePrefixedPathId } from '@svc/domain/values/resource-ids';
import {
  toWebhookDelivery,
  toWebhookEndpoint,
  toWebhookEndpointWithSecret,
  type WebhookRow,
} from '@svc/domain/resources';
import { parseCreateWebhook, parseWebhookPatch } from '@svc/domain/webhooks/webhook-endpoint';
import type { Context } from '@svc/engine/context';
import { authorizedRoute, logRoute } from '../answer.ts';
import * as service from '@svc/engine/webhooks/webhooks';
import * as webhooks from '@svc/engine/store/webhooks';

const PAGE = { default: LIMITS.webhookPageDefault, max: LIMITS.webhookPageMax };

export const listWebhooks = authorizedRoute(async (ctx, { access }) => {
  const rows = await webhooks.listWebhooks(ctx.db, access);
  return { json: { webhooks: rows.map(toWebhookEndpoint) } };
});

export const getWebhook = authorizedRoute(async (ctx, { access, params }) => ({
  json: toWebhookEndpoint(await findWebhook(ctx, access, params)),
}));

export const listWebhookDeliveries = logRoute(async (ctx, { access, params, query }) => {
  const status = parseEnumFilter('status', query['status'], WEBHOOK_DELIVERY_STATUSES);
  const after = parseCursor('webhook-delivery', query['cursor']);
  const limit = parseLimit(query['limit'], PAGE);
  const webhook = await findWebhook(ctx, access, params);
  const rows = await webhooks.listWebhookDeliveries(ctx.db, webhook.id, { status, after, limit: limit + 1 });
  return { json: buildPage(rows, limit, (row) => row, toWebhookDelivery, 'webhook-delivery') };
});

export const createWebhook = authorizedRoute(async (ctx, { access, body }) => {
  const { webhook, secret } = await service.createWebhook(ctx, access, parseCreateWebhook(body, ctx.outbound));
  return { json: toWebhookEndpointWithSecret(webhook, secret) };
});

export const updateWebhook = authorizedRoute(async (ctx, { access, params, body }) => {
  const patch = parseWebhookPatch(body, ctx.outbound);
  const webhook = await service.updateWebhook(ctx, access, parsePrefixedPathId('Webhook', params['id'] ?? ''), patch);
  return { json: toWebhookEndpoint(webhook) };
});

export const deleteWebhook = authorizedRoute(async (ctx, { access, params }) => {
  await service.deleteWebhook(ctx, access, parsePrefixedPathId('Webhook', params['id'] ?? ''));
  return {};
});

export const rotateWebhookSecret = authorizedRoute(async (ctx, { access, params }) => {
  const id = parsePrefixedPathId('Webhook', params['id'] ?? '');
  const { webhook, secret } = await service.rotateSecret(ctx, access, id);
  return { json: toWebhookEndpointWithSecret(webhook, secret) };
});

export const testWebhook = authorizedRoute(async (ctx, { access, params }) => {
  const eventId = await service.testWebhook(ctx, access, parsePrefixedPathId('Webhook', params['id'] ?? ''));
  return { json: { eventId } };
});

export const replayWebhookDelivery = authorizedRoute(async (ctx, { access, params }) => {
  const webhookId = parsePrefixedPathId('Webhook', params['id'] ?? '');
  const deliveryId = parsePrefixedPathId('Delivery', params['deliveryId'] ?? '');
  return { json: toWebhookDelivery(await service.replayWebhookDelivery(ctx, access, webhookId, deliveryId)) };
});

async function findWebhook(
  ctx: Context,
  access: Access,
  params: Readonly<Record<string, string>>,
): Promise<WebhookRow> {
  const id = parsePrefixedPathId('Webhook', params['id'] ?? '');
  const webhook = await webhooks.getWebhook(ctx.db, access, id);
  if (!webhook) throw notFound('Webhook', id);
  return webhook;
}
