/**
 * The partitions of the logs. Each log has one for every month of `created_at` (UTC), made ahead, one for everything
 * before the first month (`<table>_earlier`) and one for everything after the last (`<table>_later`). So a row is never
 * refused for its time, also when a clock jumps. Ids come from one sequence, and lists read the partitions in their order.
 *
 * A log begins as one partition for all times; a month after that, everything so far is `earlier`.
 */
import type { Logger } from 'pino';
import type { Database, Db } from './database/db.ts';
import { COUNTED_LOGS, forgetHoursBefore } from './hour-counts.ts';
import { HELD_RECEIPTS } from './held-events.ts';
import { jobsNeeding } from './job-rows.ts';
import { lockLog, lockLogSql } from './migrations/to-partitioned.ts';
import { type LockPatience, LocksTakenError, withShortLocks } from './migrations/short-locks.ts';
import { LOG_TABLES, type LogTable } from './schema/index.ts';

/** The migration that makes the logs partitioned. */
const PARTITIONED_BY = 30;
/** Held by the one process that changes partitions. */
const MONTHS_LOCK = 0x53_56_43_05;
/** Months that are made ahead of the current one. */
const MONTHS_AHEAD = 3;
/** Most months that one run makes, also when the clock has jumped far. */
const MONTHS_MAX = 24;
/** Answers wait no longer than a lock does. What finds no lock free is tried again by the next run. */
const PATIENCE: LockPatience = { lockWaitMs: 50, pauseMs: 250, attemptsMax: 40 };
const DAY_MS = 86_400_000;
/** While the end of a log's first partition is prepared, later rows are refused. A worker that is killed then has this time to come back. */
const END_AHEAD_MS = 7 * DAY_MS;
/** Rows of one deleting statement, and statements of one run. */
const DELETED_AT_ONCE = 1_000;
const DELETIONS_MAX = 500;

interface Partition {
  name: string;
  /** Null: from the beginning of time. */
  from: Date | null;
  /** Not included. Null: to the end of time. */
  until: Date | null;
}

/** Returns the partitions of a log by time; none before `svc-server migrate --finish` has made it partitioned. */
export async function listPartitions(db: Db, table: LogTable): Promise<Partition[]> {
  const { rows } = await db.query<Partition>(
    `select c.relname as name,
        (regexp_match(b.bound, 'FROM [(]''([^'']+)''[)]'))[1]::timestamptz as "from",
        (regexp_match(b.bound, 'TO [(]''([^'']+)''[)]'))[1]::timestamptz as until
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
        cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
      where i.inhparent = to_regclass($1) order by 2 nulls first`,
    [table],
  );
  return rows;
}

/**
 * Returns the logs for which no worker has made the next month in time, and until when they have months; null: none. Rows
 * after that go to the last partition, from which they are moved when the months are made, so nothing is lost.
 */
export async function listLateLogs(db: Db, now: Date): Promise<{ table: LogTable; until: Date | null }[]> {
  const { rows } = await db.query<{ at: Date }>('select applied_at as at from schema_migrations where version = $1', [
    PARTITIONED_BY,
  ]);
  const [partitioned] = rows;
  // A worker makes the first months soon after its start.
  if (partitioned === undefined || now.getTime() - partitioned.at.getTime() < DAY_MS) return [];
  const wanted = monthAfter(now, 2);
  const late: { table: LogTable; until: Date | null }[] = [];
  for (const table of LOG_TABLES) {
    const until = (await listPartitions(db, table)).at(-1)?.from ?? null;
    if (until === null || until < wanted) late.push({ table, until });
  }
  return late;
}

/**
 * Makes the months ahead and drops those that are no longer kept. One process at a time does it; the others do nothing.
 *
 * @param keptFrom the first instant whose rows are kept; null: all are. Whole months before it are dropped
 */
