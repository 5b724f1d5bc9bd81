/**
 * Stores the results of batches in which every event was written, for connections without any trouble: then the jobs end
 * and the syncs are added, and nothing else changes. One statement does it, because it happens for nearly every batch.
 */
import { END_JOBS_PARAMETERS, endJobsText, endJobsValues } from '../queue/job-ends.ts';
import { insertSyncsText, insertSyncsValues } from '../store/sync-attempts.ts';
import type { Db } from '../store/database/db.ts';
import type { ConnectionResults, WriteResult } from './sync-results.ts';

const TROUBLE_PARAMETERS = 2;
const SYNCS_FIRST = TROUBLE_PARAMETERS + END_JOBS_PARAMETERS + 1;

const STORE_PLAIN = {
  name: 'crm-writes-store-plain',
  text: `with troubles as materialized (
      select from sync_health where (source_id, connection_id) in (select * from unnest($1::bigint[], $2::bigint[]))
        and consecutive_failures > 0
      union all
      select from connections where id = any($2) and recorded_error is not null
    ), ${endJobsText(TROUBLE_PARAMETERS + 1, 'not exists (select from troubles)')}, added as (
      ${insertSyncsText(SYNCS_FIRST, 'join held using (position)')}
    )
    select exists (select from troubles) as "hasTroubles", array(select position - 1 from held) as positions`,
};

/** Whether the results change nothing but jobs and syncs, unless the database says otherwise. */
export function isPlain({
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
 * Stores the results of plain batches, all or none.
 *
 * @returns the results whose jobs were still held; null when nothing was stored, because a source fails or a connection
 *   shows an error, which these results end
 */
export async function storePlainResults(
  db: Db,
  results: readonly WriteResult[],
  at: Date,
): Promise<ReadonlySet<WriteResult> | null> {
  const pairs = new Map(
    results.map(({ write: { target } }) => [`${target.source.id} ${target.connection.id}`, target] as const),
  );
  const { rows } = await db.query<{ hasTroubles: boolean; positions: number[] }>(STORE_PLAIN, [
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
