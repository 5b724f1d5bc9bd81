/**
 * Removes at the sequencer what has left the CRM list of a block list, a batch for each run of the job.
 *
 * What something else blocks stays: an event, or another list that is the same one at the sequencer (its platform, instance, client and API
 * key). A call is noted before it is made. When it turns out afterwards that something blocks the entry, which may have been removed by
 * then, that is sent again. So whoever opts out is blocked in the end, whichever call came first and whichever process died.
 *
 * Nothing that waits is given up: after a failure that needs somebody, and while the list is paused, the job tries again every hour.
 */
import { entriesReturned } from '@svc/domain/blocklists/blocklist';
import { removalErrorText } from '@svc/domain/blocklists/blocklist-errors';
import { nextTry, WAIT_MAX_MS } from '@svc/domain/blocklists/blocklist-schedule';
import type { RemovalOutcome } from '@svc/sequencers/blocklists';
import type { Context } from '../context.ts';
import { pushSuppressionsJob } from '../pipeline/suppress-contacts.ts';
import { bringForward, type ClaimedJob, defer, enqueueOnceMore, finish, lockClaimedJob } from '../queue/queue.ts';
import {
  dropRemovals,
  findBlockedValues,
  hasWaitingRemovals,
  listCalledRemovals,
  listWaitingRemovals,
  markRemovals,
  sendAgain,
  setRemovalError,
} from '../store/blocklist-removals.ts';
import {
  type BlocklistWork,
  findBlocklistWork,
  listSimilarLists,
  lockBlocklistsOfJob,
  setBlocklistState,
} from '../store/blocklists.ts';
import type { Db } from '../store/database/db.ts';
import { type BlocklistJobState, readBlocklistJob, topUpBlocklistJob } from './blocklist-jobs.ts';
import { type Batch, findObstacle, hasMoved, openListToken, sendRemoval } from './send-batch.ts';

type Called = Omit<Batch, 'batchMax'>;

const PAUSED = 'The list is paused: a resync continues it.';

export function createRemoveEntriesHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const progress = readBlocklistJob(job);
    const batch = await nextBatch(ctx, job, progress);
    if (batch !== null) await storeOutcome(ctx, job, { progress, batch, outcome: await sendRemoval(ctx, batch) });
    ctx.wakeWorkers();
  };
}

/** Notes that the next entries are being removed and returns them; null when there is nothing to do now. */
async function nextBatch(ctx: Context, job: ClaimedJob, progress: BlocklistJobState): Promise<Called | null> {
  const at = ctx.clock.now();
  return ctx.db.transaction(async (tx) => {
    const { list, same } = await lockSameLists(ctx, tx, await findBlocklistWork(tx, progress.blocklistId));
    if (list === null) {
      await finish(tx, job);
      return null;
    }
    const sameIds = same.map(({ id }) => id);
    // Before the obstacle, because other lists may send now.
    const returned = [...(await findBlockedValues(tx, sameIds, await listCalledRemovals(tx, list.id)))];
    await blockAgain(tx, same, returned, at);
    await dropRemovals(tx, list.id, returned);
    const obstacle = findObstacle(list, PAUSED);
    if (obstacle !== null) {
      await defer(tx, job, { dueAt: new Date(at.getTime() + WAIT_MAX_MS), state: progress, error: obstacle });
      await setRemovalError(tx, list.id, obstacle);
      return null;
    }
    const { batchMax } = ctx.blocklistConnector(list.platform)?.removal ?? { batchMax: 1 };
    for (;;) {
      const all = await listWaitingRemovals(tx, list.id, batchMax);
      const blocked = await findBlockedValues(tx, sameIds, all);
      const kept = list.removes ? all.filter((value) => blocked.has(value)) : all;
      await dropRemovals(tx, list.id, kept);
      const values = all.filter((value) => !kept.includes(value));
      if (values.length === 0 && kept.length > 0) continue;
      if (values.length === 0) {
        await finish(tx, job);
        await setRemovalError(tx, list.id, null);
        return null;
      }
      await lockClaimedJob(tx, job);
      await markRemovals(tx, list.id, { column: 'called_at', values, at });
      return { list, values };
    }
  });
}

