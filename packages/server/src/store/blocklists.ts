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
