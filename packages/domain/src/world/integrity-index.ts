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
