import type { Selectable } from 'kysely';
import { build, type Db } from '../../store/database/db.ts';
import type { AccountRow } from '../../store/database/tables.ts';

export type StoredAccount = Selectable<AccountRow>;

/** Blocks other account creations until the transaction ends, so that concurrent ones cannot use the same email. */
export async function lockAccounts(tx: Db): Promise<void> {
  await tx.query('lock table accounts in share row exclusive mode');
}

export async function findAccountByEmail(db: Db, email: string): Promise<StoredAccount | null> {
  const { rows } = await db.query<StoredAccount>('select * from accounts where lower(email) = lower($1) limit 1', [
    email,
  ]);
  return rows[0] ?? null;
}

export async function findAccount(db: Db, id: number): Promise<StoredAccount | null> {
  const [row] = await db.run(build.selectFrom('accounts').selectAll().where('id', '=', id).compile());
  return row ?? null;
}

export function listAccounts(db: Db): Promise<StoredAccount[]> {
  return db.run(build.selectFrom('accounts').selectAll().orderBy('id').compile());
}

export async function insertAccount(
  tx: Db,
  account: { email: string; canUseWebhooks: boolean; at: Date },
): Promise<StoredAccount> {
  const statement = build
    .insertInto('accounts')
    .values({ email: account.email, can_use_webhooks: account.canUseWebhooks, created_at: account.at })
    .returningAll();
  const [row] = await tx.run(statement.compile());
  if (!row) throw new Error('The account was not stored.');
  return row;
}

/** @returns null when there is no such account */
export async function setCanUseWebhooks(db: Db, id: number, canUseWebhooks: boolean): Promise<StoredAccount | null> {
  const statement = build
    .updateTable('accounts')
    .set({ can_use_webhooks: canUseWebhooks })
    .where('id', '=', id)
    .returningAll();
  const [row] = await db.run(statement.compile());
  return row ?? null;
}
