import type { RequestMetrics } from '@svc/contract/types';
import type { DateRange } from '@svc/domain/requests/date-range';
import type { RequestRow } from '@svc/domain/resources';
import type { Db } from './database/db.ts';
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
  const { rows } = await db.query<RequestMetrics>(
    {
      name: 'requests-count',
      text: `select
          (select count(*) from requests where connection_id = any($1) and created_at >= $2 and created_at <= $3
            and ($4::bigint is null or source_id = $4))
          + (select count(*) from requests where account_id = $5 and connection_id is null
            and created_at >= $2 and created_at <= $3) as count`,
    },
    [filter.connectionIds, range.from, range.to, filter.sourceId ?? null, filter.deletedSourcesOf ?? null],
  );
  return rows[0] ?? { count: 0 };
}
