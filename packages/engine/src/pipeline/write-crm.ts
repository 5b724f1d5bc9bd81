/** The job `write-crm`: the first attempt to write an event, and every one after its error row (`sync-attempt.ts`). */
import type { Context } from '../context.ts';
import { composeRef, fairnessKeys, parseRef, WRITE_CRM } from '../jobs/kinds.ts';
import { RETRY_OF_SYNC_ID } from '../jobs/write-state.ts';
import { runTogether, settle } from '../queue/job-batches.ts';
import { type ClaimedJob, finishAll, type NewJob } from '../queue/queue.ts';
import type { BatchHandler } from '../queue/runner.ts';
import { planWrites } from './plan-writes.ts';
import { createSyncStore, type SyncStore } from './sync-store.ts';
import { attemptWrites, type WriteOptions } from './sync-attempt.ts';
import type { EventWrite } from './sync-results.ts';

/** Jobs that one claim takes: a batch of HubSpot, several of other CRMs, because a claim costs as much as storing the results of one. */
export const WRITES_AT_ONCE = 500;

/** Returns the job of an event's first attempt. */
export function writeCrmJob(inboundEventId: number, connectionId: number, now: Date): NewJob {
  return {
    kind: WRITE_CRM,
    ref: composeRef(inboundEventId),
    fairnessKey: fairnessKeys.connection(connectionId),
    dueAt: now,
    createdAt: now,
  };
}

export function createWriteCrmHandler(ctx: Context): BatchHandler {
  const syncStore = createSyncStore(ctx);
  return {
    batchSize: WRITES_AT_ONCE,
    handleBatch: (jobs) => runTogether(jobs, (batch) => writeCrm(syncStore, batch, { isProbe: false })),
  };
}

/** Runs `write-crm` jobs of one connection. */
export async function writeCrm(
  syncStore: SyncStore,
  jobs: readonly ClaimedJob[],
  options: WriteOptions,
): Promise<void> {
  const attempts = jobs.map((job) => {
    const retryOf = job.state[RETRY_OF_SYNC_ID];
    return {
      job,
      eventId: parseRef(job).subjectId,
      retryOfSyncId: typeof retryOf === 'number' ? retryOf : null,
      isRequested: false,
    };
  });
  await writeInTurns(syncStore, attempts, options);
}

/** An attempt whose event is not read yet. */
export type Attempt = Omit<EventWrite, 'target' | 'plan' | 'fields'> & { eventId: number };

/**
 * Writes events of one connection in the order in which they were received, as many at once as its connector takes, and
 * two attempts of one event one after the other. Jobs whose event no longer exists end, and so do those of events of which the policy of
 * their source writes nothing.
 */
export async function writeInTurns(
  syncStore: SyncStore,
  attempts: readonly Attempt[],
  options: WriteOptions,
): Promise<void> {
  const { ctx } = syncStore;
  let left = attempts.toSorted((a, b) => a.eventId - b.eventId);
  let size = WRITES_AT_ONCE;
  while (left.length > 0) {
    // Each batch is read when its turn comes: the last one may have changed the connection.
    const read = await syncStore.readEvents(left.slice(0, size).map(({ eventId }) => eventId));
    const [first] = read.values();
    if (first) size = ctx.crmConnector(first.connection.crm)?.batchSize ?? size;
    const next = left.slice(0, size);
    const ids = new Set(next.map(({ eventId }) => eventId));
    const plans = await planWrites(ctx, new Map([...read].filter(([id]) => ids.has(id))));
    const unwritten = next.filter(({ eventId }) => !plans.has(eventId)).map(({ job }) => job);
    if (unwritten.length > 0) await settle(ctx.db, unwritten, (tx) => finishAll(tx, unwritten));
    const writes: EventWrite[] = [];
    if (first) {
      for (const [eventId, planned] of plans) {
        const attempt = next.find((other) => other.eventId === eventId);
        if (attempt) writes.push({ ...attempt, ...planned });
      }
      if (writes.length > 0) await attemptWrites(syncStore, first.connection, writes, options);
      // Another worker has taken over the connection and writes the rest: two writers would make engagements twice.
      if (writes.length > 0 && !writes.some(isSettled)) return;
    }
    const made = new Set([...writes.map(({ job }) => job), ...unwritten]);
    left = left.filter(({ job }) => !made.has(job));
  }
}

function isSettled({ job }: EventWrite): boolean {
  return job.result === 'done' || job.result === 'deferred';
}
