/** Ends many jobs in the statement that stores their results. */
import type { Db } from '../store/database/db.ts';
import { type ClaimedJob, IS_LEASED, LeaseLostError, RELEASED, storedState } from './queue.ts';

/** How an attempt leaves its job. */
export interface JobEnd {
  job: ClaimedJob;
  /** When the job runs again; null finishes it, and enqueues it again if it was requested meanwhile. */
  dueAt: Date | null;
  /** Replaces the state of a job that runs again. Default: the last stored one. */
  state?: object;
}

/** Number of parameters of `endJobsText`. */
export const END_JOBS_PARAMETERS = 4;

/**
 * Returns SQL that finishes or defers jobs, as common table expressions for a statement that stores their results. Its
 * table `held` has one row (`id`, `position` from 1 in the order of the jobs) for every job whose claim is still the
 * latest; the results of other jobs must be dropped.
 *
 * Rows are locked in the order of their ids, so that statements about several jobs do not wait for each other in a
 * circle. Each is looked up by its id: without statistics, a plain join would read all jobs. So would an update of the
 * rows where `due_at is not null`, of which PostgreSQL expects many; of a range it expects few.
 *
 * @param first number of the first of `END_JOBS_PARAMETERS` parameters; the values are `endJobsValues(ends)`
 * @param condition SQL on `ends.position`; the jobs that it excludes are not held
 */
export function endJobsText(first: number, condition = 'true'): string {
  const types = ['bigint[]', 'bigint[]', 'timestamptz[]', 'text[]'];
  const values = types.map((type, index) => `$${first + index}::${type}`).join(', ');
  return `ends as materialized (
      select * from unnest(${values}) with ordinality as ends (id, fence, due_at, state, position) where ${condition}
    ), held as materialized (
      select job.id, ends.position, ends.due_at, ends.state, job.run_again_at
      from (select * from ends order by id) as ends cross join lateral (
        select jobs.id, jobs.run_again_at from jobs
        where jobs.id = ends.id and jobs.fence = ends.fence and ${IS_LEASED} for update
      ) as job
    ), finished as (
      delete from jobs using held where jobs.id = held.id and held.due_at is null and held.run_again_at is null
    ), requested as (
      update jobs set due_at = held.run_again_at, created_at = held.run_again_at, run_again_at = null,
        ${RELEASED}, failures = 0, attempts = 0, state = '{}', last_error = null
      from held where jobs.id = held.id and held.due_at is null and held.run_again_at is not null
    ), deferred as (
      update jobs set due_at = held.due_at, ${RELEASED}, failures = 0,
        state = coalesce(held.state::jsonb, jobs.state), last_error = null
      from held where jobs.id = held.id and held.due_at between '-infinity' and 'infinity'
    )`;
}

export function endJobsValues(ends: readonly JobEnd[]): unknown[] {
  return [
    ends.map(({ job }) => job.id),
    ends.map(({ job }) => job.fence),
    ends.map(({ dueAt }) => dueAt?.toISOString() ?? null),
    ends.map(({ job, state }) => storedState(job, state)),
  ];
}

/** Finishes or defers jobs in the caller's transaction. Returns the positions, from 0, of those that were still held. */
export async function endJobs(tx: Db, ends: readonly JobEnd[]): Promise<number[]> {
  const { rows } = await tx.query<{ position: number }>(
    { name: 'jobs-end', text: `with ${endJobsText(1)} select position - 1 as position from held order by 1` },
    endJobsValues(ends),
  );
  return rows.map(({ position }) => position);
}

/**
 * Records on the job how it ended, after the commit.
 *
 * @throws LeaseLostError when it was no longer held
 */
export function noteJobEnd({ job, dueAt }: JobEnd, isHeld: boolean): void {
  if (!isHeld) throw new LeaseLostError(job);
  job.result = dueAt === null ? 'done' : 'deferred';
}
