import type { World, WorldEntity } from './schema.ts';

/** One thing that is wrong with a world, and where: `apiKeys[2].connectionId`. */
export interface WorldProblem {
  readonly path: string;
  readonly message: string;
}

/** Notes a problem at `entity[index].field`. */
export type Report = (entity: WorldEntity, index: number, field: string, message: string) => void;

type RowOf<Entity extends WorldEntity> = World[Entity][number];
type ById<Entity extends WorldEntity> = ReadonlyMap<RowOf<Entity> extends { id: infer Id } ? Id : never, RowOf<Entity>>;

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

export function indexWorld(world: World): WorldIndex {
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
