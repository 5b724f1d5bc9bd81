/** The contract's `WebhookDelivery`. The stored `webhookId` is shown as `endpointId`. */
import type { WebhookDelivery } from '@svc/contract/types';
import type { WebhookDeliveryState } from '../webhooks/webhook-delivery.ts';
import { toIsoOrNull } from './timestamp.ts';

export interface WebhookDeliveryRow extends Omit<WebhookDeliveryState, 'nextAttemptAt'> {
  readonly id: string;
  readonly webhookId: string;
  readonly replayOfDeliveryId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function toWebhookDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    endpointId: row.webhookId,
    status: row.status,
    attemptCount: row.attemptCount,
    lastAttemptAt: toIsoOrNull(row.lastAttemptAt),
    lastHttpStatus: row.lastHttpStatus,
    lastError: row.lastError,
    replayOfDeliveryId: row.replayOfDeliveryId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
