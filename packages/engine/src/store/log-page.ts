/**
 * Pages of the logs, newest first. Every page is read from an index that begins with an owner of rows (an account, a
 * connection, a source or a destination) and ends with (`created_at`, `id`), so it reads few more rows than it shows.
 * `test/http/list-plans.test.ts` checks this with PostgreSQL.
 */
import type { DeliveryStatus, SyncStatus } from '@svc/contract/vocabulary';
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

type Status = SyncStatus | DeliveryStatus;

export interface LogSource {
  table: 'requests' | 'syncs' | 'deliveries';
  /** Columns to select from the alias `rows`. */
  columns: string;
  /** Every status of the log, because its indexes order the rows of each status; empty when it has none. */
  statuses: readonly Status[];
  /** The account of the connections. */
  accountId: number;
  connectionIds: readonly number[];
  /** Restricts the page to this source or destination. */
  onlyFrom: { column: 'source_id' | 'destination_id'; id: number | undefined };
  status?: Status | undefined;
  /** Also includes requests of the account's deleted sources, which belong to no connection. */
  includesDeletedSources?: boolean;
}

/** Above every id of a row. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** How many times the rows of a page are looked at among the rows of the account. */
const LOOKED_AT = 4;

/** The index of all rows of an account, which databases of an earlier release get by `svc-server migrate --finish`. */
const ACCOUNT_INDEX = {
  requests: 'requests_of_account',
  syncs: 'syncs_by_account_status',
  deliveries: 'deliveries_by_account_status',
} as const;

/**
 * Returns the newest rows.
 *
 * Those of several connections are looked for among the newest rows of their account, which is one scan for any number of
 * connections. Where these are too few, because most rows are of connections that the page leaves out, each connection is
 * read. The statements are prepared: for the months of a long log, a plan takes longer to make than to run.
 */
export async function readLogPage<Row extends object>(db: Db, source: LogSource, query: LogPageQuery): Promise<Row[]> {
  const { connectionIds, onlyFrom, includesDeletedSources = false } = source;
  if (connectionIds.length === 0 && !includesDeletedSources) return [];
  if (onlyFrom.id !== undefined) return readPage(db, source, query, 'part');
  if (connectionIds.length <= 1) return readPage(db, source, query, 'connections');
  const newest = await readPage<Row>(db, source, query, 'account');
  if (newest.length === query.limit) return newest;
  // Whole by itself, because rows can be removed between the two.
  return readPage(db, source, query, 'connections-of-many');
}

/** `connections-of-many` reads each connection unless the scan of `account` comes to the end of the account's rows. */
type Scanned = 'part' | 'account' | 'connections' | 'connections-of-many';

async function readPage<Row extends object>(
  db: Db,
  source: LogSource,
  { range, after, limit }: LogPageQuery,
  scanned: Scanned,
): Promise<Row[]> {
  const { table, columns, statuses, status, onlyFrom, includesDeletedSources = false } = source;
  const values: unknown[] = [];
  // The range also ends where the page begins, so that later months are not opened.
  const last = after !== undefined && after.createdAt <= range.to ? after : { createdAt: range.to, id: MAX_ID };
  const until = `${bind(values, last.createdAt)}::timestamptz`;
  const times = `created_at >= ${bind(values, range.from)} and created_at <= ${until}
    and (created_at, id) < (${until}, ${bind(values, last.id)}::bigint)`;
  const most = `${bind(values, limit)}::int`;
  const lookedAt = `${most} * ${LOOKED_AT}`;
  // As a subquery, so that no plan depends on the number of connections.
  const ids = `(select ${bind(values, source.connectionIds)}::bigint[])`;
  const ofConnections = `connection_id = any(${ids}::bigint[])`;
  const isVisible = includesDeletedSources ? `(${ofConnections} or connection_id is null)` : ofConnections;
  const conditions = (status === undefined ? statuses : [status]).map((value) => ` and status = '${value}'`);

  /** SQL of the newest rows of an owner. */
  const newestOf = (owner: string, count = most) => {
    const order = `order by created_at desc, id desc limit ${count}`;
    const scans = (conditions.length > 0 ? conditions : ['']).map(
      (condition) => `(select * from ${table} where ${owner} and ${times}${condition} ${order})`,
    );
    return scans.length === 1 ? scans[0] : `(select * from (${scans.join(' union all ')}) statuses ${order})`;
  };
  const ofAccount = () => `account_id = ${bind(values, source.accountId)}`;
  const ofEachConnection = () => {
    const owned = `select own.* from unnest(${ids}) as owners (id)
      cross join lateral ${newestOf('connection_id = owners.id')} own`;
    return includesDeletedSources
      ? `(${owned} union all ${newestOf(`connection_id is null and ${ofAccount()}`)})`
      : `(${owned})`;
  };
  const hasIndex = `to_regclass('${ACCOUNT_INDEX[table]}') is not null`;
  const from = {
    part: () => `${newestOf(`${onlyFrom.column} = ${bind(values, onlyFrom.id)} and ${isVisible}`)} rows`,
    account: () => `${newestOf(ofAccount(), lookedAt)} rows where ${hasIndex} and ${isVisible}`,
    connections: () => `${ofEachConnection()} rows`,
    'connections-of-many': () => `(
      select * from looked_at rows where ${isVisible} and (select not is_more from scan)
      union all select * from ${ofEachConnection()} own where (select is_more from scan)) rows`,
  }[scanned]();
  const looking = () => `with looked_at as materialized (
      select * from ${newestOf(ofAccount(), lookedAt)} newest where ${hasIndex}
    ), scan as materialized (
      select not ${hasIndex} or (select count(*) from looked_at) = ${lookedAt} as is_more
    ) `;
  const text = `${scanned === 'connections-of-many' ? looking() : ''}select ${columns} from ${from} order by rows.created_at desc, rows.id desc limit ${most}`;
  const name = [table, 'page', scanned, status, includesDeletedSources ? 'all-sources' : undefined];
  return (await db.query<Row>({ name: name.filter((part) => part !== undefined).join('-'), text }, values)).rows;
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
