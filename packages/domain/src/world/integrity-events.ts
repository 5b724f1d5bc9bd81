import type { CheckedWorld, Report, WorldIndex } from './integrity-index.ts';
import { checkReferences } from './integrity-references.ts';

/** Checks webhooks, events and webhook deliveries. */
export function checkEvents(world: CheckedWorld, index: WorldIndex, report: Report): void {
  world.webhooks.forEach((row, at) => {
    checkReferences('webhooks', at, { accountId: row.accountId }, index, report);
    if (row.autoDisabledAt !== null && row.isActive) {
      report('webhooks', at, 'isActive', 'must be false on a webhook that was auto-disabled');
    }
  });

  world.events.forEach((row, at) => checkReferences('events', at, row, index, report));

  world.webhookDeliveries.forEach((row, at) => {
    const event = index.events.get(row.eventId);
    const webhook = index.webhooks.get(row.webhookId);
    if (event === undefined) {
      report('webhookDeliveries', at, 'eventId', `there is no event ${row.eventId}`);
    }
    if (webhook === undefined) {
      report('webhookDeliveries', at, 'webhookId', `there is no webhook ${row.webhookId}`);
    }
    if (event !== undefined && webhook !== undefined && event.accountId !== webhook.accountId) {
      report('webhookDeliveries', at, 'webhookId', `webhook ${row.webhookId} is of another account than the event`);
    }

    if (row.replayOfDeliveryId !== null) {
      const original = index.webhookDeliveries.get(row.replayOfDeliveryId);
      if (original === undefined || original === row) {
        report('webhookDeliveries', at, 'replayOfDeliveryId', `there is no other delivery ${row.replayOfDeliveryId}`);
      } else if (original.eventId !== row.eventId || original.webhookId !== row.webhookId) {
        const message = `delivery ${row.replayOfDeliveryId} is of another event or webhook`;
        report('webhookDeliveries', at, 'replayOfDeliveryId', message);
      }
    }

    if ((row.status === 'PENDING') !== (row.nextAttemptAt !== null)) {
      report('webhookDeliveries', at, 'nextAttemptAt', 'must be set exactly while the delivery is PENDING');
    }
    if ((row.attemptCount === 0) !== (row.lastAttemptAt === null)) {
      report('webhookDeliveries', at, 'lastAttemptAt', 'must be null exactly when attemptCount is 0');
    }
    if (row.attemptCount === 0 && row.lastHttpStatus !== null) {
      report('webhookDeliveries', at, 'lastHttpStatus', 'must be null when attemptCount is 0');
    }
    if (row.attemptCount === 0 && (row.status === 'SUCCEEDED' || row.status === 'DEAD')) {
      report('webhookDeliveries', at, 'attemptCount', `must be at least 1 when the delivery is ${row.status}`);
    }
  });
}
