import type { RequestMetrics } from '@svc/contract/types';
import type { DateRange } from '@svc/domain/requests/date-range';
import type { RequestRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';
import { countLog } from './hour-counts.ts';
import { type LogPageQuery, readLogPage } from './log-page.ts';

/** Filter of receipts. Receipts of deleted sources belong to no connection; only account keys see them. */
export interface RequestFilter {
  /** The account of the connections. */
  accountId: number;
  connectionIds: readonly number[];
  sourceId?: number | undefined;
  /** Whether receipts of the account's deleted sources are included. */
  includesDeletedSources: boolean;
}

const COLUMNS = `rows.id, rows.source_id as "sourceId", rows.connection_id as "connectionId", rows.path,
  rows.created_at as "createdAt"`;

/** Returns receipts in list order. */
export function listRequests(db: Db, filter: RequestFilter, query: LogPageQuery): Promise<RequestRow[]> {
  const { sourceId, ...shown } = filter;
  const onlyFrom = { column: 'source_id', id: sourceId } as const;
  return readLogPage(db, { table: 'requests', columns: COLUMNS, statuses: [], onlyFrom, ...shown }, query);
}

/** Counts the rows that a list with the same filters shows. */
export async function countRequests(db: Db, filter: RequestFilter, range: DateRange): Promise<RequestMetrics> {
  const { accountId, connectionIds, sourceId, includesDeletedSources } = filter;
  const ownerIds = includesDeletedSources ? [...connectionIds, -accountId] : connectionIds;
  const { counted } = await countLog(db, 'requests', { ownerIds, partId: sourceId }, range);
  return { count: counted };
}
