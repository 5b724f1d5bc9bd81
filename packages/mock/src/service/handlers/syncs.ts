import { SYNC_STATUSES } from '@svc/contract/vocabulary';
import type { Access } from '@svc/domain/requests/access';
import { parseDateRange } from '@svc/domain/requests/date-range';
import { notFound } from '@svc/domain/errors/errors';
import { parseLogQuery } from '@svc/domain/requests/log-query';
import { countSyncs } from '@svc/domain/syncs/metrics';
import { parseEnumFilter, parseIdFilter, parsePathId } from '@svc/domain/requests/parameters';
import type { SyncRow } from '@svc/domain/world';
import type { RetryQueued } from '@svc/contract/types';
import { assertSyncRetryable } from '@svc/domain/syncs/sync-retry';
import { findRow, type LogRange, newestFirst } from '../../state/log.ts';
import { connectionsById } from '../../state/row-indexes.ts';
import { addJob, type WorldData } from '../../state/world-data.ts';
import { updateData } from '../../state/world.ts';
import { type AuthorizedCall, authorizedHandler, type Reply } from '../call.ts';
import { hasWaitingJob } from '../jobs/run-due.ts';
import { ofConnections, readPage, resolveConnectionIds } from './log-query.ts';
import { syncOf } from './resources.ts';

export const listSyncs = authorizedHandler((call) =>
  syncPage(call, () => parseIdFilter('sourceId', call.query['sourceId'])),
);

/** Ignores a `sourceId` in the query. */
export const listSourceSyncs = authorizedHandler((call) =>
  syncPage(call, () => parsePathId('Source', call.params['sourceId'] ?? '')),
);

export const getSyncMetrics = authorizedHandler(({ world, access, query }) => {
  const { data } = world.state;
  const range = parseDateRange(query);
  const sourceId = parseIdFilter('sourceId', query['sourceId']);
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const connectionIds = resolveConnectionIds(data, access, { sourceId, connectionId });
  return { json: countSyncs(syncsOf(data, { connectionIds, sourceId }, range)) };
});

export const getSync = authorizedHandler(({ world, access, params }) => {
  const raw = params['id'] ?? '';
  const sync = findSync(world.state.data, access, parsePathId('Sync', raw));
  if (sync === null) throw notFound('Sync', raw);
  return { json: syncOf(sync) };
});

/** Returns the sync, or null when it does not exist or is not visible. */
function findSync(data: WorldData, access: Access, id: number): SyncRow | null {
  const sync = findRow(data.syncs, id);
  return sync !== null && access.connectionIds.includes(sync.connectionId) ? sync : null;
}

export interface SyncFilter {
  readonly connectionIds: readonly number[];
  readonly sourceId?: number | undefined;
}

/** Yields matching syncs in list order. */
export function* syncsOf(
  data: WorldData,
  { connectionIds, sourceId }: SyncFilter,
  range: LogRange,
): Generator<SyncRow, void, undefined> {
  const isVisible = ofConnections(connectionIds);
  for (const row of newestFirst(data.syncs, range)) {
    if (isVisible(row) && (sourceId === undefined || row.sourceId === sourceId)) yield row;
  }
}

function syncPage({ world, access, query }: AuthorizedCall, parseSourceId: () => number | undefined): Reply {
  const { data, settings } = world.state;
  const page = parseLogQuery('sync', query);
  const status = parseEnumFilter('status', query['status'], SYNC_STATUSES);
  const connectionId = parseIdFilter('connectionId', query['connectionId']);
  const sourceId = parseSourceId();
  const isVisible = ofConnections(resolveConnectionIds(data, access, { sourceId, connectionId }));
  const matches = (row: SyncRow) =>
    (sourceId === undefined || row.sourceId === sourceId) && (status === undefined || row.status === status);
  const list = { rowType: 'sync' as const, rows: data.syncs, isVisible, matches, toResource: syncOf };
  return { json: readPage(list, page, settings.scanCap) };
}

/** Enqueues a retry unless one is waiting. */
export const retrySync = authorizedHandler(({ world, access, params, now }) => {
  const { data } = world.state;
  const raw = params['id'] ?? '';
  const id = parsePathId('Sync', raw);
  const sync = findSync(data, access, id);
  if (sync === null) throw notFound('Sync', raw);
  assertSyncRetryable({ sync, crm: connectionsById(data.connections).get(sync.connectionId)?.crm ?? null });
  const isWaiting = hasWaitingJob(world, (job) => job.kind === 'retry-sync' && job.syncId === id);
  if (!isWaiting) updateData(world, addJob(data, { kind: 'retry-sync', syncId: id, tries: null }, now));
  return { json: { queued: true, syncId: id } satisfies RetryQueued };
});
