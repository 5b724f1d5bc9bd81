/**
 * The queue: rows of `jobs`, and the statements that move them.
 *
 * Laws, which `queue.test.ts` checks on both backends:
 * - a job exists from the commit that made it necessary until a commit of its own work finishes it: none is lost;
 * - a claim gives a lease and a fencing number; only the latest number can finish, defer or prolong the job, so a worker
 *   that was taken for dead changes nothing when it wakes up;
 * - a claimed job's `due_at` is the end of its lease, so a dead worker's jobs come due again by themselves;
 * - claiming goes round the fairness keys: one busy connection does not starve the others.
 */
import type { Db } from '../store/db.ts';

export interface NewJob {
  kind: string;
  /** What the job is about. At most one job per (`kind`, `ref`) exists at a time. */
  ref: number | string;
  /** Jobs of one key share a turn; usually the connection. */
  fairnessKey: string;
  dueAt: Date;
  createdAt: Date;
  state?: object;
}

export interface ClaimedJob {
  id: number;
  kind: string;
  ref: string;
  fairnessKey: string;
  /** Proves the claim; grows with each. */
  fence: number;
  /** How often it was claimed, this time included. */
  attempts: number;
  /** What earlier attempts left for this one. */
  state: Record<string, unknown>;
  createdAt: Date;
}

/** Somebody else claimed the job meanwhile: this worker's result does not count and its transaction must roll back. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  constructor(job: ClaimedJob) {
    super(`The lease of job ${job.id} (${job.kind} ${job.ref}) was lost.`);
  }
}

/** Adds jobs in the caller's transaction. One that exists already stays as it is. Returns how many were added. */
export async function enqueue(db: Db, ...jobs: readonly NewJob[]): Promise<number> {
  const { rowCount } = await db.query(
    {
      name: 'jobs-enqueue',
      text: `insert into jobs (kind, ref, fairness_key, due_at, state, created_at)
        select kind, ref, fairness_key, due_at, state::jsonb, created_at
        from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::timestamptz[])
          as jobs (kind, ref, fairness_key, due_at, state, created_at)
        on conflict (kind, ref) do nothing`,
    },
    [
      jobs.map((job) => job.kind),
      jobs.map((job) => String(job.ref)),
      jobs.map((job) => job.fairnessKey),
      jobs.map((job) => job.dueAt.toISOString()),
      jobs.map((job) => JSON.stringify(job.state ?? {})),
      jobs.map((job) => job.createdAt.toISOString()),
    ],
  );
  return rowCount;
}

/**
 * One index descent per fairness key finds the keys, one more each finds their oldest due jobs, and the turns are dealt
 * round: the first job of every key, then the second of every key.
 */
const CLAIM = {
  name: 'jobs-claim',
  text: `
with recursive keys as (
  (select fairness_key from jobs order by fairness_key limit 1)
  union all
  select (select j.fairness_key from jobs j where j.fairness_key > keys.fairness_key order by j.fairness_key limit 1)
  from keys where keys.fairness_key is not null
), turns as (
  select due.id, due.due_at, row_number() over (partition by keys.fairness_key order by due.due_at, due.id) as turn
  from keys cross join lateral (
    select j.id, j.due_at from jobs j
    where j.fairness_key = keys.fairness_key and j.due_at <= $1 and j.kind = any($2)
    order by j.due_at, j.id limit $3
  ) due
  where keys.fairness_key is not null
), picked as (
  select j.id from jobs j
  where j.id in (select id from turns order by turn, due_at, id limit $3) and j.due_at <= $1
  for update skip locked
)
update jobs set due_at = $4, is_leased = true, fence = fence + 1, attempts = attempts + 1
from picked where jobs.id = picked.id
returning jobs.id, jobs.kind, jobs.ref, jobs.fairness_key as "fairnessKey", jobs.fence, jobs.attempts, jobs.state,
  jobs.created_at as "createdAt"`,
};

/** Claims at most `limit` due jobs of the given kinds and leases them until `leaseUntil`. */
export async function claim(
  db: Db,
  options: { now: Date; kinds: readonly string[]; limit: number; leaseUntil: Date },
): Promise<ClaimedJob[]> {
  const { rows } = await db.query<ClaimedJob>(CLAIM, [options.now, options.kinds, options.limit, options.leaseUntil]);
  return rows;
}

/** Ends the job in the caller's transaction. Throws `LeaseLostError` when the claim is no longer the latest. */
export async function finish(db: Db, job: ClaimedJob): Promise<void> {
  const { rowCount } = await db.query({ name: 'jobs-finish', text: 'delete from jobs where id = $1 and fence = $2' }, [
    job.id,
    job.fence,
  ]);
  if (rowCount === 0) throw new LeaseLostError(job);
}

/** Gives the job back to run again at `dueAt`. Throws `LeaseLostError` when the claim is no longer the latest. */
export async function defer(
  db: Db,
  job: ClaimedJob,
  next: { dueAt: Date; state?: object; error?: string },
): Promise<void> {
  const { rowCount } = await db.query(
    {
      name: 'jobs-defer',
      text: `update jobs set due_at = $3, is_leased = false, state = $4, last_error = $5 where id = $1 and fence = $2`,
    },
    [job.id, job.fence, next.dueAt, JSON.stringify(next.state ?? job.state), next.error ?? null],
  );
  if (rowCount === 0) throw new LeaseLostError(job);
}

/** Keeps the leases of jobs that are still being worked on. Returns the ids whose lease is still held. */
export async function prolong(db: Db, jobs: readonly ClaimedJob[], leaseUntil: Date): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    {
      name: 'jobs-prolong',
      text: `update jobs set due_at = $3 from unnest($1::bigint[], $2::bigint[]) as held (id, fence)
        where jobs.id = held.id and jobs.fence = held.fence and jobs.is_leased returning jobs.id`,
    },
    [jobs.map((job) => job.id), jobs.map((job) => job.fence), leaseUntil],
  );
  return new Set(rows.map((row) => row.id));
}

/**
 * Makes all leased jobs due at once. Only for a database that one process owns alone (the embedded one), at its start:
 * whoever held the leases is gone.
 */
export async function releaseAllLeases(db: Db, now: Date): Promise<void> {
  await db.query('update jobs set due_at = $1, is_leased = false where is_leased', [now]);
}

/** When the next job of these kinds comes due, or null when there is none. */
export async function nextDueAt(db: Db, kinds: readonly string[]): Promise<Date | null> {
  const { rows } = await db.query<{ due_at: Date }>(
    { name: 'jobs-next-due', text: 'select due_at from jobs where kind = any($1) order by due_at limit 1' },
    [kinds],
  );
  return rows[0]?.due_at ?? null;
}
