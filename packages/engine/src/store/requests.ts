import type { RequestMetrics } from '@svc/contract/types';
import type { DateRange } from '@svc/domain/requests/date-range';
import type { RequestRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';
import { countLog } from './hour-counts.ts';
import { type LogPageQuery, readLogPage } from './log-page.ts';

/** Filter of receipts. Receipts of deleted sources belong to no connection; only account keys see them. */
export interface RequestFilter {
  connectionIds: readonly number[];
  sourceId?: number | undefined;
  /** Account whose deleted sources are included. */
  deletedSourcesOf?: number | undefined;
}

const COLUMNS = `rows.id, rows.source_id as "sourceId", rows.connection_id as "connectionId", rows.path,
  rows.created_at as "createdAt"`;

/** Returns receipts in list order. */
export function listRequests(db: Db, filter: RequestFilter, query: LogPageQuery): Promise<RequestRow[]> {
  const { connectionIds, sourceId, deletedSourcesOf } = filter;
  const onlyFrom = { column: 'source_id', id: sourceId } as const;
  return readLogPage(db, { table: 'requests', columns: COLUMNS, connectionIds, onlyFrom, deletedSourcesOf }, query);
}

/** Counts the rows that a list with the same filters shows. */
export async function countRequests(db: Db, filter: RequestFilter, range: DateRange): Promise<RequestMetrics> {
  const { connectionIds, sourceId, deletedSourcesOf } = filter;
  const ownerIds = deletedSourcesOf === undefined ? connectionIds : [...connectionIds, -deletedSourcesOf];
  const { counted } = await countLog(db, 'requests', { ownerIds, partId: sourceId }, range);
  return { count: counted };
}
