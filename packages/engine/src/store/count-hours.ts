/**
 * Counts the rows of closed hours into `hour_counts`, and counts hours again that changed since.
 *
 * An hour is counted when every later change of its rows is noted: `closing_until` is committed first, from then on
 * triggers note changes before it, and counting waits until all transactions have ended that may not have seen it.
 * Marks of changes are deleted before the rows are counted, so a change that commits in between keeps its mark.
 *
 * Each step is one short transaction that leaves everything correct, so it may be killed anywhere, and old
 * installations catch up step by step. The lock of the log's state keeps other processes out.
 */
import type { Database, Db } from './database/db.ts';
import { byHour, COUNTED_LOGS, type CountedLog, countSpansText, HOUR_MS } from './hour-counts.ts';

/** How long after its end an hour is counted; rows that come later cost a second count. */
const CLOSES_AFTER_MS = 5 * 60_000;
/** Rows that one step should count. */
const ROWS_WANTED = 50_000;
const HOURS_MAX = 31 * 24;
const CHANGED_MAX = 500;
const DELETED_MAX = 5_000;
/** Steps of one run for each log; the next run continues. */
const STEPS_MAX = 200;

interface State {
  countedFrom: Date | null;
  countedUntil: Date | null;
  closingUntil: Date;
  /** Whether all changes of rows before `closingUntil` are noted. */
  isReady: boolean;
}

/** Returns when the last hour ends that is counted by then. */
export function endOfClosedHours(now: Date): Date {
  return new Date(Math.floor((now.getTime() - CLOSES_AFTER_MS) / HOUR_MS) * HOUR_MS);
}

/**
 * Runs the steps that are due, but not more than a run has.
 *
 * @param mayGoOn asked before each step. Default: always
 */
export async function countClosedHours(db: Database, now: Date, mayGoOn = () => true): Promise<void> {
  const end = endOfClosedHours(now);
  for (const log of COUNTED_LOGS) {
    if (!mayGoOn()) return;
    await closeHours(db, log, end);
    const size = { changed: CHANGED_MAX, hours: 1 };
    for (let step = 0; step < STEPS_MAX && mayGoOn(); step += 1) {
      if (!(await db.transaction((tx) => takeStep(tx, log, size), { isLong: true }))) break;
    }
  }
}

/** Begins to note changes before `end`, unless an earlier end is still being counted. */
async function closeHours(db: Database, log: CountedLog, end: Date): Promise<void> {
  await db.query(
    `update hour_count_state set closing_until = $2, closing_xid = null where log = $1
      and (closing_until is null or closing_until = counted_until and closing_until < $2)`,
    [log, end],
  );
  // In a transaction of its own: later transactions see closing_until. A transaction id that is not reached yet comes
  // from another database: this database is a restored copy of that one.
  await db.query(
    `update hour_count_state set closing_xid = pg_snapshot_xmax(pg_current_snapshot())
      where log = $1 and closing_until is not null and (closing_xid is null or closing_xid > pg_snapshot_xmax(pg_current_snapshot()))`,
    [log],
  );
}

/** Number of hours of the next step; changed by each step to count about as many rows as wanted. */
interface StepSize {
  changed: number;
  hours: number;
}

/** @returns whether there may be more to do */
async function takeStep(tx: Db, log: CountedLog, size: StepSize): Promise<boolean> {
  const { rows } = await tx.query<State>(
    `select counted_from as "countedFrom", counted_until as "countedUntil", closing_until as "closingUntil",
        coalesce(pg_snapshot_xmin(pg_current_snapshot()) >= closing_xid, false) as "isReady"
      from hour_count_state where log = $1 and closing_until is not null for update skip locked`,
    [log],
  );
  const [state] = rows;
  if (state === undefined) return false;
  const { countedFrom, countedUntil, closingUntil, isReady } = state;
  if (countedFrom !== null && countedUntil !== null) {
    if (await countChangedHours(tx, log, { countedFrom, countedUntil }, size)) return true;
    if (await deleteForgotten(tx, log, countedFrom)) return true;
  }
  if (!isReady) return false;
  const from = countedUntil ?? (await firstHour(tx, log, closingUntil));
  const hours = Math.min(size.hours, (closingUntil.getTime() - from.getTime()) / HOUR_MS);
  if (hours <= 0 && countedUntil !== null) return false;
  const until = new Date(from.getTime() + hours * HOUR_MS);
  await tx.query('delete from changed_hours where log = $1 and hour >= $2 and hour < $3', [log, from, until]);
  const counted = await insertCounts(
    tx,
    log,
    `(select owner_id, $1::timestamptz as since, $2::timestamptz as until from (${OWNERS[log]}) owners)`,
    [from, until],
  );
  await tx.query(
    'update hour_count_state set counted_from = coalesce(counted_from, $2), counted_until = $3 where log = $1',
    [log, from, until],
  );
  size.hours = nextSize(hours, counted, HOURS_MAX);
  return true;
}

