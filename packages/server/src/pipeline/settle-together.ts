/** Runs jobs as one batch, and each alone when the batch fails. */
import { DatabaseUnavailableError } from '../store/database/db.ts';
import type { ClaimedJob } from '../queue/queue.ts';

/**
 * Runs `work` with all jobs, and again with each job alone when that fails, so that a job that cannot succeed fails by
 * itself. `work` may finish some jobs before it fails; they are not run again.
 *
 * @throws the first error of a job that failed alone; the jobs that have no `result` then have failed
 */
export async function settleTogether(
  jobs: readonly ClaimedJob[],
  work: (jobs: readonly ClaimedJob[]) => Promise<void>,
): Promise<void> {
  try {
    await work(jobs);
    return;
  } catch (error) {
    // Without the database, each job would only wait for it again.
    if (jobs.length === 1 || error instanceof DatabaseUnavailableError) throw error;
  }
  let failure: { error: unknown } | undefined;
  for (const job of jobs) {
    if (job.result !== undefined) continue;
    try {
      await work([job]);
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
}
