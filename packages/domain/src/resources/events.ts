/**
 * Specification, "Platform event".
 *
 * The rule: an event counts as delivered once a single delivery of it, to whichever webhook, tests and replays included,
 * has SUCCEEDED. Its deliveries come newest first, as in the list of a webhook's deliveries.
 */
import type { PlatformEvent, PlatformEventWithDeliveries } from '@svc/contract/types';
import type { WebhookDeliveryStatus } from '@svc/contract/vocabulary';
import { sortKeysDeep } from '../values/sort-keys.ts';
import { compareNewestFirst } from '../requests/page.ts';
import { toWebhookDelivery, type WebhookDeliveryRow } from './webhook-deliveries.ts';

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly summary: string;
  readonly data: PlatformEvent['data'];
  /** Null, like `sourceId`, when the event is about the account. */
  readonly connectionId: number | null;
  readonly sourceId: number | null;
  readonly createdAt: Date;
}

/** `delivered` as `isDelivered` says it, for a list whose deliveries are not read. */
export function toPlatformEvent(row: EventRow, delivered: boolean): PlatformEvent {
  return {
    id: row.id,
    type: row.type,
    summary: row.summary,
    data: sortKeysDeep(row.data),
    connectionId: row.connectionId,
    sourceId: row.sourceId,
    delivered,
    createdAt: row.createdAt.toISOString(),
  };
}

/** @param deliveries every delivery of this event, in any order */
export function toPlatformEventWithDeliveries(
  row: EventRow,
  deliveries: readonly WebhookDeliveryRow[],
): PlatformEventWithDeliveries {
  return {
    ...toPlatformEvent(row, isDelivered(deliveries)),
    deliveries: deliveries.toSorted(compareNewestFirst).map(toWebhookDelivery),
  };
}

/** Whether an event with these deliveries has reached a webhook. */
export function isDelivered(deliveries: readonly { readonly status: WebhookDeliveryStatus }[]): boolean {
  return deliveries.some(({ status }) => status === 'SUCCEEDED');
}
