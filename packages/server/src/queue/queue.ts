/**
 * The queue: rows of `jobs` and the statements that change them.
 *
 * Invariants, which `queue.test.ts` checks on both backends:
 * - No job is lost: it exists from the commit that made it necessary until a commit of its own work finishes it.
 * - A claim gives a lease and a fencing number. Only the latest number can finish, defer or extend the job, so a worker
 *   that lost its lease changes nothing.
 * - A claimed job's `due_at` is the end of its lease, so the jobs of a dead worker come due again.
 * - A job that is requested while it runs (`enqueueOnceMore`) is enqueued again by the commit that finishes it, so
 *   attempts of one (`kind`, `ref`) never overlap and no request is lost.
 * - Claiming is round-robin over the fairness keys, and keys with running jobs wait for those with fewer. A key may use
 *   at most as many workers as it leaves free, so one busy key does not starve the others.
 * - The part of a fairness key before `/` is its owner, and the same rules hold among owners. Among the keys of one
 *   owner, a key gets at most half of the owner's workers.
 */
import type { JobResult } from '../runtime/metrics.ts';
import type { Db } from '../store/database/db.ts';

export interface NewJob {
  kind: string;
  /** The subject of the job. At most one job per (`kind`, `ref`) exists at a time. */
  ref: number | string;
  /**
   * Jobs with the same key take turns as one. Usually the key is the connection. `owner/key` when one owner has many
   * keys.
   */
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
  /** Proves the claim; grows with each one. */
  fence: number;
  /** Number of claims, including this one. */
  attempts: number;
  /** State stored by earlier attempts. */
  state: Record<string, unknown>;
  createdAt: Date;
  /** Set by `finish` and `defer`; final once the handler's transaction has committed. */
  result?: Extract<JobResult, 'done' | 'deferred'>;
}

/** Another worker has claimed the job: this worker's result does not count and its transaction must roll back. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  constructor(job: ClaimedJob) {
    super(`The lease of job ${job.id} (${job.kind} ${job.ref}) was lost.`);
  }
}

/** Adds jobs in the caller's transaction; existing ones stay unchanged. Returns how many were added. */
export async function enqueue(db: Db, ...jobs: readonly NewJob[]): Promise<number> {
  const { rowCount } = await db.query({ name: 'jobs-enqueue', text: enqueueText(1) }, enqueueValues(jobs));
  return rowCount;
}

/**
 * Requests one more run of a job in the caller's transaction: adds the job, or runs it again after its current run. A
 * waiting job stays the only one, because it will run anyway.
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
 * Returns the SQL of `enqueue`, to be part of the statement that stores the subject of the jobs.
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
 * One index descent per fairness key finds the keys, and one more each finds their oldest due jobs. They are dealt
 * round-robin: the next job of every owner, beginning after the last dealt key, then another of every owner. Within an
 * owner, its keys alternate in the same way. A key without `/` is its own owner.
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
  /** Number of idle workers. A key gets no more than it leaves free, counting its running jobs. */
  limit: number;
  leaseUntil: Date;
  /** Number of the caller's running jobs by fairness key. Default none. */
  atWork?: ReadonlyMap<string, number>;
  /** Key of the job that the caller was dealt last; the round-robin continues after it. */
  lastKey?: string;
}

/** Claims due jobs of these kinds and leases them until `leaseUntil`. Returns them in the order of dealing. */
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