export async function maintainLogMonths(
  { db, log }: { db: Database; log: Logger },
  now: Date,
  keptFrom: Date | null,
): Promise<void> {
  await db.exclusively(MONTHS_LOCK, async (assertHeld) => {
    for (const table of LOG_TABLES) {
      assertHeld();
      try {
        const made = await makeMonths(db, table, now);
        if (made.length > 0) log.info({ table, months: made }, 'months of a log were made ahead');
        if (keptFrom === null) continue;
        const dropped = await dropMonths(db, table, monthOf(keptFrom));
        if (dropped.length > 0) log.info({ table, partitions: dropped }, 'months of a log were dropped for their age');
        const deleted = await deleteEarlier(db, table, monthOf(keptFrom));
        if (deleted > 0) log.info({ table, deleted }, 'rows from before the first month were deleted for their age');
      } catch (error) {
        // The other logs, and what follows, do not wait for this one.
        if (error instanceof LocksTakenError)
          log.warn({ table }, 'the months of a log are in use all the time; the next run tries again');
        else log.warn({ err: error, table }, 'the months of a log could not be maintained; the next run tries again');
      }
    }
  });
}

/** Makes the months up to three ahead. Returns those that are new. */
export async function makeMonths(db: Database, table: LogTable, now: Date): Promise<string[]> {
  const last = (await listPartitions(db, table)).at(-1);
  if (last === undefined) return [];
  const wanted = monthAfter(now, MONTHS_AHEAD + 1);
  if (last.from !== null && last.from >= wanted) return [];
  const first = last.from ?? (await endEarlier(db, last.name, now));
  const months: { name: string; from: Date; until: Date }[] = [];
  for (let from = first; months.length < MONTHS_MAX && (from < wanted || months.length === 0); ) {
    const until = monthAfter(from, 1);
    months.push({ name: `${table}_${from.toISOString().slice(0, 7).replace('-', '_')}`, from, until });
    from = until;
  }
  const end = months.at(-1)?.until ?? wanted;
  const later = `${table}_later`;
  const moved = `${table}_moved`;
  await withShortLocks(
    db,
    async (tx, beBrief) => {
      for (const { name } of months) await tx.script(`create table ${name} (like ${table} including all)`);
      await beBrief();
      if (last.from === null) await beginMonths(tx, table, { name: last.name, from: null, until: first });
      else {
        await lockLog(tx, table, 'share row exclusive');
        // Dropped, not detached, because that would lock more. It is empty unless a clock ran ahead.
        await tx.script(`create table ${moved} as table ${later}; drop table ${later}`);
        for (const { name, until } of months) await moveRows(tx, moved, name, until);
      }
      for (const month of months) await attach(tx, table, month);
      await tx.script(`create table ${later} (like ${table} including all)`);
      if (last.from !== null) {
        await moveRows(tx, moved, later, null);
        await tx.script(`drop table ${moved}`);
      }
      await attach(tx, table, { name: later, from: end, until: null });
    },
    PATIENCE,
  );
  // Statistics of the whole log are made by nobody else.
  await db.script(`analyze ${table}`, { isLong: true });
  return months.map(({ name }) => name);
}

/**
 * Decides where the only partition ends, and makes sure that all its rows are before that, without locking it: then it can be
 * attached with this end at once. Returns the end.
 */
async function endEarlier(db: Database, partition: string, now: Date): Promise<Date> {
  const setEnd = async (end: Date) => {
    await withShortLocks(
      db,
      async (tx, beBrief) => {
        await beBrief();
        await tx.script(`alter table ${partition} drop constraint if exists ${partition}_until,
          add constraint ${partition}_until check (created_at < '${end.toISOString()}') not valid`);
      },
      PATIENCE,
    );
    await db.script(`alter table ${partition} validate constraint ${partition}_until`, { isLong: true });
    return end;
  };
  const end = monthAfter(new Date(now.getTime() + END_AHEAD_MS), 1);
  try {
    return await setEnd(end);
  } catch (error) {
    if (!isCheckViolation(error)) throw error;
    await db.script(`alter table ${partition} drop constraint ${partition}_until`);
    const { rows } = await db.transaction(
      (tx) => tx.query<{ last: Date }>(`select max(created_at) as last from ${partition}`),
      { isLong: true },
    );
    return setEnd(monthAfter(rows[0]?.last ?? end, 1));
  }
}

/** Gives the only partition its end. */
async function beginMonths(tx: Db, table: LogTable, earlier: Partition): Promise<void> {
  await lockLog(tx, table, 'access exclusive');
  await tx.script(`alter table ${table} detach partition ${earlier.name}`);
  await attach(tx, table, earlier);
  await tx.script(`alter table ${earlier.name} drop constraint ${earlier.name}_until`);
}

function isCheckViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23514';
}

async function attach(tx: Db, table: LogTable, partition: Partition): Promise<void> {
  await tx.script(attachSql(table, partition));
}

function attachSql(table: LogTable, { name, from, until }: Partition): string {
  const bound = (time: Date | null, none: string) => (time === null ? none : `'${time.toISOString()}'`);
  return `alter table ${table} attach partition ${name}
    for values from (${bound(from, 'minvalue')}) to (${bound(until, 'maxvalue')})`;
}

/** Moves the rows before `until`; null: all. Not through the log's own triggers, which have seen them. */
async function moveRows(tx: Db, from: string, to: string, until: Date | null): Promise<void> {
  const { rows } = await tx.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = ''`,
    [to],
  );
  const columns = rows[0]?.columns ?? '';
  const due = until === null ? 'true' : `created_at < '${until.toISOString()}'`;
  await tx.script(`with moved as (delete from ${from} where ${due} returning *)
    insert into ${to} (${columns}) select ${columns} from moved`);
}

/**
 * Drops the partitions that end at this instant or before, unless a job or an event that waits still needs a row of them. Returns their names.
 * A row of these times that arrives later has a place in the new partition without a beginning.
 *
 * @param before the beginning of a month
 */
export async function dropMonths(db: Database, table: LogTable, before: Date): Promise<string[]> {
  const old = (await listPartitions(db, table)).filter(({ until }) => until !== null && until <= before);
  const until = old.at(-1)?.until ?? null;
  if (until === null) return [];
  if (old.length === 1 && old[0]?.from === null && (await isEmpty(db, old[0].name))) return [];
  if (await isNeeded(db, table, until)) return [];
  const earlier = `${table}_earlier`;
  const next = `${earlier}_next`;
  await withShortLocks(
    db,
    async (tx, beBrief) => {
      await tx.script(`create table ${next} (like ${table} including all)`);
      const lock = await lockLogSql(tx, table, 'share row exclusive');
      await beBrief();
      const counted = COUNTED_LOGS.find((log) => log === table);
      if (counted !== undefined) await forgetHoursBefore(tx, counted, until);
      // Sent together, so that nobody waits for this process while the log is locked. PostgreSQL deletes the files after it has unlocked.
      await tx.script(`${lock};
        drop table ${old.map(({ name }) => name).join(', ')};
        alter table ${next} rename to ${earlier};
        ${attachSql(table, { name: earlier, from: null, until })}`);
    },
    PATIENCE,
  );
  return old.map(({ name }) => name);
}

async function isEmpty(db: Db, partition: string): Promise<boolean> {
  return (await db.query(`select from ${partition} limit 1`)).rowCount === 0;
}

async function isNeeded(db: Db, table: LogTable, before: Date): Promise<boolean> {
  // An event that waits is written with the id of its receipt.
  const needing = [...jobsNeeding(table), ...(table === 'requests' ? [HELD_RECEIPTS] : [])];
  for (const rows of needing) {
    if ((await db.query(`select from ${rows} limit 1`, [before])).rowCount > 0) return true;
  }
  return false;
}

/** Deletes rows older than this from the partition without a beginning, while it also has rows that are kept. */
async function deleteEarlier(db: Database, table: LogTable, before: Date): Promise<number> {
  const [earlier] = await listPartitions(db, table);
  if (earlier === undefined || earlier.from !== null || (earlier.until !== null && earlier.until <= before)) return 0;
  if (await isNeeded(db, table, before)) return 0;
  let deleted = 0;
  for (let statement = 0; statement < DELETIONS_MAX; statement += 1) {
    // Ids grow with time.
    const { rowCount } = await db.query(
      `with oldest as materialized (select id, created_at from ${earlier.name} order by id limit ${DELETED_AT_ONCE})
        delete from ${table} using oldest
        where ${table}.id = oldest.id and ${table}.created_at = oldest.created_at and ${table}.created_at < $1`,
      [before],
    );
    deleted += rowCount;
    if (rowCount === 0) break;
  }
  return deleted;
}

/** Returns the beginning of the month (UTC). */
export function monthOf(time: Date): Date {
  return monthAfter(time, 0);
}

function monthAfter(time: Date, months: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months, 1));
}
