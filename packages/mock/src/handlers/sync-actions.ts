import type { RetryQueued } from '@svc/contract/types';
import { notFound } from '@svc/domain/errors/errors';
import { parsePathId } from '@svc/domain/requests/parameters';
import { assertSyncRetryable } from '@svc/domain/syncs/sync-retry';
import { authorizedHandler } from '../core/call.ts';
import { connectionsById } from '../core/rows.ts';
import { updateData } from '../core/world.ts';
import { addJob } from '../core/world-data.ts';
import { hasWaitingJob } from '../jobs/run-due.ts';
import { findSync } from './syncs.ts';

/** Checks and enqueues; a retry that still waits stays the only one. */
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
