import type { MaterializedWorld, World, WorldEntity } from './schema.ts';

/** One thing that is wrong with a world, and where: `apiKeys[2].connectionId`. */
export interface WorldProblem {
  readonly path: string;
  readonly message: string;
}

/** Notes a problem at `entity[index].field`. */
export type Report = (entity: WorldEntity, index: number, field: string, message: string) => void;

/** A row of a file, or of a world that was loaded: what is checked does not depend on how instants are written. */
type CheckedRow<Entity extends WorldEntity> = World[Entity][number] | MaterializedWorld[Entity][number];
export type CheckedWorld = { readonly [Entity in WorldEntity]: readonly CheckedRow<Entity>[] };

type IdOf<Row> = Row extends { id: infer Id } ? Id : never;
type ById<Entity extends WorldEntity> = Pick<ReadonlyMap<IdOf<CheckedRow<Entity>>, CheckedRow<Entity>>, 'get' | 'has'>;

/** Rows by id, for the checks that follow references. */
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
