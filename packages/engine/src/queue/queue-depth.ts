import type { Database, NamedStatement } from '../store/database/db.ts';

export interface QueueDepth {
  kind: string;
  /** Number of jobs, counted up to the cap. */
  jobs: number;
  /** When the oldest due job came due; null when none is due. */
  oldestDueAt: Date | null;
}

/** With outdated statistics the planner would fetch a whole kind of jobs and sort it. */
export const NO_SORT = 'set local enable_sort = off';

/**
 * Reads an index in order up to the cap, and two entries of another, so the cost does not grow with the queue. Exported,
 * like the above, for the test of its plan.
 */
export const DEPTH: NamedStatement = {
  name: 'jobs-depth',
  text: `
select kinds.kind,
  (select count(*) from (select from jobs j where j.kind = kinds.kind order by j.ref limit $3) as capped) as jobs,
  (select min(oldest.due_at) from unnest('{true,false}'::boolean[]) as r (is_ready) cross join lateral (
    select j.due_at from jobs j where j.is_ready = r.is_ready and j.kind = kinds.kind and j.due_at <= $2
    order by j.due_at limit 1
  ) as oldest) as "oldestDueAt"
from unnest($1::text[]) as kinds (kind)`,
};

/** Reads the depth of the queue for a scrape of `/metrics`. */
export async function readQueueDepth(
  db: Database,
  options: { kinds: readonly string[]; now: Date; countMax: number },
): Promise<QueueDepth[]> {
  return db.transaction(async (tx) => {
    await tx.query(NO_SORT);
    const { rows } = await tx.query<QueueDepth>(DEPTH, [options.kinds, options.now, options.countMax]);
    return rows;
  });
}
