/**
 * Pages of the logs, newest first. Each owner of rows (a connection, or the requested source or destination) is read by
 * a separate scan of an index that begins with the owner and ends with (`created_at`, `id`), and the results are merged.
 * So a page reads few more rows than it shows. `test/http/list-plans.test.ts` checks this with PostgreSQL.
 */
import type { Position } from '@svc/domain/requests/cursor';
import type { DateRange } from '@svc/domain/requests/date-range';
import type { Db } from './database/db.ts';

export interface LogPageQuery {
  range: DateRange;
  /** Only rows older than this one. */
  after?: Position<number> | undefined;
  /** Rows to read: the page and one more. */
  limit: number;
}

export interface LogSource {
  table: 'requests' | 'syncs' | 'deliveries';
  /** Columns to select from the alias `rows`. */
  columns: string;
  connectionIds: readonly number[];
  /** Restricts the page to this source or destination. */
  onlyFrom?: { column: 'source_id' | 'destination_id'; id: number | undefined };
  status?: string | undefined;
  /** Also includes requests of this account's deleted sources, which belong to no connection. */
  deletedSourcesOf?: number | undefined;
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

/** Returns an SQL condition for each owner. */
function ownersOf({ connectionIds, onlyFrom, deletedSourcesOf }: LogSource, values: unknown[]): string[] {
  if (onlyFrom?.id !== undefined) {
    // One owner needs one index scan, not one per connection.
    const isVisible = `connection_id = any(${bind(values, connectionIds)}::bigint[])`;
    return [`${onlyFrom.column} = ${bind(values, onlyFrom.id)} and ${isVisible}`];
  }
  const owners = connectionIds.map((id) => `connection_id = ${bind(values, id)}`);
  if (deletedSourcesOf === undefined) return owners;
  return [...owners, `connection_id is null and account_id = ${bind(values, deletedSourcesOf)}`];
}

export interface MergedPage {
  table: string;
  /** Columns to select from the alias `rows`. */
  columns: string;
  /** An SQL condition for each index scan; no row may match two of them. */
  branches: readonly string[];
  /** Values of the parameters in the branches, added by `bind`. */
  values: unknown[];
  after: Position<number | string> | undefined;
  limit: number;
}

/**
 * Returns the newest rows of all branches.
 *
 * Each branch is a subquery with its own order and limit; only then PostgreSQL uses the order of the index and reads no
 * more from each branch than the merge needs.
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

/** Adds a value to the parameters of a statement; returns its placeholder. */
export function bind(values: unknown[], value: unknown): string {
  return `$${values.push(value)}`;
}
