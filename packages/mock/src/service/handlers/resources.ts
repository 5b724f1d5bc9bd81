/** API resources of log rows, cached per row. */
import type { PlatformEvent } from '@svc/contract/types';
import { toDelivery, toPlatformEvent, toRequestReceipt, toSync, toWebhookDelivery } from '@svc/domain/resources';
import type { DeliveryRow, EventRow, RequestRow, SyncRow, WebhookDeliveryRow } from '@svc/domain/world';
import { memoize } from '../../state/memoize.ts';

export const requestReceiptOf = memoize((row: RequestRow) => toRequestReceipt(row));
export const syncOf = memoize((row: SyncRow) => toSync(row));
export const deliveryOf = memoize((row: DeliveryRow) => toDelivery(row));
export const webhookDeliveryOf = memoize((row: WebhookDeliveryRow) => toWebhookDelivery(row));

const deliveredEventOf = memoize((row: EventRow) => toPlatformEvent(row, true));
const undeliveredEventOf = memoize((row: EventRow) => toPlatformEvent(row, false));

export function platformEventOf(row: EventRow, delivered: boolean): PlatformEvent {
  return delivered ? deliveredEventOf(row) : undeliveredEventOf(row);
}
