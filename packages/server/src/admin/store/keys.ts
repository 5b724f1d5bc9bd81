import type { ApiKeyScope } from '@svc/contract/vocabulary';
import { build, type Db } from '../../store/database/db.ts';

/** All columns except the token's hash. */
const COLUMNS = [
  'id',
  'account_id as accountId',
  'name',
  'scopes',
  'connection_scope as connectionScope',
  'connection_id as connectionId',
  'created_at as createdAt',
  'revoked_at as revokedAt',
  'rotated_at as rotatedAt',
  'expires_at as expiresAt',
  'last_used_at as lastUsedAt',
] as const;

export interface StoredKey {
  id: number;
  accountId: number;
  name: string;
  scopes: string[];
  connectionScope: 'account' | 'connection';
  connectionId: number | null;
  createdAt: Date;
  revokedAt: Date | null;
  rotatedAt: Date | null;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

export interface NewKey {
  accountId: number;
  tokenHash: Buffer;
  name: string;
  scopes: readonly ApiKeyScope[] | readonly string[];
  /** Null for a key of the whole account. */
  connectionId: number | null;
  /** Null for a key that does not expire. */
  expiresAt: Date | null;
  at: Date;
}

export async function insertKey(db: Db, key: NewKey): Promise<StoredKey> {
  const statement = build
    .insertInto('api_keys')
    .values({
      account_id: key.accountId,
      token_hash: key.tokenHash,
      name: key.name,
      scopes: [...key.scopes],
      connection_scope: key.connectionId === null ? 'account' : 'connection',
      connection_id: key.connectionId,
      created_at: key.at,
      expires_at: key.expiresAt,
    })
    .returning(COLUMNS);
  const [row] = await db.run(statement.compile());
  if (!row) throw new Error('The key was not stored.');
  return row;
}

export function listKeys(
  db: Db,
  filter: { accountId?: number | undefined; connectionId?: number | undefined },
): Promise<StoredKey[]> {
  let statement = build.selectFrom('api_keys').select(COLUMNS).orderBy('id');
  if (filter.accountId !== undefined) statement = statement.where('account_id', '=', filter.accountId);
  if (filter.connectionId !== undefined) statement = statement.where('connection_id', '=', filter.connectionId);
  return db.run(statement.compile());
}

/** Returns the key, locked until the caller's transaction ends; null when there is none. */
export async function lockKey(tx: Db, id: number): Promise<StoredKey | null> {
  const [row] = await tx.run(build.selectFrom('api_keys').select(COLUMNS).where('id', '=', id).forUpdate().compile());
  return row ?? null;
}

export async function markKey(tx: Db, id: number, mark: { revoked_at: Date } | { rotated_at: Date }): Promise<void> {
  await tx.run(build.updateTable('api_keys').set(mark).where('id', '=', id).compile());
}
