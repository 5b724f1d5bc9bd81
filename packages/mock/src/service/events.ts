/**
 * Platform events of a world (`listEvents`; `domain/src/syncs/sync-health.ts`): the outcome of a sync changes the
 * health of its source and connection, which may emit an event with a delivery for every subscribed webhook.
 */
import type { SyncStatus } from '@svc/contract/vocabulary';
import { ID_RANDOM_BYTES, newEventId, newWebhookDeliveryId } from '@svc/domain/values/resource-ids';
import { HEALTHY, nextSyncHealth, syncFailedEvent, syncRecoveredEvent } from '@svc/domain/syncs/sync-health';
import { type EventAudience, newWebhookDelivery, withholdReason } from '@svc/domain/webhooks/webhook-delivery';
import { subscribes } from '@svc/domain/webhooks/webhook-endpoint';
import type { ConnectionRow, EventRow, SourceRow, SyncHealthRow, WebhookDeliveryRow } from '@svc/domain/world';
import { addRow } from '../state/log.ts';
import { randomBytes } from '../state/random.ts';
import { connectionsById } from '../state/row-indexes.ts';
import { addJob } from '../state/world-data.ts';
import { update, type World } from '../state/world.ts';

export interface SyncOutcome {
  readonly source: SourceRow;
  readonly connection: ConnectionRow;
  readonly status: SyncStatus;
  readonly error: unknown;
  readonly at: Date;
}

/** Updates the sync health, and emits an event when an incident begins or ends. */
export function applySyncOutcome(world: World, outcome: SyncOutcome, dashboardUrl: string): void {
  const { source, connection, error, at } = outcome;
  const pair = { sourceId: source.id, connectionId: connection.id };
  const { syncHealth } = world.state.data;
  const known = syncHealth.find((row) => isPair(row, pair));
  const before = known ?? HEALTHY;
  const { state, transition } = nextSyncHealth(before, outcome);
  const after: SyncHealthRow = { ...pair, ...state };
  const others = syncHealth.filter((row) => row !== known);
  update(world, { data: { ...world.state.data, syncHealth: [...others, after] } });
  if (transition === null) return;
  const subject = { ...pair, crm: connection.crm, sourcePlatform: source.platform };
  const event =
    transition === 'failed'
      ? syncFailedEvent(subject, { error, dashboardUrl })
      : syncRecoveredEvent(subject, before.failingSince ?? at);
  emitEvent(world, { ...event, data: { ...event.data }, ...pair, accountId: connection.accountId, createdAt: at });
}

function isPair(row: SyncHealthRow, pair: { readonly sourceId: number; readonly connectionId: number }): boolean {
  return row.sourceId === pair.sourceId && row.connectionId === pair.connectionId;
}

/** Inserts the event and a delivery for every subscribed webhook of the account. */
export function emitEvent(world: World, event: Omit<EventRow, 'id'>): EventRow {
  const row = insertEvent(world, event);
  if (withholdReason(audienceOf(world, event)) !== null) return row;
  for (const webhook of world.state.data.webhooks) {
    if (webhook.accountId !== event.accountId || webhook.deletedAt !== null) continue;
    if (subscribes(webhook, event.type)) {
      queueDelivery(world, { eventId: row.id, webhookId: webhook.id, at: event.createdAt });
    }
  }
  return row;
}

/** Returns the facts that decide whether the event may be delivered to webhooks. */
export function audienceOf(
  { state: { data } }: World,
  { accountId, connectionId }: Pick<EventRow, 'accountId' | 'connectionId'>,
): EventAudience {
  const canUseWebhooks = data.accounts.find(({ id }) => id === accountId)?.canUseWebhooks ?? false;
  const canUseApi =
    connectionId === null ? null : (connectionsById(data.connections).get(connectionId)?.canUseApi ?? false);
  return { canUseWebhooks, canUseApi };
}

/** Inserts the event without deliveries. */
export function insertEvent(world: World, event: Omit<EventRow, 'id'>): EventRow {
  const row: EventRow = { ...event, id: newEventId(event.createdAt, randomBytes(world, ID_RANDOM_BYTES)) };
  const { data } = world.state;
  update(world, { data: { ...data, events: addRow(data.events, row) } });
  return row;
}

/** Creates a delivery that is due at once. */
export function queueDelivery(
  world: World,
  target: {
    readonly eventId: string;
    readonly webhookId: string;
    readonly replayOfDeliveryId?: string;
    readonly at: Date;
  },
): WebhookDeliveryRow {
  const { eventId, webhookId, replayOfDeliveryId = null, at } = target;
  const row: WebhookDeliveryRow = {
    ...newWebhookDelivery(at),
    id: newWebhookDeliveryId(at, randomBytes(world, ID_RANDOM_BYTES)),
    eventId,
    webhookId,
    replayOfDeliveryId,
    createdAt: at,
    updatedAt: at,
  };
  const { data } = world.state;
  const withRow = { ...data, webhookDeliveries: addRow(data.webhookDeliveries, row) };
  update(world, { data: addJob(withRow, { kind: 'deliver-webhook', deliveryId: row.id }, at) });
  return row;
}
