/**
 * The fixed windows of the rate limits. One statement decides and counts, so all processes of a database share them. It
 * implements the rule of `@svc/domain/requests/rate-limit`, and a test compares the two.
 */
import type { Db, NamedStatement } from './database/db.ts';

export interface WindowTaken {
  allowed: boolean;
  startedAt: Date;
  /** Requests allowed in this window. */
  count: number;
}

/** Clocks of several processes differ, so a window may start slightly in the future (`isCurrent` of the domain). */
const TAKE: NamedStatement = {
  name: 'rate-windows-take',
  text: `
with taken as (
  insert into rate_windows as w (bucket, started_at, count) values ($1, $2, 1)
  on conflict (bucket) do update set
    started_at = case when w.started_at > $4 and w.started_at < $5 then w.started_at else $2 end,
    count = case when w.started_at > $4 and w.started_at < $5 then w.count + 1 else 1 end
  where w.count < $3 or not (w.started_at > $4 and w.started_at < $5)
  returning started_at, count
)
select true as allowed, started_at as "startedAt", count from taken
union all
select false, started_at, count from rate_windows where bucket = $1 and not exists (select from taken)`,
};

/** Counts one request at `now` in a bucket. */
export async function takeFromWindow(
  db: Db,
  bucket: string,
  window: { limit: number; windowMs: number; now: Date },
): Promise<WindowTaken> {
  const { limit, windowMs, now } = window;
  const earliest = new Date(now.getTime() - windowMs);
  const latest = new Date(now.getTime() + windowMs);
  const { rows } = await db.query<WindowTaken>(TAKE, [bucket, now, limit, earliest, latest]);
  // No row: refused by a window that another process opened during this statement.
  return rows[0] ?? { allowed: false, startedAt: now, count: limit };
}

/** Takes back a request that should not count after all. */
export async function giveBackToWindows(db: Db, buckets: readonly string[]): Promise<void> {
  await db.query('update rate_windows set count = greatest(0, count - 1) where bucket = any($1)', [buckets]);
}

export async function deleteOldWindows(db: Db, before: Date): Promise<void> {
  await db.query('delete from rate_windows where started_at < $1', [before]);
}
