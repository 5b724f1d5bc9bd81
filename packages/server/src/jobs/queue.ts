/**
 * The queue: rows of `jobs`, and the statements that move them.
 *
 * Laws, which `queue.test.ts` checks on both backends:
 * - a job exists from the commit that made it necessary until a commit of its own work finishes it: none is lost;
 * - a claim gives a lease and a fencing number; only the latest number can finish, defer or prolong the job, so a worker
 *   that was taken for dead changes nothing when it wakes up;
 * - a claimed job's `due_at` is the end of its lease, so a dead worker's jobs come due again by themselves;
 * - a job that is asked for while it runs (`enqueueOnceMore`) is enqueued again by the commit that finishes it, so two
 *   attempts of one (`kind`, `ref`) never overlap and no request is lost;
 * - claiming goes round the fairness keys, and a key that already has jobs at work waits for those that have fewer, so a
 *   busy key does not starve the others; a key takes no more hands than it leaves free, so one whose jobs hang does not
 *   either;
 * - what stands before a `/` in a fairness key is its owner, and the same holds among owners: many keys give an owner no
 *   more hands than one; and among the keys of an owner a key takes at most half of the owner's.
 */
import type { JobResult } from '../metrics.ts';
import type { Db } from '../store/db.ts';

export interface NewJob {
  kind: string;
  /** What the job is about. At most one job per (`kind`, `ref`) exists at a time. */
  ref: number | string;
  /** Jobs of one key share a turn; usually the connection. `owner/key` where one owner has many keys. */
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
  /** Set by `finish` and `defer`; it holds once the handler has returned, and with it the transaction. */
  result?: Extract<JobResult, 'done' | 'deferred'>;
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
  const { rowCount } = await db.query({ name: 'jobs-enqueue', text: enqueueText(1) }, enqueueValues(jobs));
  return rowCount;
}

/**
 * Asks for one more run of a job, in the caller's transaction: adds it, or has it run again after its end when it is at
 * work. A job that still waits stays the only one, because its run is yet to come.
 */
export async function enqueueOnceMore(db: Db, job: NewJob): Promise<void> {
  await db.query(
    {
      name: 'jobs-enqueue-once-more',
      text: `${insertText(1)} on conflict (kind, ref) do update set run_again_at = excluded.due_at where jobs.is_leased`,
    },
    enqueueValues([job]),
  );
}

/**
 * What `enqueue` runs, to be a part of the statement that stores what the jobs are about.
 *
 * @param first number of the first parameter; the values are `enqueueValues(jobs)`
 */
export function enqueueText(first: number): string {
  return `${insertText(first)} on conflict (kind, ref) do nothing`;
}

function insertText(first: number): string {
  const types = ['text[]', 'text[]', 'text[]', 'timestamptz[]', 'text[]', 'timestamptz[]'];
  const values = types.map((type, index) => `$${first + index}::${type}`).join(', ');
  return `insert into jobs (kind, ref, fairness_key, due_at, state, created_at)
    select kind, ref, fairness_key, due_at, state::jsonb, created_at
    from unnest(${values}) as new_jobs (kind, ref, fairness_key, due_at, state, created_at)`;
}

export function enqueueValues(jobs: readonly NewJob[]): unknown[] {
  return [
    jobs.map((job) => job.kind),
    jobs.map((job) => String(job.ref)),
    jobs.map((job) => job.fairnessKey),
    jobs.map((job) => job.dueAt.toISOString()),
    jobs.map((job) => JSON.stringify(job.state ?? {})),
    jobs.map((job) => job.createdAt.toISOString()),
  ];
}

/**
 * One index descent per fairness key finds the keys, one more each finds their oldest due jobs, and the turns are dealt
 * round: the next job of every owner, beginning after the key that was dealt last, then the one after of every owner. The
 * jobs of an owner with many keys take their turns in the same manner. A key without an owner is one.
 */
