/** Finds the rows of a world by their ids, and checks the ids of account, connection and source that a row has. */
import type { MaterializedWorld, World, WorldEntity } from './schema.ts';

/** A problem of a world; `path` is like `apiKeys[2].connectionId`. */
export interface WorldProblem {
  readonly path: string;
  readonly message: string;
}

/** Records a problem at `entity[index].field`. */
export type Report = (entity: WorldEntity, index: number, field: string, message: string) => void;

/** A row of a world file or of a loaded world. The checks do not depend on the type of instants. */
type CheckedRow<Entity extends WorldEntity> = World[Entity][number] | MaterializedWorld[Entity][number];
export type CheckedWorld = { readonly [Entity in WorldEntity]: readonly CheckedRow<Entity>[] };

type IdOf<Row> = Row extends { id: infer Id } ? Id : never;
type ById<Entity extends WorldEntity> = Pick<ReadonlyMap<IdOf<CheckedRow<Entity>>, CheckedRow<Entity>>, 'get' | 'has'>;

/** Rows by id, to check references. */
export interface WorldIndex {
  readonly accounts: ById<'accounts'>;
  readonly connections: ById<'connections'>;
  readonly sources: ById<'sources'>;
  readonly destinations: ById<'destinations'>;
  readonly requests: ById<'requests'>;
  readonly webhooks: ById<'webhooks'>;
  readonly events: ById<'events'>;
  readonly webhookDeliveries: ById<'webhookDeliveries'>;
}

export function indexWorld(world: CheckedWorld): WorldIndex {
  return {
    accounts: byId(world.accounts),
    connections: byId(world.connections),
    sources: byId(world.sources),
    destinations: byId(world.destinations),
    requests: byId(world.requests),
    webhooks: byId(world.webhooks),
    events: byId(world.events),
    webhookDeliveries: byId(world.webhookDeliveries),
  };
}

function byId<Id, Row extends { id: Id }>(rows: readonly Row[]): ReadonlyMap<Row['id'], Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** The account, connection and source of a row; absent fields are not checked. */
export interface RowReferences {
  readonly accountId?: number;
  readonly connectionId?: number | null;
  readonly sourceId?: number | null;
}

/**
 * Checks that account, connection and source of a row exist, that the connection belongs to the account and the source to the
 * connection.
 * @param field the field that holds the source's id
 */
export function checkReferences(
  entity: WorldEntity,
  rowIndex: number,
  row: RowReferences,
  index: WorldIndex,
  report: Report,
  field = 'sourceId',
): void {
  const { accountId, connectionId, sourceId } = row;
  if (accountId !== undefined && !index.accounts.has(accountId)) {
    report(entity, rowIndex, 'accountId', `there is no account ${accountId}`);
  }
  if (connectionId !== undefined && connectionId !== null) {
    const connection = index.connections.get(connectionId);
    if (connection === undefined) {
      report(entity, rowIndex, 'connectionId', `there is no connection ${connectionId}`);
    } else if (accountId !== undefined && connection.accountId !== accountId) {
      report(entity, rowIndex, 'connectionId', `connection ${connectionId} is not of account ${accountId}`);
    }
  }
  if (sourceId !== undefined && sourceId !== null) {
    const source = index.sources.get(sourceId);
    if (source === undefined) {
      report(entity, rowIndex, field, `there is no source ${sourceId}`);
    } else if (source.connectionId !== connectionId) {
      report(entity, rowIndex, field, `source ${sourceId} is not on connection ${connectionId ?? null}`);
    }
  }
}
