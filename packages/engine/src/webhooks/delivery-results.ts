/**
 * Stores the results of many attempts together: the state of each delivery, the end of its job, the event's mark and the
 * effect on the webhook (auto-disable, reset). A result whose job is no longer held is dropped.
 */
import {
  applyDeliveryStatus,
  isUnchangedByDelivery,
  type WebhookEndpointState,
} from '@svc/domain/webhooks/webhook-endpoint';
import { endJobs } from '../queue/job-ends.ts';
import type { Database, Db } from '../store/database/db.ts';
import { type DeliveryResult, storePlainResults, storeStates } from './delivery-results.sql.ts';
import { lockWebhooks, setWebhookState } from './webhook-deliveries.sql.ts';

/**
 * Stores results in their order, all or none. Returns for each whether it was stored; false means that its job is no longer
 * held or, unless `isWebhookChanged`, that the webhook has changed.
 */
export async function storeDeliveryResults(db: Database, results: readonly DeliveryResult[]): Promise<boolean[]> {
  // Together, because the order decides how many deliveries of a webhook in a row are DEAD.
  const isCounted = results.some((result) => result.isWebhookChanged === true || changesWebhook(result));
  const stored = new Set(
    await (isCounted ? db.transaction((tx) => storeCountedResults(tx, results)) : storePlainResults(db, results)),
  );
  return results.map((_result, index) => stored.has(index));
}

function changesWebhook({ delivery, state }: DeliveryResult): boolean {
  return !isUnchangedByDelivery(delivery.webhook, state.status);
}

/** Stores results while their webhooks are locked, and counts DEAD deliveries. Returns the positions of the stored ones. */
async function storeCountedResults(tx: Db, results: readonly DeliveryResult[]): Promise<number[]> {
  const ends = results.map(({ end }) => end);
  // First, so that a worker without its leases stops before it changes anything.
  const positions = new Set(await endJobs(tx, ends));
  const held = results.filter((_result, index) => positions.has(index));
  if (held.length === 0) return [];
  const webhooks = await lockWebhooks(tx, [...new Set(held.map(({ delivery }) => delivery.webhook.id))]);
  await storeStates(tx, held);
  for (const [id, webhook] of webhooks) {
    const after = held
      .filter(({ delivery }) => delivery.webhook.id === id)
      .reduce<WebhookEndpointState>((before, { state, at }) => applyDeliveryStatus(before, state.status, at), webhook);
    if (after !== webhook) await setWebhookState(tx, id, after);
  }
  return [...positions];
}
