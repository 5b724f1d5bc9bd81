/**
 * Sends the contacts that events of the account put on a block list to its sequencer, at once and beside the rounds that
 * the CRM list gives (`blocklist-jobs.ts`).
 *
 * What became of each contact is stored with the transaction that begins the next batch or ends the job, so those that were
 * added are not sent again. One whose answer was lost is, which changes nothing at the sequencer.
 *
 * Nothing that waits is given up: after a failure that needs somebody, and while the list is paused, the job tries again
 * every hour. Refused contacts are treated as those of a CRM list are (`push-blocklist.ts`).
 */
import { pushErrorText } from '@svc/domain/blocklists/blocklist-errors';
import { nextTry, WAIT_MAX_MS } from '@svc/domain/blocklists/blocklist-schedule';
import type { BlocklistFailure } from '@svc/sequencers/blocklists';
import type { Context } from '../context.ts';
import { type ClaimedJob, defer, finish, lockClaimedJob, saveProgress } from '../queue/queue.ts';
import { type BlocklistWork, lockBlocklistOfJob } from '../store/blocklists.ts';
import type { Db } from '../store/database/db.ts';
import {
  clearSuppressionRefusals,
  listWaitingSuppressions,
  markSuppressions,
  setSuppressionError,
} from '../store/suppressions.ts';
import { type BlocklistJobState, readBlocklistJob } from './blocklist-jobs.ts';
import {
  type Answered,
  type Batch,
  findObstacle,
  hasMoved,
  nextRange,
  nextRefusal,
  REFUSED_IN_A_ROW_MAX,
  sendBatch,
} from './send-batch.ts';

/** Number of batches after which the job releases itself. */
const BATCHES_PER_SLICE = 5;
const PAUSED =
  'The list is paused: a resync continues it, and svc-server blocklists update --suppress where it has no CRM list.';

export function createPushSuppressionsHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    let progress = readBlocklistJob(job);
    let answered: Sent | null = null;
    for (let sent = 0; ; sent += 1) {
      const batch = await nextBatch(ctx, job, { progress, answered, sent });
      if (batch === null) return ctx.wakeWorkers();
      const outcome = await sendBatch(ctx, batch);
      const { added, refused, failure } = outcome;
      const refusal = nextRefusal(progress.refusal, batch, outcome, ctx.clock.now());
      const suspects = failure?.suspects;
      answered = { to: batch.list, added, refused: suspects?.length === 1 ? [...refused, ...suspects] : refused };
      progress = { ...progress, refusal };
      const isOfAll = suspects !== undefined && refusal?.count === REFUSED_IN_A_ROW_MAX;
      if (failure !== null && (suspects === undefined || isOfAll)) {
        return await onFailure(ctx, job, { progress, failure, answered });
      }
      progress = { ...progress, failureCount: 0 };
    }
  };
}

interface Sent extends Answered {
  /** The list when the batch was sent. */
  to: BlocklistWork;
}

interface Slice {
  progress: BlocklistJobState;
  /** What became of the batch of the last call; null at the start. */
  answered: Sent | null;
  /** Number of batches that this slice has sent. */
  sent: number;
}

/** Stores what became of the last batch and returns the next; null when there is nothing more to do now. */
async function nextBatch(ctx: Context, job: ClaimedJob, { progress, answered, sent }: Slice): Promise<Batch | null> {
  const { blocklistId, refusal } = progress;
  const at = ctx.clock.now();
  return ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, blocklistId);
    if (!list) {
      await finish(tx, job);
      return null;
    }
    if (answered !== null) await storeAnswer(tx, list, answered, at);
    const obstacle = findObstacle(list, PAUSED);
    if (obstacle !== null) {
      await defer(tx, job, { dueAt: new Date(at.getTime() + WAIT_MAX_MS), state: progress, error: obstacle });
      await setSuppressionError(tx, list.id, obstacle);
      return null;
    }
    const { batchMax = 1, pauseMs = 0 } = ctx.blocklistConnector(list.platform) ?? {};
    const values = await listWaitingSuppressions(tx, list.id, nextRange(refusal, batchMax));
    if (values.length === 0) {
      await finish(tx, job);
      await setSuppressionError(tx, list.id, null);
      return null;
    }
    const isEndOfSlice = sent === (pauseMs > 0 ? 1 : BATCHES_PER_SLICE);
    if (isEndOfSlice) await defer(tx, job, { dueAt: new Date(at.getTime() + pauseMs), state: progress });
    else if (answered === null) await lockClaimedJob(tx, job);
    else await saveProgress(tx, job, progress);
    return isEndOfSlice ? null : { list, values, batchMax };
  });
}

async function storeAnswer(tx: Db, list: BlocklistWork, { to, added, refused }: Sent, at: Date): Promise<void> {
  // Where the list is now has got nothing of this.
  if (hasMoved(to, list)) return;
  const { id } = list;
  await markSuppressions(tx, id, { column: 'pushed_at', values: added, at });
  await markSuppressions(tx, id, { column: 'refused_at', values: refused, at });
}

interface Failed {
  progress: BlocklistJobState;
  failure: BlocklistFailure;
  /** What became of contacts before the failure. */
  answered: Sent;
}

/** Stores what was answered, and puts the job off. */
async function onFailure(ctx: Context, job: ClaimedJob, { progress, failure, answered }: Failed): Promise<void> {
  const at = ctx.clock.now();
  const { message, retry } = failure;
  const { blocklistId, refusal } = progress;
  const { failureCount, dueAt } = nextTry({ ...progress, retry, at });
  const needsSomebody = retry === 'never';
  const state = needsSomebody
    ? { ...progress, failureCount: 0, refusal: null, isRefused: true }
    : { ...progress, failureCount };
  await ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, blocklistId);
    await defer(tx, job, { dueAt, state, error: message });
    if (!list) return;
    await storeAnswer(tx, list, answered, at);
    if (needsSomebody && refusal !== null && refusal.count > 0) {
      // Refused since the last success, so the contacts are not the cause.
      await clearSuppressionRefusals(tx, list.id, new Date(refusal.sinceMs));
    }
    await setSuppressionError(tx, list.id, pushErrorText(message));
  });
}
