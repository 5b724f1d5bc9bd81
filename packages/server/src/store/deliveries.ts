import type { DeliveryMetrics } from '@svc/contract/types';
import type { DeliveryStatus } from '@svc/contract/vocabulary';
import type { DateRange } from '@svc/domain/date-range';
import type { DeliveryRow } from '@svc/domain/resources';
import type { Db } from './db.ts';
import { equalTo, type LogPageQuery, readLogPage } from './log-page.ts';

/** Which deliveries, after `filteredConnectionIds` has settled what the filters mean for this access. */
export interface DeliveryFilter {
  connectionIds: readonly number[];
  destinationId?: number | undefined;
  status?: DeliveryStatus | undefined;
}

const COLUMNS = `rows.id, rows.destination_id as "destinationId", rows.destination_url as "destinationUrl", rows.status,
  rows.http_status as "httpStatus", rows.connection_id as "connectionId", rows.source_id as "sourceId",
  rows.event_type as "eventType", rows.to_email as "toEmail", rows.payload_id as "payloadId", rows.error,
  rows.created_at as "createdAt"`;

/** Deliveries in list order. */
export function listDeliveries(db: Db, filter: DeliveryFilter, query: LogPageQuery): Promise<DeliveryRow[]> {
  const conditions = equalTo({ destination_id: filter.destinationId, status: filter.status });
  const { connectionIds } = filter;
  return readLogPage(db, { table: 'deliveries', columns: COLUMNS, connectionIds, conditions }, query);
}

/** Exact counts by status over the rows that the list of the same filters shows, and of 2xx answers whatever the status. */
export async function countDeliveries(db: Db, filter: DeliveryFilter, range: DateRange): Promise<DeliveryMetrics> {
  const { rows } = await db.query<DeliveryMetrics>(
    {
      name: 'deliveries-count',
      text: `select count(*) filter (where status = 'success') as success,
          count(*) filter (where status = 'error') as error,
          count(*) filter (where http_status between 200 and 299) as http2xx
        from deliveries where connection_id = any($1) and created_at >= $2 and created_at <= $3
          and ($4::bigint is null or destination_id = $4)`,
    },
    [filter.connectionIds, range.from, range.to, filter.destinationId ?? null],
  );
  return rows[0] ?? { success: 0, error: 0, http2xx: 0 };
}
