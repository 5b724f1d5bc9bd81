import type { Db } from './database/db.ts';

/** Locks an account until the transaction ends, so that others add nothing to it meanwhile. False when it is gone. */
export async function lockAccount(tx: Db, accountId: number): Promise<boolean> {
  const { rowCount } = await tx.query('select from accounts where id = $1 for update', [accountId]);
  return rowCount > 0;
}
