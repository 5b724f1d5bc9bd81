import type { Insertable, Updateable } from 'kysely';
import { build, type Db } from '../../store/database/db.ts';
import type { SourceRow } from '../../store/database/tables.ts';

/** @returns the new source's id, or null when another source has its path */
export async function insertSource(db: Db, source: Insertable<SourceRow>): Promise<number | null> {
  const statement = build
    .insertInto('sources')
    .values(source)
    .onConflict((conflict) => conflict.column('path').doNothing())
    .returning('id');
  const [row] = await db.run(statement.compile());
  return row?.id ?? null;
}

export async function updateSource(db: Db, id: number, changes: Updateable<SourceRow>): Promise<void> {
  await db.run(build.updateTable('sources').set(changes).where('id', '=', id).compile());
}
