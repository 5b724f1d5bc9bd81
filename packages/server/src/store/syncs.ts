import type { SyncMetrics } from '@svc/contract/types';
import type { SyncStatus } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/access';
import type { Position } from '@svc/domain/cursor';
import type { DateRange } from '@svc/domain/date-range';
import type { SyncRow } from '@svc/domain/resources';
import { sql } from 'kysely';
import { build, type Db } from './db.ts';

/** Which syncs: a source has been checked to be visible before it gets here. */
export interface SyncFilter {
  range: DateRange;
  connectionId?: number | undefined;
  sourceId?: number | undefined;
}

export interface SyncPageQuery extends SyncFilter {
  status?: SyncStatus | undefined;
  /** Rows strictly below this position. */
  after?: Position<number> | undefined;
  /** Rows to read: the page and one more. */
  limit: number;
}

/**
 * Syncs in list order. Every connection is read by its own index descent of at most `limit` rows and the few results
 * are merged, so a page costs the same at any depth of the table and however the rows are spread.
 */
export async function listSyncs(db: Db, access: Access, query: SyncPageQuery): Promise<SyncRow[]> {
  const { range, sourceId, status, after, limit } = query;
  const conditions = [
    sql`connection_id = wanted.id`,
    sql`created_at >= ${range.from}`,
    sql`created_at <= ${range.to}`,
    ...(sourceId === undefined ? [] : [sql`source_id = ${sourceId}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(after === undefined ? [] : [sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::bigint)`]),
  ];
  const statement = sql<SyncRow>`
    select ${COLUMNS} from unnest(${visibleConnectionIds(access, query)}::bigint[]) as wanted (id)
    cross join lateral (
      select * from syncs where ${sql.join(conditions, sql` and `)}
      order by created_at desc, id desc limit ${limit}
    ) rows
    order by rows.created_at desc, rows.id desc limit ${limit}`;
  return db.run(statement.compile(build));
}

const COLUMNS = sql.raw(`rows.id, rows.status, rows.connection_id as "connectionId", rows.source_id as "sourceId",
  rows.event_type as "eventType", rows.to_email as "toEmail", rows.platform, rows.payload_id as "payloadId",
  rows.error, rows.created_at as "createdAt"`);

/** The sync, or null when it does not exist for this access. */
export async function getSync(db: Db, access: Access, id: number): Promise<SyncRow | null> {
  const statement = sql<SyncRow>`
    select ${COLUMNS} from syncs rows where id = ${id} and connection_id = any(${access.connectionIds}::bigint[])`;
  const [row] = await db.run(statement.compile(build));
  return row ?? null;
}

/** Exact counts by status over the same rows that the list shows. */
export async function countSyncs(db: Db, access: Access, filter: SyncFilter): Promise<SyncMetrics> {
  const { range, sourceId } = filter;
  const { rows } = await db.query<SyncMetrics>(
    `select count(*) filter (where status = 'success') as success,
        count(*) filter (where status = 'warning') as warning,
        count(*) filter (where status = 'error') as error
      from syncs where connection_id = any($1) and created_at >= $2 and created_at <= $3
        and ($4::bigint is null or source_id = $4)`,
    [visibleConnectionIds(access, filter), range.from, range.to, sourceId ?? null],
  );
  return rows[0] ?? { success: 0, warning: 0, error: 0 };
}

/** A `connectionId` outside the access leaves nothing: the answer is empty, not a 404. */
function visibleConnectionIds(access: Access, filter: SyncFilter): readonly number[] {
  const { connectionId } = filter;
  if (connectionId === undefined) return access.connectionIds;
  return access.connectionIds.includes(connectionId) ? [connectionId] : [];
}
