/** Which process renews the access token of a connection: a lease, so that nothing is locked during the HTTP call. */
import type { Db } from './database/db.ts';

export interface RenewalLease {
  connectionId: number;
  /** Random; another holder has another one. */
  holder: string;
}

/** Takes the lease of a connection. False while another holder has it. */
export async function takeRenewalLease(
  db: Db,
  { connectionId, holder }: RenewalLease,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    {
      name: 'renewals-take',
      text: `insert into crm_token_renewals (connection_id, holder, lease_until)
        select id, $2, $4 from connections where id = $1
        on conflict (connection_id) do update set holder = excluded.holder, lease_until = excluded.lease_until
          where crm_token_renewals.holder is null or crm_token_renewals.lease_until <= $3`,
    },
    [connectionId, holder, now, until],
  );
  return rowCount > 0;
}

/** Returns how many requests with this refresh token were sent without a known answer. */
export async function countUnanswered(db: Db, connectionId: number, tokenHash: Buffer): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select sent_count as count from crm_token_renewals where connection_id = $1 and sent_hash = $2',
    [connectionId, tokenHash],
  );
  return rows[0]?.count ?? 0;
}

/** Counts a request that is about to be sent, and extends the lease. False when the lease was lost. */
export async function noteSent(
  db: Db,
  { connectionId, holder }: RenewalLease,
  { tokenHash, now, until }: { tokenHash: Buffer; now: Date; until: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update crm_token_renewals set lease_until = $5, sent_hash = $3,
        sent_count = case when sent_hash = $3 then sent_count + 1 else 1 end
      where connection_id = $1 and holder = $2 and lease_until > $4`,
    [connectionId, holder, tokenHash, now, until],
  );
  return rowCount > 0;
}

/** The last request was not sent, or answered and changed nothing, so it does not count. */
export async function withdrawSent(db: Db, { connectionId, holder }: RenewalLease): Promise<void> {
  await db.query(
    `update crm_token_renewals set sent_count = sent_count - 1
      where connection_id = $1 and holder = $2 and sent_count > 0`,
    [connectionId, holder],
  );
}

/** Gives the lease back; what was sent without a known answer stays. */
export async function releaseRenewalLease(db: Db, { connectionId, holder }: RenewalLease): Promise<void> {
  await db.query('update crm_token_renewals set holder = null where connection_id = $1 and holder = $2', [
    connectionId,
    holder,
  ]);
}

/** Ends a renewal whose result is stored in the same transaction. */
export async function endRenewal(tx: Db, { connectionId, holder }: RenewalLease): Promise<void> {
  await tx.query('delete from crm_token_renewals where connection_id = $1 and holder = $2', [connectionId, holder]);
}

/** Forgets the lease of a connection and its requests without a known answer, because it gets another token. */
export async function deleteRenewals(tx: Db, connectionId: number): Promise<void> {
  await tx.query('delete from crm_token_renewals where connection_id = $1', [connectionId]);
}

/** Returns the encrypted token of a connection; null when it has none or does not exist. */
export async function getSealedCrmToken(db: Db, connectionId: number): Promise<string | null> {
  const { rows } = await db.query<{ sealed: string | null }>(
    { name: 'connections-get-token', text: 'select crm_token as sealed from connections where id = $1' },
    [connectionId],
  );
  return rows[0]?.sealed ?? null;
}

/** The same, and keeps others from changing it until the transaction ends. */
export async function lockSealedCrmToken(tx: Db, connectionId: number): Promise<string | null> {
  const { rows } = await tx.query<{ sealed: string | null }>(
    'select crm_token as sealed from connections where id = $1 for update',
    [connectionId],
  );
  return rows[0]?.sealed ?? null;
}

/** @param sealed null disconnects */
export async function setSealedCrmToken(tx: Db, connectionId: number, sealed: string | null): Promise<void> {
  await tx.query('update connections set crm_token = $2 where id = $1', [connectionId, sealed]);
}
