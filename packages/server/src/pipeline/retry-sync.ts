/**
 * The job behind `POST /syncs/:id/retry`: writes the event of a failed sync to the CRM again, as a new row of `syncs`.
 *
 * A sync of this release knows its event. An older one knows only its receipt, so the same adapter reads the event from
 * the stored payload again. If that fails, or syncing is off on the connection, the new row says so.
 */
import { payloadUnreadableError } from '@svc/domain/syncs/sync-errors';
import { findEvent } from '@svc/sequencers';
import type { Context } from '../context.ts';
import { parseReceivedJson } from '@svc/domain/syncs/inbound-post';
import { applySyncOutcome } from './sync-health.ts';
import { findOrInsertEvent, getEventToWrite, getReceiptToProcess, insertUnwrittenRetry } from '../store/inbound.ts';
import { getSyncToRetry, type SyncToRetry } from '../store/syncs.ts';
import { type ClaimedJob, finish, type NewJob } from '../queue/queue.ts';
import { attemptWrite } from './write-crm.ts';

export const RETRY_SYNC = 'retry-sync';

/** Returns the retry job. `ref` is the sync, so at most one retry of it waits at a time. */
export function retrySyncJob(syncId: number, connectionId: number, now: Date): NewJob {
  return {
    kind: RETRY_SYNC,
    ref: syncId,
    fairnessKey: `connection:${connectionId}`,
    dueAt: now,
    createdAt: now,
  };
}

export function createRetrySyncHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const sync = await getSyncToRetry(ctx.db, Number(job.ref));
    if (!sync) {
      await ctx.db.transaction((tx) => finish(tx, job));
      return;
    }
    const eventId = sync.inboundEventId ?? (await restoreEvent(ctx, sync));
    const target = eventId === null ? null : await getEventToWrite(ctx.db, eventId);
    if (target) await attemptWrite(ctx, job, target, { retryOfSyncId: sync.id, isRequested: true });
    else await recordUnreadable(ctx, job, sync);
  };
}

/** Reads the sync's event from its receipt and returns its id; null when the receipt no longer contains it. */
async function restoreEvent(ctx: Context, sync: SyncToRetry): Promise<number | null> {
  const receipt = sync.payloadId === null ? null : await getReceiptToProcess(ctx.db, sync.payloadId);
  if (!receipt?.source || !receipt.body) return null;
  const input = {
    headers: receipt.headers,
    body: parseReceivedJson(receipt.body.toString('utf8')),
    bodyHash: receipt.bodySha256 ?? '',
  };
  const event = findEvent(receipt.source.platform, input, sync);
  if (!event) return null;
  return findOrInsertEvent(ctx.db, { id: receipt.id, source: receipt.source }, event, ctx.clock.now());
}

/** Records the failure like any other: it counts towards the health of the source. */
async function recordUnreadable(ctx: Context, job: ClaimedJob, sync: SyncToRetry): Promise<void> {
  const at = ctx.clock.now();
  const error = payloadUnreadableError();
  const hasEvent = await ctx.db.transaction(async (tx) => {
    await finish(tx, job);
    await insertUnwrittenRetry(tx, sync.id, error, at);
    const { accountId, connectionId, sourceId, crm, platform } = sync;
    // Deleted sources have no health state.
    if (connectionId === null || sourceId === null) return false;
    const subject = { connectionId, sourceId, crm, sourcePlatform: platform };
    return applySyncOutcome(ctx, tx, { accountId, subject, status: 'error', error, at });
  });
  // The webhook deliveries of the event are due now.
  if (hasEvent) ctx.wakeWorkers();
}
