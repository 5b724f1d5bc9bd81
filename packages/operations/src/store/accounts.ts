import type { Db } from '@svc/engine/store/database/db';
import { insertRow, selectFields, updateRow } from '@svc/engine/store/database/rows';

export interface StoredAccount {
  id: number;
  email: string;
  canUseWebhooks: boolean;
  createdAt: Date;
}

const COLUMNS = selectFields('accounts', ['id', 'email', 'canUseWebhooks', 'createdAt']);

/** Blocks other account creations until the transaction ends, so that concurrent ones cannot use the same email. */
export async function lockAccounts(tx: Db): Promise<void> {
  await tx.query('lock table accounts in share row exclusive mode');
}

export async function findAccountByEmail(db: Db, email: string): Promise<StoredAccount | null> {
  const { rows } = await db.query<StoredAccount>(
    `select ${COLUMNS} from accounts where lower(email) = lower($1) limit 1`,
    [email],
  );
  return rows[0] ?? null;
}

export async function findAccount(db: Db, id: number): Promise<StoredAccount | null> {
  const { rows } = await db.query<StoredAccount>(`select ${COLUMNS} from accounts where id = $1`, [id]);
  return rows[0] ?? null;
}

export async function listAccounts(db: Db): Promise<StoredAccount[]> {
  return (await db.query<StoredAccount>(`select ${COLUMNS} from accounts order by id`)).rows;
}

export function insertAccount(tx: Db, account: Omit<StoredAccount, 'id'>): Promise<StoredAccount> {
  return insertRow(tx, 'accounts', { ...account }, COLUMNS);
}

/** @returns null when there is no such account */
export function setCanUseWebhooks(db: Db, id: number, canUseWebhooks: boolean): Promise<StoredAccount | null> {
  return updateRow(db, 'accounts', id, { canUseWebhooks }, COLUMNS);
}
