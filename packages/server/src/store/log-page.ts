/**
 * Pages of the long logs (requests, syncs, deliveries). Every connection is read by its own descent of the index on
 * (`connection_id`, `created_at`, `id`) for at most a page of rows, and the few results are merged: a page costs the
 * same at any depth of the table, however many connections there are and however the rows are spread over them.
 */
import type { Position } from '@svc/domain/cursor';
import type { DateRange } from '@svc/domain/date-range';
import { type RawBuilder, sql } from 'kysely';
import { build, type Db } from './db.ts';

export interface LogPageQuery {
  range: DateRange;
  /** Rows strictly below this position. */
  after?: Position<number> | undefined;
  /** Rows to read: the page and one more. */
  limit: number;
}

export interface LogSource {
  table: 'requests' | 'syncs' | 'deliveries';
  /** What to select, from the alias `rows`. */
  columns: string;
  connectionIds: readonly number[];
  /** Further conditions on the table's own columns. */
  conditions: readonly RawBuilder<unknown>[];
  /** Also the rows of this account that belong to no connection. */
  orphansOfAccount?: number | undefined;
}

export async function readLogPage<Row>(db: Db, source: LogSource, query: LogPageQuery): Promise<Row[]> {
  const { range, after, limit } = query;
  const table = sql.table(source.table);
  const conditions = [
    sql`created_at >= ${range.from}`,
    sql`created_at <= ${range.to}`,
    ...source.conditions,
    ...(after === undefined ? [] : [sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::bigint)`]),
  ];
  const newest = (owner: RawBuilder<unknown>) => sql`(
    select * from ${table} where ${sql.join([owner, ...conditions], sql` and `)}
    order by created_at desc, id desc limit ${limit})`;
  const ofConnections = sql`
    select log.* from unnest(${source.connectionIds}::bigint[]) as wanted (id)
    cross join lateral ${newest(sql`connection_id = wanted.id`)} log`;
  const orphans =
    source.orphansOfAccount === undefined
      ? sql``
      : sql`union all ${newest(sql`connection_id is null and account_id = ${source.orphansOfAccount}`)}`;
  const statement = sql<Row>`
    select ${sql.raw(source.columns)} from (${ofConnections} ${orphans}) rows
    order by rows.created_at desc, rows.id desc limit ${limit}`;
  return db.run(statement.compile(build));
}

/** The conditions of the filters that were sent. */
export function equalTo(columns: Readonly<Record<string, string | number | undefined>>): RawBuilder<unknown>[] {
  return Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
  );
}
