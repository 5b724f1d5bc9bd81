/**
 * The job that ends an outage of a connection's CRM (`crm-outage.ts`): it tries one waiting event when the next probe is
 * due. After the outage it makes the other events due, oldest first.
 */
import type { Context } from '../context.ts';
import { parseRef, RETRY_SYNC } from '../jobs/kinds.ts';
import { type ClaimedJob, defer, finish, lockClaimedJob, saveProgress } from '../queue/queue.ts';
import { failJobs } from '../queue/failed-jobs.ts';
import { claimWaitingEvent, countWaitingEvents, releaseWaitingEvents } from '../queue/waiting-writes.ts';
import { deleteCrmOutage, getCrmOutage } from '../store/crm-outages.ts';
import { getProbeTarget, type ProbeTarget } from '../store/connections.ts';
import { logOutageEnd } from './crm-outage.ts';
import { createSyncStore, type SyncStore } from './sync-store.ts';
import { createGiveUp } from './give-up.ts';
import { retrySyncs } from './retry-sync.ts';
import { writeCrm } from './write-crm.ts';

/** Longer than the slowest write. */
const PROBE_LEASE_MS = 2 * 60 * 1000;
/** The wait for an event that another worker has at this moment. */
const BUSY_MS = 1_000;
/** Few enough that one transaction does not delay others. */
const RELEASED_AT_ONCE = 1_000;

export function createProbeCrmHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  const syncStore = createSyncStore(ctx);
  return async (job) => {
    const connectionId = parseRef(job).subjectId;
    const target = await getProbeTarget(ctx.db, connectionId);
    if (target === null) return await finish(ctx.db, job);
    const outage = await getCrmOutage(ctx.db, connectionId);
    if (outage?.isConfirmed !== true) return await release(ctx, job, connectionId);
    if (!target.canSync) return await end(ctx, job, target);
    const dueAt = laterOf(outage.nextProbeAt, target.crmCooldownUntil);
    if (dueAt > ctx.clock.now()) return await defer(ctx.db, job, { dueAt });
    await probe(syncStore, job, target);
  };
}

async function probe(syncStore: SyncStore, job: ClaimedJob, target: ProbeTarget): Promise<void> {
  const { ctx } = syncStore;
  const leaseUntil = new Date(ctx.clock.now().getTime() + PROBE_LEASE_MS);
  const event = await ctx.db.transaction(async (tx) => {
    await lockClaimedJob(tx, job);
    return claimWaitingEvent(tx, target.id, { probe: job, leaseUntil });
  });
  if (event === null) {
    if ((await countWaitingEvents(ctx.db, target.id)) === 0) await end(ctx, job, target);
    else await defer(ctx.db, job, { dueAt: new Date(ctx.clock.now().getTime() + BUSY_MS) });
    return;
  }
  const run = event.kind === RETRY_SYNC ? retrySyncs : writeCrm;
  try {
    await run(syncStore, [event], { isProbe: true });
  } catch (error) {
    // The event fails by itself: another event, or this one later, tells whether the CRM works.
    if (event.result === undefined) await failJobs({ ...ctx, giveUp: createGiveUp(ctx) }, [event], error);
  }
  // Otherwise the backoff after a failure of the database would grow with every probe of a long outage.
  await saveProgress(ctx.db, job, job.state);
  const outage = await getCrmOutage(ctx.db, target.id);
  if (outage?.isConfirmed !== true) return await release(ctx, job, target.id);
  // At least a moment later, because the event may have ended without a call.
  const earliest = new Date(ctx.clock.now().getTime() + BUSY_MS);
  await defer(ctx.db, job, { dueAt: laterOf(outage.nextProbeAt, earliest) });
}

/** Ends the outage without an answer of the CRM: nothing is to be written any more. */
async function end(ctx: Context, job: ClaimedJob, { id, crm }: ProbeTarget): Promise<void> {
  const ended = await ctx.db.transaction(async (tx) => {
    await lockClaimedJob(tx, job);
    const outage = await deleteCrmOutage(tx, id, 'any');
    return outage && { ...outage, waitingEvents: await countWaitingEvents(tx, id) };
  });
  if (ended) logOutageEnd(ctx, { crm }, ended);
  await release(ctx, job, id);
}

/** Makes the events due that waited for the outage's end. */
async function release(ctx: Context, job: ClaimedJob, connectionId: number): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction(async (tx) => {
    await lockClaimedJob(tx, job);
    const mayBeMore = await releaseWaitingEvents(tx, connectionId, now, RELEASED_AT_ONCE);
    if (mayBeMore) await defer(tx, job, { dueAt: now });
    else await finish(tx, job);
  });
  ctx.wakeWorkers();
}

function laterOf(a: Date, b: Date | null): Date {
  return b !== null && b > a ? b : a;
}
