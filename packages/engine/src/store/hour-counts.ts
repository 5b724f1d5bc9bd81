/**
 * Counts of log rows by time. Whole hours that are closed come from `hour_counts`, and whole days (UTC) of them from their
 * sums in `day_counts`; the ends of the range, hours that are not counted yet, and hours that changed since come from the
 * rows. One statement reads all, so they always fit together, and the result equals `count(*)` over the rows.
 */
import { DELIVERY_STATUSES, SYNC_STATUSES } from '@svc/contract/vocabulary';
import type { DateRange } from '@svc/domain/requests/date-range';
import type { Db } from './database/db.ts';

export type CountedLog = 'requests' | 'syncs' | 'deliveries';

export const COUNTED_LOGS: readonly CountedLog[] = ['requests', 'syncs', 'deliveries'];

/** The column whose id is `part_id` of a count. */
export const PART_COLUMNS: Readonly<Record<CountedLog, string>> = {
  requests: 'source_id',
  syncs: 'source_id',
  deliveries: 'destination_id',
};

export const HOUR_MS = 3_600_000;

export interface LogCounts {
  counted: number;
  success: number;
  warning: number;
  error: number;
  /** Answers with 2xx, whatever the status. */
  http2xx: number;
}

const COUNT_COLUMNS = ['counted', 'success', 'warning', 'error', 'http2xx'] as const satisfies (keyof LogCounts)[];

const ofStatus = (status: string) => `count(*) filter (where status = '${status}')`;

/** SQL that counts rows of a log, in the order of the columns. */
const COUNTS: Readonly<Record<CountedLog, readonly string[]>> = {
  requests: ['count(*)', '0', '0', '0', '0'],
  syncs: ['count(*)', ofStatus('success'), ofStatus('warning'), ofStatus('error'), '0'],
  deliveries: [
    'count(*)',
    ofStatus('success'),
    '0',
    ofStatus('error'),
    'count(*) filter (where http_status between 200 and 299)',
  ],
};

const inList = (statuses: readonly string[]) =>
  ` and status in (${statuses.map((status) => `'${status}'`).join(', ')})`;

/**
 * Returns SQL that counts the rows of each span of an owner. Each owner is read by an index that begins with it.
 *
 * @param spans SQL of a table with `owner_id`, `since` and `until`, which is not included
 * @param by further columns to select and group by
 * @param condition on the rows
 */
export function countSpansText(log: CountedLog, spans: string, by = '', condition = 'true'): string {
  const branch = (owner: string) => `
    select ${by === '' ? '' : `${by}, `}${COUNTS[log].map((count, index) => `${count} as ${COUNT_COLUMNS[index]}`).join(', ')}
    from ${log} where ${owner} and created_at >= spans.since and created_at < spans.until and ${condition}
    ${by === '' ? '' : 'group by 1, 2'}`;
  // The indexes of syncs and deliveries have a range for each status.
  const ofAnyStatus = { requests: '', syncs: inList(SYNC_STATUSES), deliveries: inList(DELIVERY_STATUSES) }[log];
  const ofConnection = branch(`connection_id = spans.owner_id${ofAnyStatus}`);
  const ofAccount = branch('connection_id is null and account_id = -spans.owner_id');
  return `select spans.owner_id, counts.* from ${spans} as spans cross join lateral (
    ${log === 'requests' ? `${ofConnection} union all ${ofAccount}` : ofConnection}) counts`;
}

/** SQL that adds the counts of pieces of time, with one scan of the index for each piece. */
const sumPiecesText = (log: CountedLog, table: string, time: string, pieces: string, condition: string) => `
  select sums.* from ${pieces} as pieces cross join lateral (
    select ${COUNT_COLUMNS.map((column) => `sum(${column}) as ${column}`).join(', ')} from ${table} counts
    where log = '${log}' and owner_id = pieces.owner_id and ${time} >= pieces.since and ${time} < pieces.until
      and ($6::bigint is null or part_id = $6) and ${condition}
  ) sums`;

/**
 * `closed` are the hours that are read from counts, and the whole days in it, of which there may be none. A changed hour is read from
 * the rows, and the other hours of its day from their counts.
 *
 * The limit of the owners changes no result. Without knowing the values, PostgreSQL then expects few owners, so it keeps its plan: for
 * the months of a long log, a plan takes half as long to make as to run.
 */