const CLAIM = {
  name: 'jobs-claim',
  text: `
with recursive keys as (
  (select fairness_key from jobs order by fairness_key limit 1)
  union all
  select (select j.fairness_key from jobs j where j.fairness_key > keys.fairness_key order by j.fairness_key limit 1)
  from keys where keys.fairness_key is not null
), at_work as (
  select fairness_key, jobs, sum(jobs) over (partition by split_part(fairness_key, '/', 1)) as owner_jobs,
    split_part(fairness_key, '/', 1) as owner
  from unnest($5::text[], $6::int[]) as at_work (fairness_key, jobs)
), turns as (
  select due.id, keys.fairness_key, split_part(keys.fairness_key, '/', 1) as owner, coalesce(at_work.jobs, 0)
    + row_number() over (partition by keys.fairness_key order by due.due_at, due.id) as turn
  from keys left join at_work using (fairness_key)
  cross join lateral (
    select j.id, j.due_at from jobs j
    where j.fairness_key = keys.fairness_key and j.due_at <= $1 and j.kind = any($2)
    order by j.due_at, j.id limit $3
  ) due
), owner_turns as (
  select turns.id, turns.fairness_key, turns.owner <> turns.fairness_key as is_shared, turns.turn,
    coalesce((select min(owner_jobs) from at_work where at_work.owner = turns.owner), 0)
    + row_number() over (partition by turns.owner order by turns.turn, turns.fairness_key <= $7, turns.fairness_key)
    as owner_turn
  from turns
), dealt as (
  select id, turn, owner_turn, is_shared,
    row_number() over (order by owner_turn, fairness_key <= $7, fairness_key) as place
  from owner_turns
), picked as (
  select j.id, dealt.place from jobs j join dealt on dealt.id = j.id
  where dealt.place <= $3 and (dealt.owner_turn = 1 or dealt.owner_turn <= $3 - dealt.place)
    and (not dealt.is_shared or dealt.turn = 1 or 2 * dealt.turn <= $3 - dealt.place) and j.due_at <= $1
  for update of j skip locked
)
update jobs set due_at = $4, is_leased = true, fence = fence + 1, attempts = attempts + 1
from picked where jobs.id = picked.id
returning jobs.id, jobs.kind, jobs.ref, jobs.fairness_key as "fairnessKey", jobs.fence, jobs.attempts, jobs.state,
  jobs.created_at as "createdAt", picked.place`,
};

export interface ClaimOptions {
  now: Date;
  kinds: readonly string[];
  /** Free hands. A key with jobs at work gets no more than it leaves free. */
  limit: number;
  leaseUntil: Date;
  /** How many jobs of each fairness key the caller has at work. Default none. */
  atWork?: ReadonlyMap<string, number>;
  /** The key of the last job that the caller was dealt: the round goes on after it. */
  lastKey?: string;
}

/** Claims due jobs of the given kinds and leases them until `leaseUntil`. Returns them in the order in which they were dealt. */
export async function claim(db: Db, options: ClaimOptions): Promise<ClaimedJob[]> {
  const { now, kinds, limit, leaseUntil, atWork = new Map<string, number>(), lastKey = '' } = options;
  const { rows } = await db.query<ClaimedJob & { place: number }>(CLAIM, [
    now,
    kinds,
    limit,
    leaseUntil,
    [...atWork.keys()],
    [...atWork.values()],
    lastKey,
  ]);
  return rows.toSorted((a, b) => a.place - b.place).map(({ place: _place, ...job }) => job);
}

/**
 * Ends a job of a kind that is never asked for once more, as a part of the statement that stores the result; its values
 * are `job.id` and `job.fence`.
 */
export const FINISH_TEXT = 'delete from jobs where id = $1 and fence = $2';

/**
 * Ends the job in the caller's transaction, and enqueues it again when it was asked for once more meanwhile. Throws
 * `LeaseLostError` when the claim is no longer the latest.
 */
