import type { ApiKeyScope, ConnectionScope } from '@svc/contract/vocabulary';
import type { Db } from './database/db.ts';

/** A valid key with the data of its account that every request needs. */
export interface AuthenticatedKey {
  id: number;
  name: string;
  scopes: ApiKeyScope[];
  connectionScope: ConnectionScope;
  connectionId: number | null;
  accountId: number;
  account: { id: number; email: string; canUseWebhooks: boolean };
  connections: { id: number; canUseApi: boolean }[];
  /** See `noteLastWrite`; null before the first one. */
  lastWriteLsn: string | null;
}

/** Returns the valid key with this hash; null when it is unknown, revoked, rotated or expired. */
export async function findKeyByHash(db: Db, tokenHash: Buffer, now: Date): Promise<AuthenticatedKey | null> {
  const { rows } = await db.query<AuthenticatedKey>(
    {
      name: 'api-keys-find',
      text: `select k.id, k.name, k.scopes, k.connection_scope as "connectionScope", k.connection_id as "connectionId",
          k.account_id as "accountId", k.last_write_lsn::text as "lastWriteLsn",
          json_build_object('id', a.id, 'email', a.email, 'canUseWebhooks', a.can_use_webhooks) as account,
          coalesce((select json_agg(json_build_object('id', c.id, 'canUseApi', c.can_use_api) order by c.id)
            from connections c where c.account_id = a.id), '[]') as connections
        from api_keys k join accounts a on a.id = k.account_id
        where k.token_hash = $1 and k.revoked_at is null and k.rotated_at is null
          and (k.expires_at is null or k.expires_at > $2)`,
    },
    [tokenHash, now],
  );
  return rows[0] ?? null;
}

/** Returns the ids of the keys with these hashes that are accepted now, in ascending order. */
export async function listAcceptedKeys(db: Db, tokenHashes: readonly Buffer[], now: Date): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from api_keys where token_hash = any($1) and revoked_at is null and rotated_at is null
        and (expires_at is null or expires_at > $2) order by id`,
    [tokenHashes, now],
  );
  return rows.map(({ id }) => id);
}

/** Stores when keys were last used; earlier instants than the stored ones change nothing. */
export async function setLastUsed(db: Db, uses: ReadonlyMap<number, Date>): Promise<void> {
  await db.query(
    `update api_keys set last_used_at = greatest(last_used_at, used.at)
      from unnest($1::bigint[], $2::timestamptz[]) as used (id, at) where api_keys.id = used.id`,
    [[...uses.keys()], [...uses.values()]],
  );
}

/**
 * Stores the present position in the write-ahead log, behind the commits that a write of the key has made. Of two calls at a time the later one
 * reads the position again once it has the row. Never the greatest of both: in a restored dump the stored one is of another cluster.
 */
export async function noteLastWrite(db: Db, keyId: number): Promise<void> {
  await db.query(
    {
      name: 'api-keys-note-write',
      text: 'update api_keys set last_write_lsn = pg_current_wal_insert_lsn() where id = $1',
    },
    [keyId],
  );
}
