import { LIMITS } from '@svc/contract/limits';
import { WEBHOOK_DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/access';
import { parseCursor } from '@svc/domain/cursor';
import { notFound } from '@svc/domain/errors';
import { buildPage } from '@svc/domain/page';
import { parseEnumFilter, parseLimit } from '@svc/domain/parameters';
import { parsePrefixedPathId } from '@svc/domain/resource-ids';
import { toWebhookDelivery, toWebhookEndpoint, type WebhookRow } from '@svc/domain/resources';
import type { Context } from '../context.ts';
import { authorizedRoute } from '../http/answer.ts';
import * as webhooks from '../store/webhooks.ts';

const PAGE = { default: LIMITS.webhookPageDefault, max: LIMITS.webhookPageMax };

export const listWebhooks = authorizedRoute(async (ctx, { access }) => {
  const rows = await webhooks.listWebhooks(ctx.db, access);
  return { json: { webhooks: rows.map(toWebhookEndpoint) } };
});

export const getWebhook = authorizedRoute(async (ctx, { access, params }) => ({
  json: toWebhookEndpoint(await findWebhook(ctx, access, params)),
}));

export const listWebhookDeliveries = authorizedRoute(async (ctx, { access, params, query }) => {
  const status = parseEnumFilter('status', query['status'], WEBHOOK_DELIVERY_STATUSES);
  const after = parseCursor('webhook-delivery', query['cursor']);
  const limit = parseLimit(query['limit'], PAGE);
  const webhook = await findWebhook(ctx, access, params);
  const rows = await webhooks.listWebhookDeliveries(ctx.db, webhook.id, { status, after, limit: limit + 1 });
  return { json: buildPage(rows, limit, (row) => row, toWebhookDelivery, 'webhook-delivery') };
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
