/**
 * Claims: who gets which due jobs. The rules, which `claims.test.ts` and `queue.test.ts` check on both backends:
 *
 * - Claiming is round-robin over the owners, beginning after the one that this claimer dealt last. The owner is the part of
 *   a fairness key before `/`; the keys of one owner take turns in the same way. Owners and keys with workers wait for
 *   those with fewer.
 * - An owner may use at most as many workers as it leaves idle at the claimer, and each of its keys at most half of them,
 *   so a busy one does not starve the others. Workers of all processes count, until their leases end.
 * - The due jobs of a kind and key come in the order in which they were enqueued, whatever the clocks of the processes say. A job that
 *   comes back from a dead worker, or after a wait, keeps its place.
 * - A kind with a batch size: a worker gets all due jobs of the kind and key up to this number. A claim gives one batch of
 *   a kind and key. A job that no handler settled twice is claimed alone, so that it cannot fail others.
 * - Serial kinds: at most one worker of all processes has jobs of these kinds of a key. When its lease has ended and
 *   another worker takes over, it loses all its jobs of these kinds and this key.
 *
 * The cost of a claim grows with the number of workers, not with the number of keys, due or parked: the function
 * `jobs_claim` (`store/schema/functions/jobs-claim.ts`) steps from owner to owner in an index of the due jobs, and stops when it has found one for
 * each worker.
 */
import type { Db } from '../store/database/db.ts';
import { type ClaimedJob, IS_LEASED, LOCKED, RELEASED } from './queue.ts';

const CLAIM = {
  name: 'jobs-claim',
  text: `select id, kind, ref, fairness_key as "fairnessKey", fence, attempts, state, created_at as "createdAt", place
    from jobs_claim($1, $2, $3, $4, $5, $6, $7, $8)`,
};

export interface ClaimOptions {
  now: Date;
  kinds: readonly string[];
  /** Most jobs of a kind for one worker. Default 1. */
  batchSizes?: Readonly<Record<string, number>>;
  /** Groups of kinds that exclude each other, and themselves, at the same key. Default none. */
  serialKinds?: readonly (readonly string[])[];
  /** Number of idle workers. An owner gets no more than it leaves idle, counting its workers in all processes. */
  limit: number;
  leaseUntil: Date;
  /** Key of the job that the caller was dealt last; the round-robin continues after it. */
  lastKey?: string;
  /** The process that gets the leases, as `worker-presence.ts` knows it. Default null: they end by time only. */
  workerId?: number | null;
}

/**
 * Claims due jobs of these kinds and leases them until `leaseUntil`. Returns a batch for each worker, in the order of
 * dealing; the jobs of a batch have one kind and key.
 */
export async function claimBatches(db: Db, options: ClaimOptions): Promise<ClaimedJob[][]> {
  const { now, kinds, batchSizes = {}, serialKinds = [], limit, leaseUntil, lastKey = '', workerId = null } = options;
  const { rows } = await db.query<ClaimedJob & { place: number }>(CLAIM, [
    now,
    kinds,
    kinds.map((kind) => batchSizes[kind] ?? 1),
    kinds.map((kind) => serialKinds.find((group) => group.includes(kind))?.join(',') ?? null),
    limit,
    leaseUntil,
    lastKey,
    workerId,
  ]);
  const batches = Map.groupBy(rows, (row) => row.place);
  return [...batches.values()].map((batch) => batch.map(({ place: _place, ...job }) => job));
}

/** Claims like `claimBatches`, without the division into batches. */
export async function claim(db: Db, options: ClaimOptions): Promise<ClaimedJob[]> {
  return (await claimBatches(db, options)).flat();
}

