import type { Access } from '@svc/domain/requests/access';
import type { NamedRow } from '@svc/domain/requests/list-filters';
import type { DestinationRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';

const SELECT = `select d.id, d.url, d.description, d.connection_id as "connectionId",
    coalesce((select json_agg(json_build_object('sourceId', b.source_id, 'eventTypes', b.event_types,
        'isDelayed', b.is_delayed))
      from destination_bindings b where b.destination_id = d.id), '[]') as bindings,
    d.created_at as "createdAt"
  from destinations d`;

/** Returns the destinations this access sees by ascending id. */
export async function listDestinations(db: Db, access: Access): Promise<DestinationRow[]> {
  const { rows } = await db.query<DestinationRow>(
    { name: 'destinations-list', text: `${SELECT} where d.connection_id = any($1) order by d.id` },
    [access.connectionIds],
  );
  return rows;
}

/** Returns the destination; null when it does not exist for this access. */
export async function getDestination(db: Db, access: Access, id: number): Promise<DestinationRow | null> {
  const { rows } = await db.query<DestinationRow>(
    { name: 'destinations-get', text: `${SELECT} where d.id = $1 and d.connection_id = any($2)` },
    [id, access.connectionIds],
  );
  return rows[0] ?? null;
}

/** Returns whether any connection of this access has a destination. */
export async function hasDestinations(db: Db, access: Access): Promise<boolean> {
  const { rowCount } = await db.query(
    { name: 'destinations-any', text: 'select from destinations where connection_id = any($1) limit 1' },
    [access.connectionIds],
  );
  return rowCount > 0;
}

/** Returns the destination that a filter names. */
export async function findNamedDestination(db: Db, id: number): Promise<NamedRow> {
  const { rows } = await db.query<{ connectionId: number }>(
    { name: 'destinations-named', text: 'select connection_id as "connectionId" from destinations where id = $1' },
    [id],
  );
  return { id, connectionId: rows[0]?.connectionId ?? null };
}
