/**
 * Checks between the rows of a world:
 *
 * 1. Ids, key tokens and source paths are unique. A pair of source and connection has at most one health row. An account does
 *    not exceed its number of webhooks.
 * 2. Every referenced id exists and belongs to the same account and connection as the row. A source has at most one relay.
 * 3. Dependent fields are set together: a connection key names its connection, and so on.
 */

import { LIMITS } from '@svc/contract/limits';
import {
  type CheckedWorld,
  indexWorld,
  type Report,
  type WorldIndex,
  type WorldProblem,
} from './integrity-references.ts';
import { checkConfiguration, checkEvents, checkLogs } from './integrity-rows.ts';
import type { World, WorldEntity } from './schema.ts';

/** Returns all problems between the rows of a world whose rows are each valid. */
export function findIntegrityProblems(world: World): WorldProblem[] {
  const problems: WorldProblem[] = [];
  const report: Report = (entity, index, field, message) => {
    problems.push({ path: `${entity}[${index}].${field}`, message });
  };

  checkUniqueness(world, report);
  checkAgreement(world, indexWorld(world), report);
  return problems;
}

/**
 * Checks some rows of a larger world by rules 2 and 3.
 * @param index finds every row of the whole world
 */
export function findRowProblems(rows: Partial<CheckedWorld>, index: WorldIndex): WorldProblem[] {
  const problems: WorldProblem[] = [];
  checkAgreement({ ...NO_ROWS, ...rows }, index, (entity, at, field, message) => {
    problems.push({ path: `${entity}[${at}].${field}`, message });
  });
  return problems;
}

const NO_ROWS: CheckedWorld = {
  accounts: [],
  apiKeys: [],
  connections: [],
  sources: [],
  destinations: [],
  replyRelays: [],
  blocklists: [],
  requests: [],
  syncs: [],
  deliveries: [],
  categorySignals: [],
  syncHealth: [],
  webhooks: [],
  events: [],
  webhookDeliveries: [],
};

function checkAgreement(world: CheckedWorld, index: WorldIndex, report: Report): void {
  checkConfiguration(world, index, report);
  checkLogs(world, index, report);
  checkEvents(world, index, report);
}

function checkUniqueness(world: World, report: Report): void {
  const unique = <Row>(
    entity: WorldEntity,
    rows: readonly Row[],
    field: string,
    valueOf: (row: Row) => string | number,
  ): void => {
    const firstIndexOf = new Map<string | number, number>();
    rows.forEach((row, index) => {
      const value = valueOf(row);
      const first = firstIndexOf.get(value);
      if (first === undefined) {
        firstIndexOf.set(value, index);
      } else {
        report(entity, index, field, `${value} is taken by ${entity}[${first}]`);
      }
    });
  };

  unique('accounts', world.accounts, 'id', (row) => row.id);
  unique('apiKeys', world.apiKeys, 'id', (row) => row.id);
  unique('apiKeys', world.apiKeys, 'token', (row) => row.token);
  unique('connections', world.connections, 'id', (row) => row.id);
  unique('sources', world.sources, 'id', (row) => row.id);
  unique('sources', world.sources, 'path', (row) => row.path);
  unique('destinations', world.destinations, 'id', (row) => row.id);
  unique('replyRelays', world.replyRelays, 'id', (row) => row.id);
  unique('blocklists', world.blocklists, 'id', (row) => row.id);
  unique('requests', world.requests, 'id', (row) => row.id);
  unique('syncs', world.syncs, 'id', (row) => row.id);
  unique('deliveries', world.deliveries, 'id', (row) => row.id);
  unique('syncHealth', world.syncHealth, 'sourceId', (row) => `${row.sourceId} on connection ${row.connectionId}`);
  unique('webhooks', world.webhooks, 'id', (row) => row.id);
  unique('events', world.events, 'id', (row) => row.id);
  unique('webhookDeliveries', world.webhookDeliveries, 'id', (row) => row.id);

  const liveWebhooks = new Map<number, number>();
  world.webhooks.forEach((row, index) => {
    if (row.deletedAt !== null) {
      return;
    }
    const live = (liveWebhooks.get(row.accountId) ?? 0) + 1;
    liveWebhooks.set(row.accountId, live);
    if (live > LIMITS.webhooksPerAccountMax) {
      report(
        'webhooks',
        index,
        'accountId',
        `account ${row.accountId} has over ${LIMITS.webhooksPerAccountMax} webhooks`,
      );
    }
  });
}
