/**
 * What follows when a handler throws. The job runs again after a backoff. When it threw the same error `THROWS_MAX` times in a row,
 * repeating it helps nobody: it is given up.
 */
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import { type Database, DatabaseUnavailableError } from '../store/database/db.ts';
import { deferFailed, returnJobs } from './claims.ts';
import { type ClaimedJob, JobReturnedError, LeaseLostError } from './queue.ts';

/** With the backoff that is at least eight minutes, in which a bad release can be replaced. */
export const THROWS_MAX = 10;

/** Ends a job that cannot succeed, and records that for everybody concerned. */
export type GiveUp = (job: ClaimedJob, error: string) => Promise<void>;

export interface FailureOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  /** Default: jobs are repeated for ever. */
  giveUp?: GiveUp | undefined;
  /** Keeps jobs whose database is away until it answers. Default: they wait for the end of their leases. */
  keep?: ((jobs: readonly ClaimedJob[]) => void) | undefined;
}

/** Defers jobs that a handler did not settle, or gives them up. Never throws. @param jobs of one kind */
export async function failJobs(
  { db, clock, log, giveUp, keep }: FailureOptions,
  jobs: readonly ClaimedJob[],
  error: unknown,
): Promise<void> {
  const [first] = jobs;
  if (!first) return;
  const { id: jobId, kind, ref, attempts } = first;
  const fields = { jobId, kind, ref, attempts, ...(jobs.length > 1 && { jobCount: jobs.length }) };
  if (error instanceof JobReturnedError) {
    log.warn(fields, `a job was given back: ${error.message}`);
    await returnJobs(db, jobs, clock.now()).catch((returnError: unknown) => {
      log.error({ ...fields, err: returnError }, 'a job could not be given back');
    });
    return;
  }
  if (error instanceof LeaseLostError) log.warn(fields, 'the lease of a job was lost, its result was dropped');
  else log.error({ ...fields, err: error }, 'a job failed and will run again');
  if (keep !== undefined && error instanceof DatabaseUnavailableError) return keep(jobs);
  const message = error instanceof Error ? error.message : String(error);
  try {
    const throws = await deferFailed(db, jobs, { now: clock.now(), error: message, isCounted: isCounted(error) });
    if (giveUp === undefined) return;
    for (const job of jobs) if ((throws.get(job.id) ?? 0) >= THROWS_MAX) await giveUp(job, message);
  } catch (deferError) {
    // The jobs come back, at the latest at the end of their leases.
    log.error({ ...fields, err: deferError }, 'a job could not be deferred');
  }
}

/** SQLSTATE of failures that say nothing about the job: deadlocks, locks, cancelled statements. */
const PASSING_SQLSTATE = /^(40|55|57)[0-9A-Z]{3}$/;

function isCounted(error: unknown): boolean {
  if (error instanceof LeaseLostError || error instanceof DatabaseUnavailableError) return false;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code !== 'string' || !PASSING_SQLSTATE.test(code);
}
