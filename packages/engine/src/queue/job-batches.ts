/** Runs jobs as one batch, and stores the results of many jobs at once. */
import { type Database, DatabaseUnavailableError, type Db } from '../store/database/db.ts';
import { forJob } from './leases.ts';
import { type ClaimedJob, JobReturnedError, LOCKED, RELEASED, storedState } from './queue.ts';

/**
 * Runs `work` with all jobs, and with each job alone when that fails, so that a job that cannot succeed fails by itself.
 *
 * @throws the first error of a job that failed alone; the jobs without a `result` have failed
 */
export async function runTogether(
  jobs: readonly ClaimedJob[],
  work: (jobs: readonly ClaimedJob[]) => Promise<void>,
): Promise<void> {
  try {
    await work(jobs);
    return;
  } catch (error) {
    // While the database is away, or a key is missing, each job alone would only wait for the same thing again.
    if (jobs.length === 1 || concernsAll(error)) throw error;
  }
  let failure: { error: unknown } | undefined;
  for (const job of jobs) {
    // The batch may have settled some jobs before it failed.
    if (job.result !== undefined) continue;
    try {
      // The lease of another job does not concern this one.
      await forJob(job, () => work([job]));
    } catch (error) {
      // Jobs behind this one must not overtake it.
      if (concernsAll(error)) throw error;
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
}

function concernsAll(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || error instanceof JobReturnedError;
}

/** Stores the results of jobs in a transaction. When it is rolled back, the jobs have no result. */
export async function settle<T>(db: Database, jobs: readonly ClaimedJob[], work: (tx: Db) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(work);
  } catch (error) {
    for (const job of jobs) delete job.result;
    throw error;
  }
}

/**
 * Locks jobs before their results are stored, in the order of their ids, so that two transactions never wait for each
 * other.
 *
 * @returns the ids of the jobs whose claim is still the latest
 */
export async function lockClaimedJobs(tx: Db, jobs: readonly ClaimedJob[]): Promise<ReadonlySet<number>> {
  const { rows } = await tx.query<{ id: number }>(
    {
      name: 'jobs-lock-all',
      text: `with ${LOCKED} select id from locked`,
    },
    [jobs.map((job) => job.id), jobs.map((job) => job.fence)],
  );
  return new Set(rows.map(({ id }) => id));
}

export interface Deferral {
  job: ClaimedJob;
  dueAt: Date;
  /** Absent: the job keeps its state. */
  state?: object;
  /** Why it runs again. */
  error?: string;
}

/**
 * Releases jobs to run again. Another worker has claimed the others: their results must not be stored.
 *
 * @returns the ids of the jobs that it deferred
 */
export async function deferAll(tx: Db, deferrals: readonly Deferral[]): Promise<ReadonlySet<number>> {
  if (deferrals.length === 0) return new Set();
  const { rows } = await tx.query<{ id: number }>(
    {
      name: 'jobs-defer-all',
      text: `with ${LOCKED} update jobs set due_at = deferred.due_at, ${RELEASED}, failures = 0,
          state = coalesce(deferred.state::jsonb, jobs.state), last_error = deferred.error
        from locked join unnest($1::bigint[], $3::timestamptz[], $4::text[], $5::text[])
          as deferred (id, due_at, state, error) using (id)
        where jobs.id = locked.id returning jobs.id`,
    },
    [
      deferrals.map(({ job }) => job.id),
      deferrals.map(({ job }) => job.fence),
      deferrals.map(({ dueAt }) => dueAt.toISOString()),
      deferrals.map(({ job, state }) => storedState(job, state)),
      deferrals.map(({ error }) => error ?? null),
    ],
  );
  const ids = new Set(rows.map(({ id }) => id));
  for (const { job } of deferrals) if (ids.has(job.id)) job.result = 'deferred';
  return ids;
}
