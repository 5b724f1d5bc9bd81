import type { Access } from '@svc/domain/requests/access';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { includesRequestsOfDeletedSources } from '@svc/domain/requests/list-filters';
import { buildPage } from '@svc/domain/requests/page';
import { parseIdFilter, parsePathId } from '@svc/domain/requests/parameters';
import { toRequestReceipt } from '@svc/domain/resources';
import type { Context } from '@svc/engine/context';
import { type ApiAnswer, type AuthorizedRequest, logRoute } from '../answer.ts';
import * as requests from '@svc/engine/store/requests';
import { hasSources } from '@svc/engine/store/sources';
import { parseLogPage, resolveConnectionIds } from './log-query.ts';

export const listRequests = logRoute((ctx, request) =>
  requestPage(ctx, request, () => parseIdFilter('sourceId', request.query['sourceId'])),
);

/** The source is in the path; a `sourceId` in the query is ignored. */
export const listSourceRequests = logRoute((ctx, request) =>
  requestPage(ctx, request, () => parsePathId('Source', request.params['sourceId'] ?? '')),
);

export const getRequestMetrics = logRoute(async (ctx, { access, query }) => {
  const range = parseDateRange(query);
  const sourceId = parseIdFilter('sourceId', query['sourceId']);
  return { json: await requests.countRequests(ctx.db, await resolveRequestFilter(ctx, access, { sourceId }), range) };
});

async function requestPage(
  ctx: Context,
  { access, query }: AuthorizedRequest,
  parseSourceId: () => number | undefined,
): Promise<ApiAnswer> {
  const page = parseLogPage('request', query);
  const filter = await resolveRequestFilter(ctx, access, { sourceId: parseSourceId() });
  const rows = await requests.listRequests(ctx.db, filter, page);
  return { json: buildPage(rows, page.pageSize, (row) => row, toRequestReceipt, 'request') };
}

/** Returns which receipts match the filters, by the domain's rules. Throws a 404 for an inaccessible source. */
export async function resolveRequestFilter(
  ctx: Context,
  access: Access,
  filters: { sourceId?: number | undefined; connectionId?: number | undefined },
): Promise<requests.RequestFilter> {
  const connectionIds = await resolveConnectionIds(ctx, access, filters);
  const includesDeletedSources = await includesRequestsOfDeletedSources(access, filters, () =>
    hasSources(ctx.db, access),
  );
  return { accountId: access.accountId, connectionIds, sourceId: filters.sourceId, includesDeletedSources };
}
