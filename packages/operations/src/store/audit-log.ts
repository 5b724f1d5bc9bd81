import type { Db } from '@svc/engine/store/database/db';
import { toStorableJson } from '@svc/engine/store/database/storable-json';

export interface StoredAuditEntry {
  id: number;
  at: Date;
  /**
   * The user who ran the command; `socket` when it reached a running server, which only that server's user can do; `user:EMAIL` of the
   * dashboard.
   */
  actor: string;
  /** For example `keys/create`. */
  operation: string;
  /** Without secrets; null when the input was invalid. */
  input: object | null;
  /** `done`, or the code of the refusal; null when the call was interrupted or is still running. */
  outcome: string | null;
}

/** @param entry without an outcome while the call is under way */
export async function insertAuditEntry(
  db: Db,
  {
    at,
    actor,
    operation,
    input,
    outcome = null,
  }: Omit<StoredAuditEntry, 'id' | 'outcome'> & { outcome?: string | null },
): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    'insert into audit_log (at, actor, operation, input, outcome) values ($1, $2, $3, $4, $5) returning id',
    [at, actor, operation, input === null ? null : toStorableJson(input), outcome],
  );
  const [row] = rows;
  if (!row) throw new Error('The audit entry was not stored.');
  return row.id;
}

export async function setAuditOutcome(db: Db, id: number, outcome: string): Promise<void> {
  await db.query('update audit_log set outcome = $2 where id = $1', [id, outcome]);
}

/** Returns entries newest first: in the order of their ids, because the times are those of several machines. */
export async function listAuditEntries(
  db: Db,
  { from, limit }: { from: Date | null; limit: number },
): Promise<StoredAuditEntry[]> {
  const { rows } = await db.query<StoredAuditEntry>(
    `select id, at, actor, operation, input, outcome from audit_log
      where at >= coalesce($1, '-infinity'::timestamptz) order by id desc limit $2`,
    [from, limit],
  );
  return rows;
}
