import { LIMITS } from '@svc/contract/limits';
import { WEBHOOK_DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import { parseCursor } from '@svc/domain/requests/cursor';
import { notFound } from '@svc/domain/errors/errors';
import { sortByCreation } from '@svc/domain/values/order';
import { parseEnumFilter, parseLimit } from '@svc/domain/requests/parameters';
import { parsePrefixedPathId } from '@svc/domain/values/resource-ids';
import { toWebhookEndpoint } from '@svc/domain/resources';
import type { WebhookDeliveryRow, WebhookRow } from '@svc/domain/world';
import { authorizedHandler } from '../core/call.ts';
import { webhookDeliveryOf } from '../core/resources.ts';
import type { WorldData } from '../core/world-data.ts';
import { readPage } from './log-query.ts';

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

/** The webhooks of the account; deleted ones are gone. */
export function webhooksOf(data: WorldData, access: Access): WebhookRow[] {
  return data.webhooks.filter(({ accountId, deletedAt }) => accountId === access.accountId && deletedAt === null);
}

/**
 * @param raw the id in the path
 * @throws ApiError 404 when the account has no such webhook
 */
export function findWebhook(data: WorldData, access: Access, raw: string): WebhookRow {
  const id = parsePrefixedPathId('Webhook', raw);
  const webhook = webhooksOf(data, access).find((row) => row.id === id);
  if (webhook === undefined) throw notFound('Webhook', id);
  return webhook;
}
