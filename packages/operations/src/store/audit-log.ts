import type { Db } from '@svc/engine/store/database/db';
import { toStorableJson } from '@svc/engine/store/database/storable-json';

export interface StoredAuditEntry {
  id: number;
  at: Date;
  /** The user who ran the command; `socket` when it reached a running server, which only that server's user can do. */
  actor: string;
  /** For example `keys/create`. */
  operation: string;
  /** Without secrets; null when the input was invalid. */
  input: object | null;
  /** `done`, or the code of the refusal; null when the call was interrupted or is still running. */
  outcome: string | null;
}

export async function insertAuditEntry(db: Db, entry: Omit<StoredAuditEntry, 'id' | 'outcome'>): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    'insert into audit_log (at, actor, operation, input) values ($1, $2, $3, $4) returning id',
    [entry.at, entry.actor, entry.operation, entry.input === null ? null : toStorableJson(entry.input)],
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
