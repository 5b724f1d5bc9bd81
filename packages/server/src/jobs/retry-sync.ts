/**
 * The job behind `POST /syncs/:id/retry`: writes the event of a failed sync to the CRM again, as a new row of `syncs`; the
 * failed one stays as it is.
 *
 * A sync made by this release knows its event. An older one only knows its receipt: the event is read from the kept
 * payload again, by the same adapter. Where that does not work any more, the new row says so.
 */
import { type InboundEvent, normalize } from '@svc/sequencers';
import type { Context } from '../context.ts';
import { parseJson } from '../inbound/json-body.ts';
import { adoptEvent, getEventToWrite, getReceiptToProcess, insertUnwrittenRetry } from '../store/inbound.ts';
import { getSyncToRetry, type SyncToRetry } from '../store/syncs.ts';
import { type ClaimedJob, finish, type NewJob } from './queue.ts';
import { attemptWrite } from './write-crm.ts';

export const RETRY_SYNC = 'retry-sync';

/** At most one retry of a sync is queued at a time: `ref` names the sync. */
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
      await finish(ctx.db, job);
      return;
    }
    const eventId = sync.inboundEventId ?? (await findEvent(ctx, sync));
    const target = eventId === null ? null : await getEventToWrite(ctx.db, eventId);
    if (target) await attemptWrite(ctx, job, target, sync.id);
    else await recordUnreadable(ctx, job, sync);
  };
}

/** The id of the event that the sync was about, read from its receipt; null when the receipt does not hold it any more. */
async function findEvent(ctx: Context, sync: SyncToRetry): Promise<number | null> {
  const receipt = sync.payloadId === null ? null : await getReceiptToProcess(ctx.db, sync.payloadId);
  if (!receipt?.source || !receipt.body) return null;
  const result = normalize(receipt.source.platform, {
    headers: receipt.headers,
    body: parseJson(receipt.body),
    bodyHash: receipt.bodySha256 ?? '',
  });
  if (result.outcome !== 'events') return null;
  const event = result.events.find((candidate) => isEventOf(sync, candidate));
  if (!event) return null;
  return adoptEvent(ctx.db, { id: receipt.id, source: receipt.source }, event, ctx.clock.now());
}

function isEventOf(sync: SyncToRetry, event: InboundEvent): boolean {
  return event.eventType === sync.eventType && event.toEmail === sync.toEmail.toLowerCase();
}

async function recordUnreadable(ctx: Context, job: ClaimedJob, sync: SyncToRetry): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await finish(tx, job);
    const message = 'The received payload does not hold this event any more, so it could not be written again.';
    await insertUnwrittenRetry(tx, sync.id, { code: 'payload_unreadable', message, httpStatus: null }, ctx.clock.now());
  });
}
