import { build, type Db } from '../../store/database/db.ts';

export async function insertDestination(
  db: Db,
  destination: { connection_id: number; url: string; description: string; created_at: Date },
): Promise<number> {
  const [row] = await db.run(build.insertInto('destinations').values(destination).returning('id').compile());
  if (!row) throw new Error('The destination was not stored.');
  return row.id;
}

/** @returns the destination's connection; null when there is no such destination */
export async function updateDestination(
  db: Db,
  id: number,
  changes: { url?: string | undefined; description?: string | undefined },
): Promise<number | null> {
  const statement = build.updateTable('destinations').set(changes).where('id', '=', id).returning('connection_id');
  const [row] = await db.run(statement.compile());
  return row?.connection_id ?? null;
}

export interface BindingColumns {
  destination_id: number;
  source_id: number;
  event_types: string[];
  is_delayed: boolean;
}

/** Creates or replaces the binding. */
export async function setBinding(db: Db, binding: BindingColumns): Promise<void> {
  const { event_types, is_delayed } = binding;
  const statement = build
    .insertInto('destination_bindings')
    .values(binding)
    .onConflict((conflict) =>
      conflict.columns(['destination_id', 'source_id']).doUpdateSet({ event_types, is_delayed }),
    );
  await db.run(statement.compile());
}

/** @returns whether the binding existed */
export async function deleteBinding(db: Db, destinationId: number, sourceId: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from destination_bindings where destination_id = $1 and source_id = $2', [
    destinationId,
    sourceId,
  ]);
  return rowCount > 0;
}
