import { countClosedHours } from '@svc/engine/store/count-hours';
import type { Database } from '@svc/engine/store/database/db';
import { HOUR_MS } from '@svc/engine/store/hour-counts';

/**
 * Counts the closed hours of these logs, as maintenance does. A step waits until all transactions that were under way have ended, so it may take
 * several calls.
 */
export async function countHours(db: Database, logs: readonly string[]): Promise<void> {
  const now = new Date();
  for (let left = 1; left > 0; ) {
    await countClosedHours(db, now);
    const { rows } = await db.query<{ left: number }>(
      `select count(*) as left from hour_count_state where log = any($1) and (counted_until is null or counted_until < $2)`,
      [logs, new Date(now.getTime() - 2 * HOUR_MS)],
    );
    left = rows[0]?.left ?? 0;
  }
  // Autovacuum does the same within minutes.
  await db.script('vacuum (analyze) hour_counts, day_counts', { isLong: true });
}
