/**
 * The contract's `WebhookEndpoint`.
 *
 * The rule: only the answers of create and rotate show the secret, so a separate mapper adds it.
 */
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '@svc/contract/types';
import { sortedUnique } from '../values/order.ts';
import { toIsoOrNull } from './timestamp.ts';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** Empty: all subscribable event types. */
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

/** @param secret in clear text */
export function toWebhookEndpointWithSecret(row: WebhookRow, secret: string): WebhookEndpointWithSecret {
  return { ...toWebhookEndpoint(row), secret };
}
