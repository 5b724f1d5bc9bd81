/**
 * The job behind `POST /syncs/:id/retry`: writes the event of a failed sync to the CRM again, as a new row of `syncs`; the
 * failed one stays as it is.
 *
 * A sync made by this release knows its event. An older one only knows its receipt: the event is read from the kept
 * payload again, by the same adapter. Where that does not work any more, the new row says so. So it does where syncing has been
 * switched off on the connection: nothing is written then, and whoever asked for the retry is told.
 */
import { payloadUnreadableError } from '@svc/domain/syncs/sync-errors';
import { findEvent } from '@svc/sequencers';
import type { Context } from '../context.ts';
import { parseJson } from '../inbound/json-body.ts';
import { applySyncOutcome } from '../services/sync-health.ts';
import { adoptEvent, getEventToWrite, getReceiptToProcess, insertUnwrittenRetry } from '../store/inbound.ts';
import { getSyncToRetry, type SyncToRetry } from '../store/syncs.ts';
import { type ClaimedJob, finish, type NewJob } from './queue.ts';
import { attemptWrite } from './write-crm.ts';

export const RETRY_SYNC = 'retry-sync';

/** At most one retry of a sync waits at a time: `ref` names the sync. */
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
    const eventId = sync.inboundEventId ?? (await adoptKeptEvent(ctx, sync));
    const target = eventId === null ? null : await getEventToWrite(ctx.db, eventId);
    if (target) await attemptWrite(ctx, job, target, { retryOfSyncId: sync.id, isRequested: true });
    else await recordUnreadable(ctx, job, sync);
  };
}

/** The id of the event that the sync was about, read from its receipt; null when the receipt does not hold it any more. */
async function adoptKeptEvent(ctx: Context, sync: SyncToRetry): Promise<number | null> {
  const receipt = sync.payloadId === null ? null : await getReceiptToProcess(ctx.db, sync.payloadId);
  if (!receipt?.source || !receipt.body) return null;
  const input = { headers: receipt.headers, body: parseJson(receipt.body), bodyHash: receipt.bodySha256 ?? '' };
  const event = findEvent(receipt.source.platform, input, sync);
  if (!event) return null;
  return adoptEvent(ctx.db, { id: receipt.id, source: receipt.source }, event, ctx.clock.now());
}

/** A failure like any other: it counts towards the health of the source. */
async function recordUnreadable(ctx: Context, job: ClaimedJob, sync: SyncToRetry): Promise<void> {
  const at = ctx.clock.now();
  const error = payloadUnreadableError();
  const hasEvent = await ctx.db.transaction(async (tx) => {
    await finish(tx, job);
    await insertUnwrittenRetry(tx, sync.id, error, at);
    const { accountId, connectionId, sourceId, crm, platform } = sync;
    // Of a source that is gone there is no health.
    if (connectionId === null || sourceId === null) return false;
    const subject = { connectionId, sourceId, crm, sourcePlatform: platform };
    return applySyncOutcome(ctx, tx, { accountId, subject, status: 'error', error, at });
  });
  // Its webhook deliveries are due at once.
  if (hasEvent) ctx.wakeWorkers();
}
