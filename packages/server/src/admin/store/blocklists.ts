import type { BlockType } from '@svc/contract/vocabulary';
import { build, type Db } from '../../store/database/db.ts';

export interface NewBlocklist {
  connectionId: number;
  listName: string;
  crm: string | null;
  crmListId: string | null;
  platform: string;
  blockType: BlockType;
  clientId: string | null;
  at: Date;
}

/** Inserts an enabled list without a token, which waits for its first fetch. */
export async function insertBlocklist(db: Db, list: NewBlocklist): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `insert into blocklists (connection_id, list_name, crm, crm_list_id, platform, block_type, status, is_enabled,
        client_id, created_at)
      values ($1, $2, $3, $4, $5, $6, 'CREATED', true, $7, $8) returning id`,
    [list.connectionId, list.listName, list.crm, list.crmListId, list.platform, list.blockType, list.clientId, list.at],
  );
  const [row] = rows;
  if (!row) throw new Error('The block list was not stored.');
  return row.id;
}

/** Changes the given columns of an existing list. */
export async function updateBlocklist(
  db: Db,
  id: number,
  changes: {
    list_name: string | undefined;
    crm: string | undefined;
    crm_list_id: string | undefined;
    client_id: string | null | undefined;
  },
): Promise<void> {
  await db.run(build.updateTable('blocklists').set(changes).where('id', '=', id).compile());
}

/** @returns the list's connection; null when there is no such list */
export async function setSequencerToken(db: Db, id: number, sealedToken: string): Promise<number | null> {
  const { rows } = await db.query<{ connectionId: number }>(
    `update blocklists set sequencer_token = $2 where id = $1 returning connection_id as "connectionId"`,
    [id, sealedToken],
  );
  return rows[0]?.connectionId ?? null;
}
