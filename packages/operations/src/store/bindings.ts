/** Bindings of destinations and relays to sources. */
import type { Db } from '@svc/engine/store/database/db';

export interface DestinationBinding {
  destinationId: number;
  sourceId: number;
  eventTypes: readonly string[];
  isDelayed: boolean;
}

/** Creates the binding or replaces the existing one. */
export async function bindDestination(db: Db, binding: DestinationBinding): Promise<void> {
  await db.query(
    `insert into destination_bindings (destination_id, source_id, event_types, is_delayed) values ($1, $2, $3, $4)
      on conflict (destination_id, source_id) do update set event_types = $3, is_delayed = $4`,
    [binding.destinationId, binding.sourceId, binding.eventTypes, binding.isDelayed],
  );
}

/** @returns whether the destination was bound to the source */
export async function unbindDestination(db: Db, destinationId: number, sourceId: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from destination_bindings where destination_id = $1 and source_id = $2', [
    destinationId,
    sourceId,
  ]);
  return rowCount > 0;
}

/** Returns the connection of a relay, or null when there is no such relay. */
export async function findRelayConnection(db: Db, id: number): Promise<number | null> {
  const { rows } = await db.query<{ connectionId: number }>(
    'select connection_id as "connectionId" from reply_relays where id = $1',
    [id],
  );
  return rows[0]?.connectionId ?? null;
}

/**
 * Binds a relay to a source. A source has at most one relay, so an existing one is replaced.
 *
 * @returns the replaced relay, when it was another
 */
export async function bindRelay(tx: Db, relayId: number, sourceId: number): Promise<number | null> {
  // Concurrent bindings of one source wait for each other, so that each knows what it replaces.
  await tx.query('select from sources where id = $1 for update', [sourceId]);
  const { rows } = await tx.query<{ relayId: number }>(
    'select reply_relay_id as "relayId" from reply_relay_bindings where source_id = $1',
    [sourceId],
  );
  await tx.query(
    `insert into reply_relay_bindings (source_id, reply_relay_id) values ($1, $2)
      on conflict (source_id) do update set reply_relay_id = $2`,
    [sourceId, relayId],
  );
  const before = rows[0]?.relayId ?? null;
  return before === relayId ? null : before;
}

/** @returns whether the relay was bound to the source */
export async function unbindRelay(db: Db, relayId: number, sourceId: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from reply_relay_bindings where reply_relay_id = $1 and source_id = $2', [
    relayId,
    sourceId,
  ]);
  return rowCount > 0;
}
