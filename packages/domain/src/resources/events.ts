/**
 * The contract's `PlatformEvent`.
 *
 * The rule: an event is delivered when at least one of its deliveries, tests and replays included, is SUCCEEDED. Its
 * deliveries are sorted newest first.
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

/** @param delivered the result of `isDelivered`, which a list gets from its query */
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

/** @param deliveries all deliveries of the event, in any order */
export function toPlatformEventWithDeliveries(
  row: EventRow,
  deliveries: readonly WebhookDeliveryRow[],
): PlatformEventWithDeliveries {
  return {
    ...toPlatformEvent(row, isDelivered(deliveries)),
    deliveries: deliveries.toSorted(compareNewestFirst).map(toWebhookDelivery),
  };
}

export function isDelivered(deliveries: readonly { readonly status: WebhookDeliveryStatus }[]): boolean {
  return deliveries.some(({ status }) => status === 'SUCCEEDED');
}
