import { pino } from 'pino';
import { type ClaimedJob, finish } from '../../src/queue/queue.ts';
import { createJobRunner, type JobRunner, type JobRunnerOptions } from '../../src/queue/runner.ts';

/**
 * Returns a runner of jobs of the kind `work`, and the refs of those that it has finished.
 *
 * @param during what each job does
 */
export function createRecordingRunner(
  options: Pick<JobRunnerOptions, 'db' | 'clock' | 'concurrency' | 'serialKinds'>,
  during?: (job: ClaimedJob) => Promise<unknown>,
): { runner: JobRunner; ran: string[] } {
  const ran: string[] = [];
  const work = async (job: ClaimedJob) => {
    await during?.(job);
    await finish(options.db, job);
    ran.push(job.ref);
  };
  return { runner: createJobRunner({ log: pino({ level: 'silent' }), handlers: { work }, ...options }), ran };
}