const OWNERS: Readonly<Record<CountedLog, string>> = {
  requests: 'select id as owner_id from connections union all select -id from accounts',
  syncs: 'select id as owner_id from connections',
  deliveries: 'select id as owner_id from connections',
};

/** @returns whether any was found */
async function countChangedHours(
  tx: Db,
  log: CountedLog,
  { countedFrom, countedUntil }: { countedFrom: Date; countedUntil: Date },
  size: StepSize,
): Promise<boolean> {
  const { rows } = await tx.query<{ ownerId: number; hour: Date }>(
    `with picked as materialized (
        select distinct owner_id, hour from changed_hours where log = $1 and hour < $2 order by owner_id, hour limit $3
      ), deleted as (
        delete from changed_hours c using picked where c.log = $1 and c.owner_id = picked.owner_id and c.hour = picked.hour
      )
      select owner_id as "ownerId", hour from picked`,
    [log, countedUntil, size.changed],
  );
  if (rows.length === 0) return false;
  const owners = rows.map(({ ownerId }) => ownerId);
  const hours = rows.map(({ hour }) => hour.toISOString());
  await tx.query(
    `delete from hour_counts h using unnest($2::bigint[], $3::timestamptz[]) as changed (owner_id, hour)
      where h.log = $1 and h.owner_id = changed.owner_id and h.hour = changed.hour`,
    [log, owners, hours],
  );
  const counted = await insertCounts(
    tx,
    log,
    `(select owner_id, hour as since, hour + interval '1 hour' as until
      from unnest($1::bigint[], $2::timestamptz[]) as changed (owner_id, hour) where hour >= $3)`,
    [owners, hours, countedFrom],
  );
  size.changed = nextSize(rows.length, counted, CHANGED_MAX);
  return true;
}

/** @returns the number of rows counted */
async function insertCounts(tx: Db, log: CountedLog, spans: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await tx.query<{ counted: number }>(
    `with added as (
        insert into hour_counts (log, owner_id, hour, part_id, counted, success, warning, error, http2xx)
        select '${log}', counts.* from (${countSpansText(log, spans, byHour(log))}) counts returning counted
      )
      select coalesce(sum(counted), 0)::bigint as counted from added`,
    values,
  );
  return rows[0]?.counted ?? 0;
}

/** Returns the hour of the oldest row, or `end` when there is none before it. */
async function firstHour(tx: Db, log: CountedLog, end: Date): Promise<Date> {
  const oldest = (owner: string) =>
    `(select created_at from ${log} where ${owner} and created_at < $1 order by created_at limit 1)`;
  const { rows } = await tx.query<{ hour: Date }>(
    `select date_trunc('hour', coalesce(min(least(${oldest('connection_id = owner_id')},
        ${oldest('connection_id is null and account_id = -owner_id')})), $1), 'UTC') as hour
      from (${OWNERS[log]}) owners`,
    [end],
  );
  return rows[0]?.hour ?? end;
}

/** Deletes counts of hours whose rows were dropped. Returns whether there may be more. */
async function deleteForgotten(tx: Db, log: CountedLog, countedFrom: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `delete from hour_counts where ctid in (
      select ctid from hour_counts where log = $1 and hour < $2 limit ${DELETED_MAX})`,
    [log, countedFrom],
  );
  return rowCount === DELETED_MAX;
}

function nextSize(size: number, counted: number, max: number): number {
  const wanted = counted === 0 ? size * 2 : Math.floor((size * ROWS_WANTED) / counted);
  return Math.max(1, Math.min(wanted, size * 2, max));
}
