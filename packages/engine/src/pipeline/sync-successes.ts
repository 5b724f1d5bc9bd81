/**
 * Stores the results of batches in which every event was written, for connections without any trouble: then the jobs end
 * and the syncs are added, and nothing else changes. One statement does it, because it happens for nearly every batch.
 */
import { endJobsValues } from '../queue/job-ends.ts';
import { insertSyncsValues } from '../store/sync-attempts.ts';
import type { Db } from '../store/database/db.ts';
import type { ConnectionResults, WriteResult } from './sync-results.ts';
import { STORE_SUCCESSES } from './sync-successes.sql.ts';

/** Whether every event was written by calls that are no probe, so that only jobs and syncs change, unless the database knows of a trouble. */
export function hasOnlySuccesses({
  connection,
  results,
  isProbe = false,
  cooldownProbeUntil = null,
}: ConnectionResults): boolean {
  return (
    !isProbe &&
    cooldownProbeUntil === null &&
    connection.crmOutage === null &&
    results.every(({ outcome, next }) => outcome?.status === 'success' && next === null)
  );
}

/**
 * Stores the results of batches that have only successes: all or none.
 *
 * @returns the results whose jobs were still held; null when nothing was stored, because a source fails or a connection
 *   shows an error, which these results end
 */
export async function storeSuccesses(
  db: Db,
  results: readonly WriteResult[],
  at: Date,
): Promise<ReadonlySet<WriteResult> | null> {
  const pairs = new Map(
    results.map(({ write: { target } }) => [`${target.source.id} ${target.connection.id}`, target] as const),
  );
  const { rows } = await db.query<{ hasTroubles: boolean; positions: number[] }>(STORE_SUCCESSES, [
    [...pairs.values()].map(({ source }) => source.id),
    [...pairs.values()].map(({ connection }) => connection.id),
    ...endJobsValues(results.map(({ write: { job } }) => ({ job, dueAt: null }))),
    ...insertSyncsValues(
      results.map(({ write: { target, retryOfSyncId } }) => ({
        target,
        retryOfSyncId,
        status: 'success',
        error: null,
      })),
      at,
    ),
  ]);
  const [stored] = rows;
  if (stored === undefined || stored.hasTroubles) return null;
  const held = new Set(stored.positions.flatMap((position) => results[position] ?? []));
  for (const result of results) result.write.job.result = held.has(result) ? 'done' : 'lease_lost';
  return held;
}
