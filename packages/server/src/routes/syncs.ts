import { LIMITS } from '@svc/contract/limits';
import { SYNC_STATUSES } from '@svc/contract/vocabulary';
import { parseCursor } from '@svc/domain/cursor';
import { parseDateRange } from '@svc/domain/date-range';
import { notFound } from '@svc/domain/errors';
import { buildPage } from '@svc/domain/page';
import { parseEnumFilter, parseIdFilter, parseLimit, parsePathId } from '@svc/domain/parameters';
import { toSync } from '@svc/domain/resources';
import type { Context } from '../context.ts';
import { type ApiAnswer, type AuthorizedRequest, authorizedRoute } from '../http/answer.ts';
import { isSourceVisible } from '../store/sources.ts';
import * as syncs from '../store/syncs.ts';

const PAGE = { default: LIMITS.observabilityPageDefault, max: LIMITS.observabilityPageMax };

export const listSyncs = authorizedRoute((ctx, request) =>
  syncPage(ctx, request, (query) => parseIdFilter('sourceId', query['sourceId'])),
);

/** The source is in the path; a `sourceId` in the query is ignored. */
export const listSourceSyncs = authorizedRoute((ctx, request) =>
  syncPage(ctx, request, () => parsePathId('Source', request.params['sourceId'] ?? '')),
);

export const getSyncMetrics = authorizedRoute(async (ctx, { access, query }) => {
  const range = parseDateRange(query);
  const sourceId = parseIdFilter('sourceId', query['sourceId']);
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  await assertSourceVisible(ctx, access, sourceId);
  return { json: await syncs.countSyncs(ctx.db, access, { range, sourceId, connectionId }) };
});

export const getSync = authorizedRoute(async (ctx, { access, params }) => {
  const raw = params['id'] ?? '';
  const sync = await syncs.getSync(ctx.db, access, parsePathId('Sync', raw));
  if (!sync) throw notFound('Sync', raw);
  return { json: toSync(sync) };
});

async function syncPage(
  ctx: Context,
  { access, query }: AuthorizedRequest,
  parseSourceId: (query: AuthorizedRequest['query']) => number | undefined,
): Promise<ApiAnswer> {
  const range = parseDateRange(query);
  const status = parseEnumFilter('status', query['status'], SYNC_STATUSES);
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const after = parseCursor('sync', query['cursor']);
  const limit = parseLimit(query['limit'], PAGE);
  const sourceId = parseSourceId(query);
  await assertSourceVisible(ctx, access, sourceId);
  const rows = await syncs.listSyncs(ctx.db, access, {
    range,
    status,
    connectionId,
    sourceId,
    after,
    limit: limit + 1,
  });
  return { json: buildPage(rows, limit, (row) => row, toSync, 'sync') };
}

async function assertSourceVisible(
  ctx: Context,
  access: AuthorizedRequest['access'],
  sourceId: number | undefined,
): Promise<void> {
  if (sourceId === undefined) return;
  if (!(await isSourceVisible(ctx.db, access, sourceId))) throw notFound('Source', sourceId);
}
