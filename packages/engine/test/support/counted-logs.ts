/** The logs that have counts of closed hours, and what their counts must equal. */
import type { DateRange } from '@svc/domain/requests/date-range';
import { COUNTED_LOGS, type CountedLog, countLog, type LogCounts, PART_COLUMNS } from '../../src/store/hour-counts.ts';
import { expect } from 'vitest';
import { countClosedHours, endOfClosedHours } from '../../src/store/count-hours.ts';
import type { Database, Db } from '../../src/store/database/db.ts';

export interface NewLogRow {
  log: CountedLog;
  /** Null: a request of a removed source. */
  connectionId: number | null;
  partId: number | null;
  status: 'success' | 'warning' | 'error';
  httpStatus: number | null;
  at: Date;
}

/** One account with connections 1 and 2. */
export async function insertOwners(db: Db, at: Date): Promise<void> {
  await db.query(`insert into accounts (id, email, created_at) values (1, 'a@example.com', $1)`, [at]);
  await db.query(
    `insert into connections (id, account_id, crm, organization_id, organization_domain, can_use_api, created_at)
      select id, 1, 'HUBSPOT', id, 'example.com', true, $1 from generate_series(1, 2) id`,
    [at],
  );
}

const INSERT: Readonly<Record<CountedLog, string>> = {
  requests: `insert into requests (account_id, connection_id, source_id, path, created_at)
    select 1, connection_id, part_id, 'code', at from rows`,
  syncs: `insert into syncs (account_id, connection_id, source_id, status, event_type, to_email, platform, created_at)
    select 1, coalesce(connection_id, 1), part_id, status, 'EMAIL_SENT', 'x@example.com', 'smartlead', at from rows`,
  deliveries: `insert into deliveries (account_id, connection_id, destination_id, destination_url, status, http_status, created_at)
    select 1, coalesce(connection_id, 1), coalesce(part_id, 1), 'https://example.com/',
      case when status = 'success' then 'success' else 'error' end, http_status, at from rows`,
};

/** Inserts rows of one log in one statement. */
export async function insertLog(db: Db, log: CountedLog, rows: readonly Omit<NewLogRow, 'log'>[]): Promise<void> {
  await db.query(
    `with rows as (select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::integer[], $5::timestamptz[])
      as rows (connection_id, part_id, status, http_status, at)) ${INSERT[log]}`,
    [
      rows.map(({ connectionId }) => connectionId),
      rows.map(({ partId }) => partId),
      rows.map(({ status }) => status),
      rows.map(({ httpStatus }) => httpStatus),
      rows.map(({ at }) => at.toISOString()),
    ],
  );
}

const ROW_COUNTS: Readonly<Record<CountedLog, string>> = {
  requests: `count(*) as counted, 0::bigint as success, 0::bigint as warning, 0::bigint as error, 0::bigint as http2xx`,
  syncs: `count(*) as counted, count(*) filter (where status = 'success') as success,
    count(*) filter (where status = 'warning') as warning, count(*) filter (where status = 'error') as error, 0::bigint as http2xx`,
  deliveries: `count(*) as counted, count(*) filter (where status = 'success') as success, 0::bigint as warning,
    count(*) filter (where status = 'error') as error, count(*) filter (where http_status between 200 and 299) as http2xx`,
};

export interface CountQuery {
  ownerIds: readonly number[];
  partId: number | undefined;
  range: DateRange;
}

/** The counts of all logs, as metrics answer them and as the rows say, in two statements for each log. */
export async function bothCounts(
  db: Db,
  { ownerIds, partId, range }: CountQuery,
): Promise<{ metrics: LogCounts[]; rows: LogCounts[] }> {
  const metrics: LogCounts[] = [];
  const rows: LogCounts[] = [];
  for (const log of COUNTED_LOGS) {
    metrics.push(await countLog(db, log, { ownerIds, partId }, range));
    const counted = await db.query<LogCounts>(
      `select ${ROW_COUNTS[log]} from ${log} where coalesce(connection_id, -account_id) = any($1::bigint[])
        and created_at >= $2 and created_at <= $3 and ($4::bigint is null or ${PART_COLUMNS[log]} = $4)`,
      [ownerIds, range.from, range.to, partId ?? null],
    );
    rows.push(...counted.rows);
  }
  return { metrics, rows };
}

/** Returns when all hours are counted that ended five minutes ago or earlier. Transactions of other databases delay it. */
export async function countUntilDone(db: Database, now: Date): Promise<void> {
  const end = endOfClosedHours(now);
  await expect
    .poll(async () => {
      await countClosedHours(db, now);
      return (await db.query('select from hour_count_state where counted_until is null or counted_until < $1', [end]))
        .rows.length;
    })
    .toBe(0);
}
