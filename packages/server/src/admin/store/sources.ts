import { build, type Db } from '../../store/database/db.ts';

export interface NewSource {
  connection_id: number;
  platform: string;
  path: string;
  create_or_update_company: boolean;
  create_or_update_task: boolean;
  assign_contact_owner: boolean;
  salesforce_object_type: string | null;
  created_at: Date;
}

/** @returns the new source's id, or null when another source has its path */
export async function insertSource(db: Db, source: NewSource): Promise<number | null> {
  const statement = build
    .insertInto('sources')
    .values(source)
    .onConflict((conflict) => conflict.column('path').doNothing())
    .returning('id');
  const [row] = await db.run(statement.compile());
  return row?.id ?? null;
}

interface SourceConfigColumns {
  create_or_update_company?: boolean | undefined;
  create_or_update_task?: boolean | undefined;
  assign_contact_owner?: boolean | undefined;
  salesforce_object_type?: string | null | undefined;
}

export async function updateSource(db: Db, id: number, changes: SourceConfigColumns): Promise<void> {
  await db.run(build.updateTable('sources').set(changes).where('id', '=', id).compile());
}