/** Claims more due jobs of the kind and fairness key of these jobs, at most `limit`, in the order of their due times. */
export async function claimMore(
  db: Db,
  { kind, fairnessKey }: Pick<ClaimedJob, 'kind' | 'fairnessKey'>,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<ClaimedJob[]> {
  const { rows } = await db.query<ClaimedJob & { wasDueAt: Date }>(
    {
      name: 'jobs-claim-more',
      text: `with picked as (
          select id, due_at from jobs where fairness_key = $1 and kind = $2 and due_at <= $3
          order by due_at, id limit $5 for update skip locked
        )
        update jobs set due_at = $4, is_leased = true, fence = fence + 1, attempts = attempts + 1
        from picked where jobs.id = picked.id
        returning jobs.id, jobs.kind, jobs.ref, jobs.fairness_key as "fairnessKey", jobs.fence, jobs.attempts,
          jobs.state, jobs.created_at as "createdAt", picked.due_at as "wasDueAt"`,
    },
    [fairnessKey, kind, now, leaseUntil, limit],
  );
  return rows
    .toSorted((a, b) => a.wasDueAt.getTime() - b.wasDueAt.getTime() || a.id - b.id)
    .map(({ wasDueAt: _wasDueAt, ...job }) => job);
}

const FINISH_TEXT = 'delete from jobs where id = $1 and fence = $2';

/**
 * Ends the job in the caller's transaction, and enqueues it again if it was requested meanwhile.
 *
 * @throws LeaseLostError when the claim is no longer the latest
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
 * Ends jobs in the caller's transaction, and enqueues those again that were requested meanwhile. Another worker has
 * claimed the others: their results must not be stored.
 *
 * @returns the ids of the jobs that it ended
 */
export async function finishAll(tx: Db, jobs: readonly ClaimedJob[]): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ id: number; runAgainAt: Date | null }>(
    {
      name: 'jobs-finish-all',
      text: `delete from jobs using unnest($1::bigint[], $2::bigint[]) as held (id, fence)
        where jobs.id = held.id and jobs.fence = held.fence returning jobs.id, jobs.run_again_at as "runAgainAt"`,
    },
    [jobs.map((job) => job.id), jobs.map((job) => job.fence)],
  );
  const ended = new Map(rows.map((row) => [row.id, row.runAgainAt]));
  const again: NewJob[] = [];
  for (const job of jobs) {
    const runAgainAt = ended.get(job.id);
    if (runAgainAt === undefined) continue;
    job.result = 'done';
    const { kind, ref, fairnessKey } = job;
    if (runAgainAt !== null) again.push({ kind, ref, fairnessKey, dueAt: runAgainAt, createdAt: runAgainAt });
  }
  if (again.length > 0) await enqueue(tx, ...again);
  return new Set(ended.keys());
}

/**
 * Releases the job to run again at `dueAt`. Without a new state it keeps the last stored one.
 *
 * @throws LeaseLostError when the claim is no longer the latest
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

/** Returns whether this job exists, waiting or running. */
export async function hasJob(db: Db, kind: string, ref: number | string): Promise<boolean> {
  const { rowCount } = await db.query({ name: 'jobs-has', text: 'select from jobs where kind = $1 and ref = $2' }, [
    kind,
    String(ref),
  ]);
  return rowCount > 0;
}

/** Locks the job before its handler changes anything. Throws `LeaseLostError` when the claim is no longer the latest. */
export async function lockClaimedJob(tx: Db, job: ClaimedJob): Promise<void> {
  const { rowCount } = await tx.query(
    { name: 'jobs-hold', text: 'select from jobs where id = $1 and fence = $2 for update' },
    [job.id, job.fence],
  );
  if (rowCount === 0) throw new LeaseLostError(job);
}

/**
 * Stores the progress of a long job in the caller's transaction; the claim continues. Resets the attempts, so that the
 * next failure has the first backoff.
 *
 * @throws LeaseLostError when the claim is no longer the latest
 */
export async function saveProgress(db: Db, job: ClaimedJob, state: object): Promise<void> {
  const { rowCount } = await db.query(
    { name: 'jobs-progress', text: 'update jobs set state = $3, attempts = 0 where id = $1 and fence = $2' },
    [job.id, job.fence, JSON.stringify(state)],
  );
  if (rowCount === 0) throw new LeaseLostError(job);
}

/** Returns how often the job was claimed since it was enqueued or last saved progress. */
export async function countAttempts(db: Db, job: ClaimedJob): Promise<number> {
  const { rows } = await db.query<{ attempts: number }>(
    { name: 'jobs-attempts', text: 'select attempts from jobs where id = $1 and fence = $2' },
    [job.id, job.fence],
  );
  const [row] = rows;
  if (!row) throw new LeaseLostError(job);
  return row.attempts;
}

/** Extends the leases of running jobs. Returns the ids whose lease is still held. */
export async function extendLeases(db: Db, jobs: readonly ClaimedJob[], leaseUntil: Date): Promise<Set<number>> {
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

/** Makes all leased jobs due. Only for the start of an embedded database, which no other process can be using. */
export async function releaseAllLeases(db: Db, now: Date): Promise<void> {
  await db.query('update jobs set due_at = $1, is_leased = false where is_leased', [now]);
}

/**
 * Returns when the next job of these kinds is due, or null when there is none.
 *
 * @param after ignores jobs that are due by then; default none, so the result may be in the past
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
