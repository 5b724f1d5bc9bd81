import type { RetryQueued } from '@svc/contract/types';
import { SYNC_STATUSES } from '@svc/contract/vocabulary';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { notFound } from '@svc/domain/errors/errors';
import { buildPage } from '@svc/domain/requests/page';
import { parseEnumFilter, parseIdFilter, parsePathId } from '@svc/domain/requests/parameters';
import { toSync } from '@svc/domain/resources';
import { assertSyncRetryable } from '@svc/domain/syncs/sync-retry';
import type { Context } from '@svc/engine/context';
import { type ApiAnswer, type AuthorizedRequest, authorizedRoute, logRoute } from '../answer.ts';
import { enqueueOnceMore } from '@svc/engine/queue/queue';
import { retrySyncJob } from '@svc/engine/pipeline/retry-sync';
import * as syncs from '@svc/engine/store/syncs';
import { parseLogPage, resolveConnectionIds } from './log-query.ts';

export const listSyncs = logRoute((ctx, request) =>
  syncPage(ctx, request, () => parseIdFilter('sourceId', request.query['sourceId'])),
);

/** The source is in the path; a `sourceId` in the query is ignored. */
export const listSourceSyncs = logRoute((ctx, request) =>
  syncPage(ctx, request, () => parsePathId('Source', request.params['sourceId'] ?? '')),
);

export const getSyncMetrics = logRoute(async (ctx, { access, query }) => {
  const range = parseDateRange(query);
  const sourceId = parseIdFilter('sourceId', query['sourceId']);
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const connectionIds = await resolveConnectionIds(ctx, access, { sourceId, connectionId });
  return { json: await syncs.countSyncs(ctx.db, { connectionIds, sourceId }, range) };
});

export const getSync = logRoute(async (ctx, { access, params }) => {
  const raw = params['id'] ?? '';
  const sync = await syncs.getSync(ctx.db, access, parsePathId('Sync', raw));
  if (!sync) throw notFound('Sync', raw);
  return { json: toSync(sync) };
});

/** Checks and enqueues in one transaction. A waiting retry stays the only one; a running one is followed by another. */
export const retrySync = authorizedRoute(async (ctx, { access, params }) => {
  const raw = params['id'] ?? '';
  const id = parsePathId('Sync', raw);
  await ctx.db.transaction(async (tx) => {
    const sync = await syncs.findVisibleSyncToRetry(tx, access, id);
    if (!sync) throw notFound('Sync', raw);
    assertSyncRetryable({ sync, crm: sync.crm });
    await enqueueOnceMore(tx, retrySyncJob(id, sync.connectionId, ctx.clock.now()));
  });
  ctx.wakeWorkers();
  return { json: { queued: true, syncId: id } satisfies RetryQueued };
});

async function syncPage(
  ctx: Context,
  { access, query }: AuthorizedRequest,
  parseSourceId: () => number | undefined,
): Promise<ApiAnswer> {
  const page = parseLogPage('sync', query);
  const status = parseEnumFilter('status', query['status'], SYNC_STATUSES);
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const sourceId = parseSourceId();
  const connectionIds = await resolveConnectionIds(ctx, access, { sourceId, connectionId });
  const filter = { accountId: access.accountId, connectionIds, sourceId, status };
  const rows = await syncs.listSyncs(ctx.db, filter, page);
  return { json: buildPage(rows, page.pageSize, (row) => row, toSync, 'sync') };
}
