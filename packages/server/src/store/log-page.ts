/**
 * Pages of the logs, newest first. Every owner of rows (a connection, or the one source or destination that is asked for) is
 * read by its own descent of an index that begins with the owner and ends with (`created_at`, `id`), and the descents are merged as they go. A page therefore reads
 * little more rows than it shows, at any depth of the table, however many owners there are and however the rows are
 * spread over them. `test/list-plans.test.ts` holds PostgreSQL to that.
 */
import type { Position } from '@svc/domain/requests/cursor';
import type { DateRange } from '@svc/domain/requests/date-range';
import type { Db } from './database/db.ts';

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
  /** Only the rows of this source or destination. */
  of?: { column: 'source_id' | 'destination_id'; id: number | undefined };
  status?: string | undefined;
  /** Also the rows of this account that belong to no connection. */
  orphansOfAccount?: number | undefined;
}

export function readLogPage<Row extends object>(db: Db, source: LogSource, query: LogPageQuery): Promise<Row[]> {
  const values: unknown[] = [];
  const conditions = [
    `created_at >= ${bind(values, query.range.from)}`,
    `created_at <= ${bind(values, query.range.to)}`,
    ...(source.status === undefined ? [] : [`status = ${bind(values, source.status)}`]),
  ].join(' and ');
  const owners = ownersOf(source, values);
  return readMergedPage(db, {
    table: source.table,
    columns: source.columns,
    branches: owners.map((owner) => `${owner} and ${conditions}`),
    values,
    after: query.after,
    limit: query.limit,
  });
}

/** A condition for each owner of rows that the list holds. */
function ownersOf({ connectionIds, of, orphansOfAccount }: LogSource, values: unknown[]): string[] {
  if (of?.id !== undefined) {
    // Nobody reads its rows by way of connections that have none of them.
    const isVisible = `connection_id = any(${bind(values, connectionIds)}::bigint[])`;
    return [`${of.column} = ${bind(values, of.id)} and ${isVisible}`];
  }
  const owners = connectionIds.map((id) => `connection_id = ${bind(values, id)}`);
  if (orphansOfAccount === undefined) return owners;
  return [...owners, `connection_id is null and account_id = ${bind(values, orphansOfAccount)}`];
}

export interface MergedPage {
  table: string;
  /** What to select, from the alias `rows`. */
  columns: string;
  /** A condition for each descent, as SQL; no row may fit two of them. */
  branches: readonly string[];
  /** Values of the parameters in the branches, made by `bind`. */
  values: unknown[];
  after: Position<number | string> | undefined;
  limit: number;
}

/**
 * The newest rows of all branches together.
 *
 * Each branch is a part of its own with order and limit, because only then PostgreSQL sees that what the index gives is in
 * order already, and reads from each branch no more than the merge takes.
 */
export async function readMergedPage<Row extends object>(db: Db, page: MergedPage): Promise<Row[]> {
  const { table, columns, branches, after, limit } = page;
  if (branches.length === 0) return [];
  const values = [...page.values];
  const below =
    after === undefined
      ? ''
      : ` and (created_at, id) < (${bind(values, after.createdAt)}::timestamptz, ${bind(values, after.id)})`;
  const most = bind(values, limit);
  const parts = branches.map(
    (branch) => `(select * from ${table} where ${branch}${below} order by created_at desc, id desc limit ${most})`,
  );
  const text = `select ${columns} from (${parts.join(' union all ')}) rows
    order by rows.created_at desc, rows.id desc limit ${most}`;
  return (await db.query<Row>(text, values)).rows;
}

/** Adds a value to the parameters of a statement; returns its place holder. */
export function bind(values: unknown[], value: unknown): string {
  return `$${values.push(value)}`;
}