export async function finish(db: Db, job: ClaimedJob): Promise<void> {
  const { rows } = await db.query<{ runAgainAt: Date | null }>(
    { name: 'jobs-finish', text: `${FINISH_TEXT} returning run_again_at as "runAgainAt"` },
    [job.id, job.fence],
  );
  const [ended] = rows;
  if (!ended) throw new LeaseLostError(job);
  job.result = 'done';
  const { kind, ref, fairnessKey } = job;
  const { runAgainAt } = ended;
  if (runAgainAt !== null) await enqueue(db, { kind, ref, fairnessKey, dueAt: runAgainAt, createdAt: runAgainAt });
}

/**
 * Gives the job back to run again at `dueAt`. Without a new state it has the one that was stored last, by this claim or before.
 * Throws `LeaseLostError` when the claim is no longer the latest.
 */
export async function defer(
  db: Db,
  job: ClaimedJob,
  next: { dueAt: Date; state?: object; error?: string },
): Promise<void> {
  const { rowCount } = await db.query(
    {
      name: 'jobs-defer',
      text: `update jobs set due_at = $3, is_leased = false, state = coalesce($4, state), last_error = $5
        where id = $1 and fence = $2`,
    },
    [job.id, job.fence, next.dueAt, next.state === undefined ? null : JSON.stringify(next.state), next.error ?? null],
  );
  if (rowCount === 0) throw new LeaseLostError(job);
  job.result = 'deferred';
}

/** Whether this job exists, waiting or at work. */
export async function hasJob(db: Db, kind: string, ref: number | string): Promise<boolean> {
  const { rowCount } = await db.query({ name: 'jobs-has', text: 'select from jobs where kind = $1 and ref = $2' }, [
    kind,
    String(ref),
  ]);
  return rowCount > 0;
}

/** Makes sure of the claim before a job changes anything. Throws `LeaseLostError` when it is no longer the latest. */
export async function holdJob(tx: Db, job: ClaimedJob): Promise<void> {
  const { rowCount } = await tx.query(
    { name: 'jobs-hold', text: 'select from jobs where id = $1 and fence = $2 for update' },
    [job.id, job.fence],
  );
  if (rowCount === 0) throw new LeaseLostError(job);
}

/**
 * Keeps what a long job has reached so far, in the caller's transaction; the claim goes on. Its attempts are counted from
 * here anew, so that the next failure has the first back-off. Throws `LeaseLostError` when the claim is no longer the latest.
 */
export async function saveProgress(db: Db, job: ClaimedJob, state: object): Promise<void> {
  const { rowCount } = await db.query(
    { name: 'jobs-progress', text: 'update jobs set state = $3, attempts = 0 where id = $1 and fence = $2' },
    [job.id, job.fence, JSON.stringify(state)],
  );
  if (rowCount === 0) throw new LeaseLostError(job);
}

/** How often the job was claimed since it was enqueued, or since its last progress that was committed. */
export async function countAttempts(db: Db, job: ClaimedJob): Promise<number> {
  const { rows } = await db.query<{ attempts: number }>(
    { name: 'jobs-attempts', text: 'select attempts from jobs where id = $1 and fence = $2' },
    [job.id, job.fence],
  );
  const [row] = rows;
  if (!row) throw new LeaseLostError(job);
  return row.attempts;
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

/**
 * When the next job of these kinds comes due, or null when there is none.
 *
 * @param after leaves out what is due by then. Default: the earliest of all, which may lie in the past.
 */
export async function nextDueAt(db: Db, kinds: readonly string[], after: Date | null = null): Promise<Date | null> {
  const { rows } = await db.query<{ due_at: Date }>(
    {
      name: 'jobs-next-due',
      text: `select due_at from jobs where kind = any($1) and due_at > coalesce($2, '-infinity'::timestamptz)
        order by due_at limit 1`,
    },
    [kinds, after],
  );
  return rows[0]?.due_at ?? null;
}
