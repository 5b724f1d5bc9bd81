/** Checks each row of a world against the rows that it refers to, and its dependent fields against each other. */
import { LIMITS } from '@svc/contract/limits';
import { type CheckedWorld, checkReferences, type Report, type WorldIndex } from './integrity-references.ts';

/** Checks keys, connections, sources, destinations, relays and block lists. */
export function checkConfiguration(world: CheckedWorld, index: WorldIndex, report: Report): void {
  world.apiKeys.forEach((row, at) => {
    checkReferences('apiKeys', at, row, index, report);
    if (row.connectionScope === 'connection' && row.connectionId === null) {
      report('apiKeys', at, 'connectionId', 'a key with connectionScope connection must name its connection');
    }
    if (row.connectionScope === 'account' && row.connectionId !== null) {
      report('apiKeys', at, 'connectionId', 'must be null on a key with connectionScope account');
    }
  });

  world.connections.forEach((row, at) =>
    checkReferences('connections', at, { accountId: row.accountId }, index, report),
  );
  world.sources.forEach((row, at) => checkReferences('sources', at, { connectionId: row.connectionId }, index, report));

  world.destinations.forEach((row, at) => {
    checkReferences('destinations', at, { connectionId: row.connectionId }, index, report);
    const bound = new Set<number>();
    row.bindings.forEach(({ sourceId }, bindingAt) => {
      const field = `bindings[${bindingAt}].sourceId`;
      checkReferences('destinations', at, { connectionId: row.connectionId, sourceId }, index, report, field);
      if (bound.has(sourceId)) {
        report('destinations', at, field, `source ${sourceId} is bound to this destination already`);
      }
      bound.add(sourceId);
    });
  });

  const relayOf = new Map<number, number>();
  world.replyRelays.forEach((row, at) => {
    checkReferences('replyRelays', at, { connectionId: row.connectionId }, index, report);
    row.sourceIds.forEach((sourceId, sourceAt) => {
      const field = `sourceIds[${sourceAt}]`;
      checkReferences('replyRelays', at, { connectionId: row.connectionId, sourceId }, index, report, field);
      const other = relayOf.get(sourceId);
      if (other !== undefined) {
        report('replyRelays', at, field, `source ${sourceId} has relay ${other} already`);
      }
      relayOf.set(sourceId, row.id);
    });
  });

  world.blocklists.forEach((row, at) =>
    checkReferences('blocklists', at, { connectionId: row.connectionId }, index, report),
  );
}

/** Checks requests, syncs, deliveries, category signals and sync health. */
export function checkLogs(world: CheckedWorld, index: WorldIndex, report: Report): void {
  world.requests.forEach((row, at) => {
    checkReferences('requests', at, row, index, report);
    if ((row.connectionId === null) !== (row.sourceId === null)) {
      report('requests', at, 'connectionId', 'must be null exactly when sourceId is: the source is gone');
    }
  });

  const checkPayload = (
    entity: 'syncs' | 'deliveries',
    at: number,
    payloadId: number | null,
    accountId: number,
  ): void => {
    if (payloadId === null) {
      return;
    }
    const request = index.requests.get(payloadId);
    if (request === undefined) {
      report(entity, at, 'payloadId', `there is no request ${payloadId}`);
    } else if (request.accountId !== accountId) {
      report(entity, at, 'payloadId', `request ${payloadId} is not of account ${accountId}`);
    }
  };

  world.syncs.forEach((row, at) => {
    checkReferences('syncs', at, row, index, report);
    checkPayload('syncs', at, row.payloadId, row.accountId);
  });

  world.deliveries.forEach((row, at) => {
    checkReferences('deliveries', at, row, index, report);
    checkPayload('deliveries', at, row.payloadId, row.accountId);
    const destination = index.destinations.get(row.destinationId);
    if (destination === undefined) {
      report('deliveries', at, 'destinationId', `there is no destination ${row.destinationId}`);
    } else if (destination.connectionId !== row.connectionId) {
      const message = `destination ${row.destinationId} is not on connection ${row.connectionId}`;
      report('deliveries', at, 'destinationId', message);
    }
    if (row.isHttpStatusInferred && row.httpStatus === null) {
      report('deliveries', at, 'httpStatus', 'must be set when isHttpStatusInferred is true');
    }
  });

  world.categorySignals.forEach((row, at) => checkReferences('categorySignals', at, row, index, report));

  world.syncHealth.forEach((row, at) => {
    checkReferences('syncHealth', at, row, index, report);
    const isFailing = row.consecutiveFailures >= LIMITS.syncFailuresBeforeAlert;
    if (isFailing !== (row.failingSince !== null)) {
      const message = `must be set exactly from ${LIMITS.syncFailuresBeforeAlert} consecutive failures on`;
      report('syncHealth', at, 'failingSince', message);
    }
  });
}

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
