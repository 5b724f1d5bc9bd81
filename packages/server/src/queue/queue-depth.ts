import type { Database, NamedStatement } from '../store/database/db.ts';

export interface QueueDepth {
  kind: string;
  /** Jobs that exist, counted up to the cap. */
  jobs: number;
  /** When the oldest job that is due came due; null when none is among the oldest due jobs looked at. */
  oldestDueAt: Date | null;
  /** Whether more jobs were due than were looked at, so that null above does not mean that none is due. */
  isCapped: boolean;
}

/** A queue grows faster than its statistics: believing it small, the planner would fetch a whole kind and sort it. */
export const NO_SORT = 'set local enable_sort = off';

/**
 * Both parts walk an index in its order and stop at the cap, so a queue of a million costs what one of ten thousand does.
 * Exported, as is the above, for the test of its plan.
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

/** For every scrape of `/metrics`. */
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
