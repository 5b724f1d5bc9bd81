/** The doctor's check of jobs that threw the same error again and again. */
import { countSetAside } from '@svc/engine/queue/set-aside';
import type { AdminContext } from '../work/operation.ts';
import { type Check, fail } from './check.ts';

const FIX =
  'svc-server jobs list shows them, and the log says where the error was thrown. Update, or report the error; after that svc-server jobs retry runs them again.';

/** Returns one check for each error, none when no job is set aside. */
export async function checkSetAsideJobs({ db }: Pick<AdminContext, 'db'>): Promise<Check[]> {
  return (await countSetAside(db)).map(({ kind, error, count, since }) => {
    const jobs = count === 1 ? `1 job ${kind}` : `${count} jobs ${kind}`;
    return fail(
      'jobs set aside',
      `${jobs} threw the same error again and again, first ${since.toISOString()}: ${error}`,
      FIX,
    );
  });
}
