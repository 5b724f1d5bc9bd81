/** Reads the state of the database itself; each function is one statement of bounded cost. */
import type { Db } from '@svc/engine/store/database/db';

export async function readServerVersion(db: Db): Promise<string> {
  const { rows } = await db.query<{ version: string }>('show server_version');
  return Object.values(rows[0] ?? {}).join('');
}

/** Due jobs are counted up to this number. */
export const DUE_JOBS_COUNTED_MAX = 10_000;

export interface QueueState {
  /** At most `DUE_JOBS_COUNTED_MAX`. */
  dueCount: number;
  /** When the oldest due job came due; null when none is due. */
  oldestDueAt: Date | null;
}

/** Reads both from the index on `due_at`, kind by kind. A running job is not due, because its `due_at` is the end of its lease. */
export async function readQueueState(db: Db, now: Date): Promise<QueueState> {
  const { rows } = await db.query<QueueState>(
    `with recursive kinds as (
        (select kind from jobs order by kind limit 1)
        union all
        select (select j.kind from jobs j where j.kind > kinds.kind order by j.kind limit 1)
        from kinds where kinds.kind is not null
      ), due as (
        select due.due_at from kinds cross join unnest('{true,false}'::boolean[]) as r (is_ready) cross join lateral (
          select j.due_at from jobs j where j.is_ready = r.is_ready and j.kind = kinds.kind and j.due_at <= $1
          order by j.due_at limit $2
        ) as due
      )
      select least(count(*), $2) as "dueCount", min(due_at) as "oldestDueAt" from due`,
    [now, DUE_JOBS_COUNTED_MAX],
  );
  return rows[0] ?? { dueCount: 0, oldestDueAt: null };
}

export async function countJobs(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*) from jobs');
  return rows[0]?.count ?? 0;
}

/** Returns when the last backup was written; null without one. */
export async function readLastBackup(db: Db): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>(
    `select max(at) as at from audit_log
      where operation = 'backup/finish' and outcome = 'done' and input->>'isWritten' = 'true'`,
  );
  return rows[0]?.at ?? null;
}
