import type { Db } from '@svc/engine/store/database/db';
import { insertRow, selectFields } from '@svc/engine/store/database/rows';

export interface StoredKey {
  id: number;
  accountId: number;
  name: string;
  scopes: string[];
  connectionScope: 'account' | 'connection';
  /** Null for a key of the whole account. */
  connectionId: number | null;
  createdAt: Date;
  /** Set when the key became invalid. */
  revokedAt: Date | null;
  rotatedAt: Date | null;
  /** Null: valid until it is revoked or rotated. */
  expiresAt: Date | null;
  /** To the minute; null: never used. */
  lastUsedAt: Date | null;
}

/** All columns but the hash of the token. */
const COLUMNS = selectFields('api_keys', [
  'id',
  'accountId',
  'name',
  'scopes',
  'connectionScope',
  'connectionId',
  'createdAt',
  'revokedAt',
  'rotatedAt',
  'expiresAt',
  'lastUsedAt',
]);

export type NewKey = Pick<StoredKey, 'accountId' | 'name' | 'scopes' | 'connectionId' | 'expiresAt' | 'createdAt'> & {
  tokenHash: Buffer;
};

export function insertKey(db: Db, key: NewKey): Promise<StoredKey> {
  const { accountId, tokenHash, name, scopes, connectionId, expiresAt, createdAt } = key;
  const connectionScope = connectionId === null ? 'account' : 'connection';
  const fields = { accountId, tokenHash, name, scopes, connectionScope, connectionId, expiresAt, createdAt };
  return insertRow(db, 'api_keys', fields, COLUMNS);
}

export async function listKeys(
  db: Db,
  {
    accountId = null,
    connectionId = null,
  }: { accountId?: number | null | undefined; connectionId?: number | null | undefined },
): Promise<StoredKey[]> {
  const { rows } = await db.query<StoredKey>(
    `select ${COLUMNS} from api_keys
      where ($1::bigint is null or account_id = $1) and ($2::bigint is null or connection_id = $2) order by id`,
    [accountId, connectionId],
  );
  return rows;
}

/** Returns the key, locked until the caller's transaction ends; null when there is none. */
export async function lockKey(tx: Db, id: number): Promise<StoredKey | null> {
  const { rows } = await tx.query<StoredKey>(`select ${COLUMNS} from api_keys where id = $1 for update`, [id]);
  return rows[0] ?? null;
}