const statementOf = (log: CountedLog) => ({
  name: `${log}-count`,
  text: `with hours as materialized (
      select greatest($4::timestamptz, counted_from) as since, least($5::timestamptz, counted_until) as until
      from hour_count_state where log = '${log}' and counted_until is not null
        and greatest($4::timestamptz, counted_from) < least($5::timestamptz, counted_until)
    ), days as (
      select date_trunc('day', since + interval '23 hours', 'UTC') as since, date_trunc('day', until, 'UTC') as until from hours
    ), closed as materialized (
      select hours.since, hours.until, coalesce(days.since, hours.until) as days_since, coalesce(days.until, hours.until) as days_until
      from hours left join days on days.since < days.until
    ), owners as materialized (
      select owner_id from unnest($1::bigint[]) as owners (owner_id) limit cardinality($1::bigint[])
    ), changed as materialized (
      select distinct owner_id, hour from changed_hours
      where log = '${log}' and owner_id = any($1::bigint[])
        and hour >= (select since from closed) and hour < (select until from closed)
    ), changed_days as materialized (
      select distinct owner_id, date_trunc('day', hour, 'UTC') as day from changed, closed
      where hour >= days_since and hour < days_until
    ), spans as materialized (
      select owner_id, $2::timestamptz as since, coalesce((select since from closed), $3::timestamptz) as until from owners
      union all
      select owner_id, until, $3::timestamptz from owners, closed
      union all
      select owner_id, hour, hour + interval '1 hour' from changed
    ), hour_pieces as materialized (
      select owner_id, since, days_since as until from owners, closed
      union all
      select owner_id, days_until, until from owners, closed
      union all
      select owner_id, day, day + interval '24 hours' from changed_days
    ), day_pieces as materialized (
      select owner_id, days_since as since, days_until as until from owners, closed where days_since < days_until
    ), counts as (
      ${sumPiecesText(log, 'day_counts', 'day', 'day_pieces', '(owner_id, day) not in (select owner_id, day from changed_days)')}
      union all
      ${sumPiecesText(log, 'hour_counts', 'hour', 'hour_pieces', '(owner_id, hour) not in (select owner_id, hour from changed)')}
      union all
      select ${COUNT_COLUMNS.join(', ')}
      from (${countSpansText(
        log,
        'spans',
        '',
        // The times of the whole range are known when the statement begins, so months outside of it are not even opened.
        `created_at >= $2 and created_at < $3 and ($6::bigint is null or ${PART_COLUMNS[log]} = $6)`,
      )}) rows
    )
    select ${COUNT_COLUMNS.map((column) => `coalesce(sum(${column}), 0)::bigint as "${column}"`).join(', ')} from counts`,
});

const STATEMENTS = Object.fromEntries(COUNTED_LOGS.map((log) => [log, statementOf(log)])) as Readonly<
  Record<CountedLog, ReturnType<typeof statementOf>>
>;

/**
 * Counts rows of a log.
 *
 * @param filter.ownerIds connections, and the negative ids of accounts whose requests of removed sources count
 * @param filter.partId only rows of this source, for deliveries of this destination
 */
export async function countLog(
  db: Db,
  log: CountedLog,
  filter: { ownerIds: readonly number[]; partId: number | undefined },
  range: DateRange,
): Promise<LogCounts> {
  const from = range.from.getTime();
  const end = range.to.getTime() + 1;
  const firstHour = Math.ceil(from / HOUR_MS) * HOUR_MS;
  const lastHour = Math.floor(end / HOUR_MS) * HOUR_MS;
  const { rows } = await db.query<LogCounts>(STATEMENTS[log], [
    filter.ownerIds,
    range.from,
    new Date(end),
    new Date(firstHour),
    new Date(lastHour),
    filter.partId ?? null,
  ]);
  return rows[0] ?? { counted: 0, success: 0, warning: 0, error: 0, http2xx: 0 };
}

/** Columns to count the rows of each hour and part by. */
export const byHour = (log: CountedLog): string =>
  `date_trunc('hour', created_at, 'UTC') as hour, coalesce(${PART_COLUMNS[log]}, 0) as part_id`;

/** The counts of one hour. */
export interface HourCounts extends LogCounts {
  /** When it begins. */
  hour: Date;
}

/**
 * Counts rows of a log hour by hour, oldest first. Hours without rows are in it.
 *
 * @param ownerIds connections, and the negative ids of accounts whose requests of removed sources count
 * @param first begins an hour
 * @param last begins the last hour
 */
export async function countLogByHour(
  db: Db,
  log: CountedLog,
  ownerIds: readonly number[],
  { first, last }: { first: Date; last: Date },
): Promise<HourCounts[]> {
  const { rows } = await db.query<HourCounts>(
    {
      name: `${log}-count-by-hour`,
      text: `with hours as materialized (
          select hour from generate_series($2::timestamptz, $3::timestamptz, interval '1 hour') as hours (hour)
        ), spans as materialized (
          select owner_id, hour as since, hour + interval '1 hour' as until,
            exists (select from hour_count_state where log = '${log}' and hour >= counted_from and hour < counted_until)
              and not exists (select from changed_hours changed
                where changed.log = '${log}' and changed.owner_id = owners.owner_id and changed.hour = hours.hour) as is_counted
          from hours cross join unnest($1::bigint[]) as owners (owner_id)
        ), counts as (
          select counts.hour, ${COUNT_COLUMNS.map((column) => `counts.${column}`).join(', ')}
          from spans join hour_counts counts
            on counts.log = '${log}' and counts.owner_id = spans.owner_id and counts.hour = spans.since
          where spans.is_counted
          union all
          select hour, ${COUNT_COLUMNS.join(', ')} from (${countSpansText(
            log,
            '(select * from spans where not is_counted)',
            byHour(log),
            "created_at >= $2 and created_at < $3::timestamptz + interval '1 hour'",
          )}) rows
        )
        select hours.hour, ${COUNT_COLUMNS.map((column) => `coalesce(sum(${column}), 0)::bigint as "${column}"`).join(', ')}
        from hours left join counts on counts.hour = hours.hour group by hours.hour order by hours.hour`,
    },
    [ownerIds, first, last],
  );
  return rows;
}

/**
 * Forgets the counts of all hours before an instant, whose rows are about to be dropped. Call it in the transaction that
 * drops them, before the drop: counting locks in this order too.
 */
export async function forgetHoursBefore(tx: Db, log: CountedLog, instant: Date): Promise<void> {
  await tx.query('update hour_count_state set counted_from = $2 where log = $1 and counted_from < $2', [log, instant]);
}
