/** What the lists of the long logs have in common: range, cursor, limit, and filters that name other rows. */
import type { Access } from '@svc/domain/requests/access';
import { filteredConnectionIds } from '@svc/domain/requests/list-filters';
import { parseLogQuery, type RangedRows } from '@svc/domain/requests/log-query';
import type { RawParameter } from '@svc/domain/requests/parameters';
import type { Context } from '../context.ts';
import { findNamedDestination } from '../store/destinations.ts';
import type { LogPageQuery } from '../store/log-page.ts';
import { findNamedSource } from '../store/sources.ts';

type Query = Readonly<Record<string, RawParameter>>;

/** The page that is asked for; `limit` is one more than its rows, to see whether the list goes on. */
export function parseLogPage(rowType: RangedRows, query: Query): LogPageQuery & { pageSize: number } {
  const logQuery = parseLogQuery(rowType, query);
  return { ...logQuery, limit: logQuery.pageSize + 1 };
}

export interface NamedFilters {
  sourceId?: number | undefined;
  destinationId?: number | undefined;
  connectionId?: number | undefined;
}

/** The connections that the filters leave, by the domain's rule of which filter wins. Throws the 404 of a named row. */
export async function settleFilters(ctx: Context, access: Access, filters: NamedFilters): Promise<readonly number[]> {
  const { sourceId, destinationId, connectionId } = filters;
  return filteredConnectionIds(access, {
    source: sourceId === undefined ? undefined : await findNamedSource(ctx.db, sourceId),
    destination: destinationId === undefined ? undefined : await findNamedDestination(ctx.db, destinationId),
    connectionId,
  });
}