/** Stores what became of a batch, and ends the job or puts it off. */
async function storeOutcome(
  ctx: Context,
  job: ClaimedJob,
  { progress, batch, outcome }: { progress: BlocklistJobState; batch: Called; outcome: RemovalOutcome },
): Promise<void> {
  const at = ctx.clock.now();
  const { removed, refused, failure } = outcome;
  const isRemoved = await ctx.db.transaction(async (tx) => {
    const found = await findBlocklistWork(tx, batch.list.id);
    const hasLeft = found === null || hasMoved(batch.list, found);
    const { list, same } = await lockSameLists(ctx, tx, hasLeft ? batch.list : found);
    const sameIds = same.map(({ id }) => id);
    // The waiting removals of a list that has left are gone, so this alone looks at what had no answer.
    const kept = [...(await findBlockedValues(tx, sameIds, hasLeft ? batch.values : removed))];
    await blockAgain(tx, same, kept, at);
    if (list === null) return true;
    await dropRemovals(tx, list.id, kept);
    await markRemovals(tx, list.id, { column: 'removed_at', values: removed, at });
    await markRemovals(tx, list.id, { column: 'refused_at', values: refused, at });
    if (failure !== null) {
      await putOff(tx, job, { list, progress, failure, at });
    } else if (await hasWaitingRemovals(tx, list.id)) {
      const { pauseMs = 0 } = ctx.blocklistConnector(list.platform)?.removal ?? {};
      await defer(tx, job, { dueAt: new Date(at.getTime() + pauseMs), state: { ...progress, failureCount: 0 } });
    } else {
      await finish(tx, job);
      await setRemovalError(tx, list.id, null);
    }
    return false;
  });
  // Its job has gone with it.
  if (isRemoved) await finish(ctx.db, job);
}

async function putOff(
  tx: Db,
  job: ClaimedJob,
  {
    list,
    progress,
    failure: { message, retry },
    at,
  }: { list: BlocklistWork; progress: BlocklistJobState; failure: NonNullable<RemovalOutcome['failure']>; at: Date },
): Promise<void> {
  const { failureCount, dueAt } = nextTry({ ...progress, retry, at });
  await defer(tx, job, { dueAt, state: { ...progress, failureCount }, error: message });
  await setRemovalError(tx, list.id, removalErrorText(message));
}

/** Locks a list and all that are the same one at the sequencer. @returns `list` null when it is gone; `same` with the list itself */
async function lockSameLists(
  ctx: Context,
  tx: Db,
  found: BlocklistWork | null,
): Promise<{ list: BlocklistWork | null; same: BlocklistWork[] }> {
  if (found === null) return { list: null, same: [] };
  const { id } = found;
  const token = tokenOf(ctx, found);
  const others = await listSimilarLists(tx, found);
  // One whose key cannot be read may be the same one.
  const ids = others.filter((other) => (tokenOf(ctx, other) ?? token) === token).map((other) => other.id);
  const same = await lockBlocklistsOfJob(tx, [id, ...ids]);
  return { list: same.find((list) => list.id === id) ?? null, same };
}

function tokenOf(
  ctx: Context,
  { id, sequencerKeyId, sealedSequencerToken }: Pick<BlocklistWork, 'id' | 'sequencerKeyId' | 'sealedSequencerToken'>,
): string | null {
  return sealedSequencerToken === null ? null : openListToken(ctx, { id, sequencerKeyId, sealedSequencerToken });
}

/** Sends what blocks these values again, because a removal may have taken it away. */
async function blockAgain(tx: Db, lists: readonly BlocklistWork[], values: readonly string[], at: Date): Promise<void> {
  if (values.length === 0) return;
  for (const list of lists) {
    const { id, state, connection } = list;
    const { entries, hasSuppressions } = await sendAgain(tx, list, values);
    if (hasSuppressions) await enqueueOnceMore(tx, pushSuppressionsJob({ id, connectionId: connection.id }, at));
    if (entries === 0) continue;
    await setBlocklistState(tx, id, entriesReturned(state, entries));
    // A push at work sees them; an idle list begins its next round.
    const ofJob = { id, connectionId: connection.id, run: state.run };
    await bringForward(tx, topUpBlocklistJob(ofJob, { createdAt: at, dueAt: at }));
  }
}
