import type { SyncMetrics } from '@svc/contract/types';
import { SYNC_STATUSES, type SyncStatus } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import type { DateRange } from '@svc/domain/requests/date-range';
import type { SyncRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';
import { countLog } from './hour-counts.ts';
import { type LogPageQuery, readLogPage } from './log-page.ts';

/** Filter of syncs; `filteredConnectionIds` has resolved it for this access. */
export interface SyncFilter {
  /** The account of the connections. */
  accountId: number;
  connectionIds: readonly number[];
  sourceId?: number | undefined;
  status?: SyncStatus | undefined;
}

const COLUMNS = `rows.id, rows.status, rows.connection_id as "connectionId", rows.source_id as "sourceId",
  rows.event_type as "eventType", rows.to_email as "toEmail", rows.platform, rows.payload_id as "payloadId",
  rows.error, rows.created_at as "createdAt"`;

/** Returns syncs in list order. */
export function listSyncs(db: Db, filter: SyncFilter, query: LogPageQuery): Promise<SyncRow[]> {
  const { sourceId, ...shown } = filter;
  const onlyFrom = { column: 'source_id', id: sourceId } as const;
  return readLogPage(db, { table: 'syncs', columns: COLUMNS, statuses: SYNC_STATUSES, onlyFrom, ...shown }, query);
}

/** Returns the sync; null when it does not exist for this access. */
export async function getSync(db: Db, access: Access, id: number): Promise<SyncRow | null> {
  const { rows } = await db.query<SyncRow>(
    {
      name: 'syncs-get',
      text: `select ${COLUMNS} from syncs rows where rows.id = $1 and rows.connection_id = any($2)`,
    },
    [id, access.connectionIds],
  );
  return rows[0] ?? null;
}

export interface SyncToRetry extends SyncRow {
  accountId: number;
  inboundEventId: number | null;
  /** The content of the sync's event was deleted for its age. */
  isEmptied: boolean;
  /** CRM type of the sync's connection. */
  crm: string;
}

const RETRY_SELECT = `select ${COLUMNS}, rows.account_id as "accountId", rows.inbound_event_id as "inboundEventId",
    connections.crm, coalesce(
      (select normalized = '{}' from inbound_events where id = rows.inbound_event_id), false) as "isEmptied"
  from syncs rows join connections on connections.id = rows.connection_id where`;

/** Returns by id what the retry job needs of syncs; the access was checked at enqueueing. */
export async function listSyncsToRetry(db: Db, ids: readonly number[]): Promise<Map<number, SyncToRetry>> {
  const { rows } = await db.query<SyncToRetry>({ name: 'syncs-to-retry', text: `${RETRY_SELECT} rows.id = any($1)` }, [
    ids,
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the sync to retry if this access can see it, else null. */
export async function findVisibleSyncToRetry(db: Db, access: Access, id: number): Promise<SyncToRetry | null> {
  const { rows } = await db.query<SyncToRetry>(
    { name: 'syncs-find-to-retry', text: `${RETRY_SELECT} rows.id = $1 and rows.connection_id = any($2)` },
    [id, access.connectionIds],
  );
  return rows[0] ?? null;
}

/** Counts by status the rows that a list with the same filters shows, ignoring the status filter. */
export async function countSyncs(
  db: Db,
  filter: Pick<SyncFilter, 'connectionIds' | 'sourceId'>,
  range: DateRange,
): Promise<SyncMetrics> {
  const { connectionIds, sourceId } = filter;
  const { success, warning, error } = await countLog(db, 'syncs', { ownerIds: connectionIds, partId: sourceId }, range);
  return { success, warning, error };
}