/** Extends the leases of running jobs. Returns the ids whose lease is still held. */
export async function extendLeases(db: Db, jobs: readonly ClaimedJob[], leaseUntil: Date): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    {
      name: 'jobs-prolong',
      // Locked in the order of the ids, as where jobs end, so that the two never wait for each other.
      text: `with held as (
          select jobs.id from jobs join unnest($1::bigint[], $2::bigint[]) as held (id, fence)
            on jobs.id = held.id and jobs.fence = held.fence and ${IS_LEASED}
          order by jobs.id for update of jobs
        )
        update jobs set due_at = $3, is_ready = false from held where jobs.id = held.id returning jobs.id`,
    },
    [jobs.map((job) => job.id), jobs.map((job) => job.fence), leaseUntil],
  );
  return new Set(rows.map((row) => row.id));
}

/**
 * Makes claimed jobs due again, in their place, for other workers. From then on, nothing that their handlers still do counts. Those that
 * ended or whose lease was lost stay unchanged.
 */
export async function returnJobs(db: Db, jobs: readonly ClaimedJob[], now: Date): Promise<void> {
  await db.query(
    {
      name: 'jobs-return',
      text: `with ${LOCKED}
        update jobs set due_at = $3, is_leased = false, is_leader = false, worker_id = null, is_ready = true,
          failures = failures - 1, fence = fence + 1
        from locked where jobs.id = locked.id and ${IS_LEASED}`,
    },
    [jobs.map((job) => job.id), jobs.map((job) => job.fence), now],
  );
}

const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_MAX_MS = 3_600_000;

/**
 * Makes jobs that no handler settled due again after a wait that doubles with each failure in a row. Those whose lease was lost
 * stay unchanged.
 *
 * @param failure.isCounted false when the error says nothing about the jobs
 * @returns how often in a row each job threw this error. Numbers in an error, such as a duration, do not make it another one
 */
export async function deferFailed(
  db: Db,
  jobs: readonly ClaimedJob[],
  { now, error, isCounted }: { now: Date; error: string; isCounted: boolean },
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await db.query<{ id: number; throws: number }>(
    {
      name: 'jobs-defer-failed',
      text: `with ${LOCKED} update jobs set ${RELEASED}, last_error = $4,
          throws = case when not $7 then 0
            when failures > 1 and regexp_replace(last_error, '[0-9]+', '0', 'g') = regexp_replace($4, '[0-9]+', '0', 'g')
              then throws + 1
            else 1 end,
          due_at = $3::timestamptz + least($6::float8, $5::float8 * 2 ^ greatest(0, least(30, failures - 1))) * interval '1 millisecond'
        from locked where jobs.id = locked.id returning jobs.id, throws`,
    },
    [jobs.map((job) => job.id), jobs.map((job) => job.fence), now, error, BACKOFF_FIRST_MS, BACKOFF_MAX_MS, isCounted],
  );
  return new Map(rows.map(({ id, throws }) => [id, throws]));
}

/** Makes all leased jobs due. Only for the start of an embedded database, which no other process can be using. */
export async function releaseAllLeases(db: Db, now: Date): Promise<void> {
  await db.query('update jobs set due_at = $1, is_leased = false, is_leader = false, is_ready = true where is_leased', [
    now,
  ]);
}

/**
 * Returns when the next job of these kinds is due, or null when there is none.
 *
 * @param after ignores jobs that are due by then; default none, so the result may be in the past
 */
export async function nextDueAt(db: Db, kinds: readonly string[], after: Date | null = null): Promise<Date | null> {
  const { rows } = await db.query<{ due_at: Date | null }>(
    {
      name: 'jobs-next-due',
      text: `select min(due_at) as due_at from unnest($1::text[]) as kinds (kind) cross join lateral (
          (select due_at from jobs where not is_ready and kind = kinds.kind
              and due_at > coalesce($2, '-infinity'::timestamptz) order by due_at limit 1)
          union all
          (select due_at from jobs where is_ready and kind = kinds.kind and $2 is null order by fairness_key limit 1)
        ) as next`,
    },
    [kinds, after],
  );
  return rows[0]?.due_at ?? null;
}
