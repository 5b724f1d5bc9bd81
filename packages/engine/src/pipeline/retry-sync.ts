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
import { composeRef, fairnessKeys, parseRef, RETRY_SYNC, WRITE_CRM } from '../jobs/kinds.ts';
import { parseReceivedBody } from '@svc/domain/syncs/inbound-post';
import { deferAll, lockClaimedJobs, runTogether, settle } from '../queue/job-batches.ts';
import { type ClaimedJob, finishAll, type NewJob } from '../queue/queue.ts';
import type { BatchHandler } from '../queue/runner.ts';
import { forgetSetAside } from '../queue/set-aside.ts';
import { requestWaitingWrites } from '../queue/waiting-writes.ts';
import { insertUnwrittenRetry } from '../store/sync-attempts.ts';
import { findOrInsertEvent, getReceiptToProcess } from '../store/receipts.ts';
import { listSyncsToRetry, type SyncToRetry } from '../store/syncs.ts';
import { createSyncStore, type SyncStore } from './sync-store.ts';
import { applySyncOutcomes } from './sync-health.ts';
import { type Attempt, writeInTurns, WRITES_AT_ONCE } from './write-crm.ts';
import type { WriteOptions } from './sync-attempt.ts';

/** Returns the retry job. `ref` is the sync, so at most one retry of it waits at a time. */
export function retrySyncJob(syncId: number, connectionId: number, now: Date): NewJob {
  return {
    kind: RETRY_SYNC,
    ref: composeRef(syncId),
    fairnessKey: fairnessKeys.connection(connectionId),
    dueAt: now,
    createdAt: now,
  };
}

/** How long to wait for the pending write of the same event when it runs just now. */
const RUNNING_WRITE_MS = 1_000;

export function createRetrySyncHandler(ctx: Context): BatchHandler {
  const syncStore = createSyncStore(ctx);
  return {
    batchSize: WRITES_AT_ONCE,
    handleBatch: (jobs) => runTogether(jobs, (batch) => retrySyncs(syncStore, batch, { isProbe: false })),
  };
}

/** Runs `retry-sync` jobs of one connection. */
export async function retrySyncs(
  syncStore: SyncStore,
  jobs: readonly ClaimedJob[],
  options: WriteOptions,
): Promise<void> {
  const { ctx } = syncStore;
  const syncs = await listSyncsToRetry(
    ctx.db,
    jobs.map((job) => parseRef(job).subjectId),
  );
  const gone = jobs.filter((job) => !syncs.has(parseRef(job).subjectId));
  if (gone.length > 0) await settle(ctx.db, gone, (tx) => finishAll(tx, gone));
  const attempts: Attempt[] = [];
  for (const job of jobs) {
    const sync = syncs.get(parseRef(job).subjectId);
    if (!sync) continue;
    const eventId = sync.isEmptied ? null : (sync.inboundEventId ?? (await restoreEvent(ctx, sync)));
    if (eventId === null) await recordUnreadable(ctx, job, sync);
    else attempts.push({ job, eventId, retryOfSyncId: sync.id, isRequested: true });
  }
  await writeInTurns(syncStore, await requestPendingWrites(ctx, attempts), options);
}

/** Makes the pending writes of events due now, instead of these attempts. Returns the attempts without a pending write. */
async function requestPendingWrites(ctx: Context, attempts: readonly Attempt[]): Promise<Attempt[]> {
  const now = ctx.clock.now();
  const jobs = attempts.map(({ job }) => job);
  const writes = await settle(ctx.db, jobs, async (tx) => {
    const held = await lockClaimedJobs(tx, jobs);
    const mine = attempts.filter(({ job }) => held.has(job.id));
    const eventIds = mine.map(({ eventId }) => eventId);
    const found = await requestWaitingWrites(tx, eventIds, now);
    // This attempt is made in place of the events' own jobs that were set aside.
    await forgetSetAside(tx, WRITE_CRM, eventIds);
    const withWrite = (state: 'due' | 'running') =>
      mine.filter(({ eventId }) => found.get(eventId) === state).map(({ job }) => job);
    const due = withWrite('due');
    if (due.length > 0) await finishAll(tx, due);
    const dueAt = new Date(now.getTime() + RUNNING_WRITE_MS);
    await deferAll(
      tx,
      withWrite('running').map((job) => ({ job, dueAt })),
    );
    return { isDue: due.length > 0, left: mine.filter(({ eventId }) => !found.has(eventId)) };
  });
  if (writes.isDue) ctx.wakeWorkers(WRITE_CRM);
  return writes.left;
}

/** Reads the sync's event from its receipt and returns its id; null when the receipt no longer contains it. */
async function restoreEvent(ctx: Context, sync: SyncToRetry): Promise<number | null> {
  const receipt = sync.payloadId === null ? null : await getReceiptToProcess(ctx.db, sync.payloadId);
  if (!receipt?.source || !receipt.body) return null;
  const input = {
    headers: receipt.headers,
    body: parseReceivedBody(receipt.body.toString('utf8'), receipt.headers['content-type']),
    bodyHash: receipt.bodySha256 ?? '',
  };
  const event = findEvent(receipt.source, input, sync);
  if (!event) return null;
  const { id, accountId, receivedAt, source } = receipt;
  return findOrInsertEvent(ctx.db, { receipt: { id, accountId, receivedAt, source }, event }, ctx.clock.now());
}

/** Records the failure like any other: it counts towards the health of the source. */
async function recordUnreadable(ctx: Context, job: ClaimedJob, sync: SyncToRetry): Promise<void> {
  const at = ctx.clock.now();
  const error = payloadUnreadableError();
  const hasEvent = await settle(ctx.db, [job], async (tx) => {
    const held = await finishAll(tx, [job]);
    if (!held.has(job.id)) return false;
    await insertUnwrittenRetry(tx, sync.id, error, at);
    const { accountId, connectionId, sourceId, crm, platform } = sync;
    // Deleted sources have no health state.
    if (connectionId === null || sourceId === null) return false;
    const subject = { connectionId, sourceId, crm, sourcePlatform: platform };
    const [hasIncident] = await applySyncOutcomes(ctx, tx, [{ accountId, subject, status: 'error', error }], at);
    return hasIncident === true;
  });
  // The webhook deliveries of the event are due now.
  if (hasEvent) ctx.wakeWorkers();
}
