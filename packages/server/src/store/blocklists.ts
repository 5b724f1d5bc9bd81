import type { Access } from '@svc/domain/access';
import type { BlocklistState } from '@svc/domain/blocklist';
import type { BlocklistRow } from '@svc/domain/resources';
import type { Db } from './db.ts';

const COLUMNS = `l.id, l.connection_id as "connectionId", l.list_name as "listName", l.crm, l.platform,
  l.block_type as "blockType", l.status, l.is_enabled as "isEnabled", l.client_id as "clientId",
  l.synced_count as "syncedCount", l.pending_count as "pendingCount", l.last_fetched_at as "lastFetchedAt",
  l.last_error as "lastError", l.last_attempted_at as "lastAttemptedAt", l.created_at as "createdAt"`;

/** The block lists of these connections, by ascending id. */
export async function listBlocklists(db: Db, connectionIds: readonly number[]): Promise<BlocklistRow[]> {
  const { rows } = await db.query<BlocklistRow>(
    {
      name: 'blocklists-list',
      text: `select ${COLUMNS} from blocklists l where l.connection_id = any($1) order by l.id`,
    },
    [connectionIds],
  );
  return rows;
}

const STATE_COLUMNS = `l.run, l.status, l.is_enabled as "isEnabled", l.synced_count as "syncedCount",
  l.pending_count as "pendingCount", l.last_fetched_at as "lastFetchedAt", l.last_error as "lastError",
  l.last_attempted_at as "lastAttemptedAt"`;

/** The list's state, locked until the caller's transaction ends; null when it does not exist for this access. */
export async function lockBlocklist(tx: Db, access: Access, id: number): Promise<BlocklistState | null> {
  const { rows } = await tx.query<BlocklistState>(
    {
      name: 'blocklists-lock',
      text: `select ${STATE_COLUMNS} from blocklists l where l.id = $1 and l.connection_id = any($2) for update`,
    },
    [id, access.connectionIds],
  );
  return rows[0] ?? null;
}

export async function setBlocklistState(tx: Db, id: number, state: BlocklistState): Promise<void> {
  await tx.query(
    {
      name: 'blocklists-set',
      text: `update blocklists set run = $2, status = $3, is_enabled = $4, synced_count = $5, pending_count = $6,
        last_fetched_at = $7, last_error = $8, last_attempted_at = $9 where id = $1`,
    },
    [
      id,
      state.run,
      state.status,
      state.isEnabled,
      state.syncedCount,
      state.pendingCount,
      state.lastFetchedAt,
      state.lastError,
      state.lastAttemptedAt,
    ],
  );
}
