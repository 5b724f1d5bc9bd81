/**
 * The job behind `POST /syncs/:id/retry`: writes the event of a failed sync to the CRM again, as a new row of `syncs`.
 * While a write of the event is pending, that one is tried now, and no other.
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
import { type ClaimedJob, defer, finish, lockClaimedJob, type NewJob } from '../queue/queue.ts';
import { requestWaitingWrite } from '../queue/waiting-events.ts';
import { attemptWrite, WRITE_CRM } from './write-crm.ts';

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

/** How long to wait for the pending write of the same event when it runs just now. */
const RUNNING_WRITE_MS = 1_000;

export function createRetrySyncHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return (job) => retrySync(ctx, job, { isProbe: false });
}

/** Runs a `retry-sync` job. @param options.isProbe see `attemptWrite` */
export async function retrySync(ctx: Context, job: ClaimedJob, { isProbe }: { isProbe: boolean }): Promise<void> {
  const sync = await getSyncToRetry(ctx.db, Number(job.ref));
  if (!sync) {
    await ctx.db.transaction((tx) => finish(tx, job));
    return;
  }
  const eventId = sync.inboundEventId ?? (await restoreEvent(ctx, sync));
  if (eventId !== null && (await requestPendingWrite(ctx, job, eventId))) return;
  const target = eventId === null ? null : await getEventToWrite(ctx.db, eventId);
  if (target) await attemptWrite(ctx, job, target, { retryOfSyncId: sync.id, isRequested: true, isProbe });
  else await recordUnreadable(ctx, job, sync);
}

/** Makes the pending write of the event due now, instead of this job. Returns false when none is pending. */
async function requestPendingWrite(ctx: Context, job: ClaimedJob, eventId: number): Promise<boolean> {
  const now = ctx.clock.now();
  const write = await ctx.db.transaction(async (tx) => {
    await lockClaimedJob(tx, job);
    const found = await requestWaitingWrite(tx, eventId, now);
    if (found === 'due') await finish(tx, job);
    if (found === 'running') await defer(tx, job, { dueAt: new Date(now.getTime() + RUNNING_WRITE_MS) });
    return found;
  });
  if (write === 'due') ctx.wakeWorkers(WRITE_CRM);
  return write !== 'none';
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
