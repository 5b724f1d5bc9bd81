import { LIMITS } from '@svc/contract/limits';
import type { CheckedWorld, Report, WorldIndex } from './integrity-index.ts';
import { checkReferences } from './integrity-references.ts';

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
