/**
 * Jobs that threw the same error again and again. They leave the queue, so that nobody waits behind them and the log is not
 * filled, and wait until an operator retries them (`svc-server jobs retry`), usually after an update.
 */
import type { Db } from '../store/database/db.ts';
import type { ClaimedJob } from './queue.ts';

export interface SetAsideJob {
  kind: string;
  ref: string;
  error: string;
  setAsideAt: Date;
}

/** Moves a job, which is locked, out of the queue in the caller's transaction. The job keeps the given state. */
export async function setAside(
  tx: Db,
  { id, fence, state }: ClaimedJob,
  { error, now }: { error: string; now: Date },
): Promise<void> {
  await tx.query(
    {
      name: 'jobs-set-aside',
      text: `with gone as (delete from jobs where id = $1 and fence = $2
          returning kind, ref, fairness_key, created_at)
        insert into set_aside_jobs (kind, ref, fairness_key, state, created_at, error, set_aside_at)
        select kind, ref, fairness_key, $3::jsonb, created_at, $4, $5 from gone
        on conflict (kind, ref) do update set state = excluded.state, error = excluded.error,
          set_aside_at = excluded.set_aside_at`,
    },
    [id, fence, JSON.stringify(state), error, now],
  );
}

/** Forgets jobs that another job has done meanwhile. */
export async function forgetSetAside(tx: Db, kind: string, refs: readonly (string | number)[]): Promise<void> {
  await tx.query(
    {
      name: 'set-aside-forget',
      text: 'delete from set_aside_jobs where kind = $1 and ref = any($2)',
    },
    [kind, refs.map(String)],
  );
}

/** Returns the oldest ones of each kind. */
export async function listSetAside(
  db: Db,
  { kind, limit }: { kind: string | null; limit: number },
): Promise<SetAsideJob[]> {
  const { rows } = await db.query<SetAsideJob>(
    `select kind, ref, error, set_aside_at as "setAsideAt" from set_aside_jobs
      where $1::text is null or kind = $1 order by kind, set_aside_at, ref limit $2`,
    [kind, limit],
  );
  return rows;
}

/** How many jobs of a kind threw an error. */
export interface SetAsideCount {
  kind: string;
  error: string;
  count: number;
  since: Date;
}

export async function countSetAside(db: Db): Promise<SetAsideCount[]> {
  const { rows } = await db.query<SetAsideCount>(
    {
      name: 'set-aside-count',
      text: `select kind, error, count(*) as count, min(set_aside_at) as since
        from set_aside_jobs group by kind, error order by kind, count(*) desc, error`,
    },
    [],
  );
  return rows;
}

/** Enqueues them again, and returns how many there were. One that is in the queue again stays as it is there. */
export async function retrySetAside(db: Db, { kind, now }: { kind: string | null; now: Date }): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `with taken as (
        delete from set_aside_jobs where $1::text is null or kind = $1
        returning kind, ref, fairness_key, state, created_at
      ), added as (
        insert into jobs (kind, ref, fairness_key, due_at, is_ready, state, created_at)
        select kind, ref, fairness_key, $2::timestamptz, true, state, created_at from taken order by kind, ref
        on conflict (kind, ref) do nothing
      )
      select count(*) as count from taken`,
    [kind, now],
  );
  return rows[0]?.count ?? 0;
}
