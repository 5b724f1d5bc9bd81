import type { Database, NamedStatement } from '../store/database/db.ts';

export interface QueueDepth {
  kind: string;
  /** Number of jobs, counted up to the cap. */
  jobs: number;
  /** When the oldest due job came due; null when none is among the oldest due jobs that were read. */
  oldestDueAt: Date | null;
  /** Whether more jobs were due than were read, so that a null above may be wrong. */
  isCapped: boolean;
}

/** With outdated statistics the planner would fetch a whole kind of jobs and sort it. */
export const NO_SORT = 'set local enable_sort = off';

/**
 * Both parts read an index in order and stop at the cap, so the cost does not grow with the queue. Exported, like the
 * above, for the test of its plan.
 */
export const DEPTH: NamedStatement = {
  name: 'jobs-depth',
  text: `
with oldest as materialized (
  select kind, due_at from jobs where due_at <= $2 order by due_at limit $3
)
select kinds.kind,
  (select count(*) from (select from jobs j where j.kind = kinds.kind order by j.ref limit $3) as capped) as jobs,
  (select min(due_at) from oldest where oldest.kind = kinds.kind) as "oldestDueAt",
  (select count(*) from oldest) >= $3 as "isCapped"
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
