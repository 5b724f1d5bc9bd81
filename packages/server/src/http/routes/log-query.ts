/** Shared by the lists of long logs: range, cursor, limit, and filters by id. */
import type { Access } from '@svc/domain/requests/access';
import { filteredConnectionIds } from '@svc/domain/requests/list-filters';
import { parseLogQuery, type RangedRows } from '@svc/domain/requests/log-query';
import type { RawParameter } from '@svc/domain/requests/parameters';
import type { Context } from '@svc/engine/context';
import { findNamedDestination } from '@svc/engine/store/destinations';
import type { LogPageQuery } from '@svc/engine/store/log-page';
import { findNamedSource } from '@svc/engine/store/sources';

type Query = Readonly<Record<string, RawParameter>>;

/** Parses the requested page; `limit` is one more than its size, to detect whether the list continues. */
export function parseLogPage(rowType: RangedRows, query: Query): LogPageQuery & { pageSize: number } {
  const logQuery = parseLogQuery(rowType, query);
  return { ...logQuery, limit: logQuery.pageSize + 1 };
}

export interface NamedFilters {
  sourceId?: number | undefined;
  destinationId?: number | undefined;
  connectionId?: number | undefined;
}

/**
 * Returns the connections that match the filters, by the domain's rule of precedence. Throws a 404 for an inaccessible
 * row.
 */
export async function resolveConnectionIds(
  ctx: Context,
  access: Access,
  filters: NamedFilters,
): Promise<readonly number[]> {
  const { sourceId, destinationId, connectionId } = filters;
  return filteredConnectionIds(access, {
    source: sourceId === undefined ? undefined : await findNamedSource(ctx.db, sourceId),
    destination: destinationId === undefined ? undefined : await findNamedDestination(ctx.db, destinationId),
    connectionId,
  });
}
