/**
 * Specification, "Webhook (`WebhookEndpoint`)".
 *
 * The rule: the secret is in two answers only, those of create and rotate, and a mapper of its own adds it there.
 */
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '@svc/contract/types';
import { sortedUnique } from '../values/order.ts';
import { toIsoOrNull } from './timestamp.ts';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** Empty: all that can be subscribed to. */
  readonly enabledEvents: readonly string[];
  readonly isActive: boolean;
  readonly autoDisabledAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function toWebhookEndpoint(row: WebhookRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    enabledEvents: sortedUnique(row.enabledEvents),
    isActive: row.isActive,
    autoDisabledAt: toIsoOrNull(row.autoDisabledAt),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** `secret` in clear text: only for the answers that show it once. */
export function toWebhookEndpointWithSecret(row: WebhookRow, secret: string): WebhookEndpointWithSecret {
  return { ...toWebhookEndpoint(row), secret };
}
