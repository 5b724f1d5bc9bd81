/** Which encryption keys the running servers have, as they announce it on PostgreSQL. The embedded database has one server. */
import { ENCRYPTION_KEY_LOCK, SERVER_LOCK, type Database, type Db } from './database/db.ts';

/** Announces the keys of this server, so that commands and other servers know which secrets it can decrypt. */
export async function announceKeys(db: Database, keyIds: readonly string[]): Promise<void> {
  // A lock has signed numbers, and a key's id is 32 bits.
  for (const id of keyIds) await db.announce(ENCRYPTION_KEY_LOCK, Number.parseInt(id, 16) | 0);
}

/** Returns the ids of the keys of each running server; none for a server of a release that does not announce them. */
export async function listServerKeys(db: Db): Promise<string[][]> {
  const { rows } = await db.query<{ keys: string[] }>(
    `select array(
        select lpad(to_hex(key.objid::bigint), 8, '0') from pg_locks key
        where key.pid = server.pid and key.database = server.database and key.locktype = 'advisory' and key.objsubid = 2
          and key.classid::bigint = $2 and key.granted
      ) as keys
      from pg_locks server join pg_database d on d.oid = server.database
      where server.locktype = 'advisory' and server.objsubid = 1 and server.classid = 0 and server.objid::bigint = $1
        and server.mode = 'ShareLock' and server.granted and d.datname = current_database()`,
    [SERVER_LOCK, ENCRYPTION_KEY_LOCK],
  );
  return rows.map(({ keys }) => keys);
}
