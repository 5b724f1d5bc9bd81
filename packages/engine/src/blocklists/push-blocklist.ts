/**
 * Pushes the pending entries of a block list to its sequencer in batches. Entries are only added there, never removed.
 *
 * Before each batch the list is locked and checked: a pause or a resync ends the job. An entry counts once it was
 * answered; one whose answer was lost is sent again, which changes nothing at the sequencer.
 *
 * What became of each entry is stored with the same transaction that begins the next batch or puts the job off, so entries
 * that were added before a failure are not sent again. Entries that the sequencer refused by name are marked and skipped
 * from then on.
 *
 * A call that is refused because of some of its entries is halved, down to single entries. A single refused entry is marked
 * too, and batches grow again. If no entry is accepted any more, the entries are not the cause: the push fails, and the
 * marks since the last success are removed.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import {
  type BlocklistState,
  entriesPushed,
  entriesRefused,
  isCurrentRun,
  mayPush,
  pushFailed,
  pushFinished,
} from '@svc/domain/blocklists/blocklist';
import { pushErrorText, refusedEntriesText } from '@svc/domain/blocklists/blocklist-errors';
import { nextCallAt } from '@svc/domain/blocklists/blocklist-schedule';
import type { BlocklistFailure } from '@svc/sequencers/blocklists';
import type { Context } from '../context.ts';
import {
  clearRefusals,
  countRefused,
  listPendingEntries,
  markEntriesPushed,
  markEntriesRefused,
} from '../store/blocklist-entries.ts';
import { type BlocklistWork, lockBlocklistOfJob, setBlocklistState } from '../store/blocklists.ts';
import type { Db } from '../store/database/db.ts';
import { type BlocklistJobState, nextRoundJobs, readBlocklistJob } from './blocklist-jobs.ts';
import { type Answered, type Batch, nextRange, nextRefusal, REFUSED_IN_A_ROW_MAX, sendBatch } from './send-batch.ts';
import { type ClaimedJob, defer, enqueue, finish, lockClaimedJob, saveProgress } from '../queue/queue.ts';

/** Number of batches after which the job releases itself; see `fetch-blocklist.ts`. */
const BATCHES_PER_SLICE = 5;
/** Used for a platform without a connector, whose push fails anyway. */
const DEFAULT_BATCH_MAX = 1;

export function createPushBlocklistHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    let progress = readBlocklistJob(job);
    let answered: Answered | null = null;
    for (let sent = 0; ; sent += 1) {
      const batch = await nextBatch(ctx, job, { progress, answered, sent });
      if (batch === null) return ctx.wakeWorkers();
      const outcome = await sendBatch(ctx, batch);
      const { added, refused, failure } = outcome;
      const refusal = nextRefusal(progress.refusal, batch, outcome, ctx.clock.now());
      const suspects = failure?.suspects;
      if (failure !== null && suspects !== undefined && refusal?.count === REFUSED_IN_A_ROW_MAX) {
        return await onFailure(ctx, job, progress, { failure });
      }
      answered = { added, refused: suspects?.length === 1 ? [...refused, ...suspects] : refused };
      const isPutOff = failure !== null && suspects === undefined;
      const hasProgressed = !isPutOff || added.length > 0 || refused.length > 0;
      progress = { ...progress, failureCount: hasProgressed ? 0 : progress.failureCount, refusal };
      if (isPutOff) return await onFailure(ctx, job, progress, { failure, answered });
    }
  };
}

interface Slice {
  progress: BlocklistJobState;
  /** What became of the batch of the last call; null at the start. */
  answered: Answered | null;
  /** Number of batches that this slice has sent. */
  sent: number;
}

/** Counts the last batch and returns the next; null when this run has nothing more to do now. */
async function nextBatch(ctx: Context, job: ClaimedJob, { progress, answered, sent }: Slice): Promise<Batch | null> {
  const { blocklistId, run, refusal } = progress;
  const at = ctx.clock.now();
  return ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, blocklistId);
    if (!list || !isCurrentRun(list.state, run)) {
      await finish(tx, job);
      return null;
    }
    const state = answered === null ? list.state : await countAnswer(tx, list, answered, { run, at });
    const { batchMax = DEFAULT_BATCH_MAX, pauseMs = 0 } = ctx.blocklistConnector(list.platform) ?? {};
    const isPushing = mayPush(state, run);
    if (isPushing && !list.connection.canBlockList) {
      // Switched off: the rounds continue when it is on again.
      await finish(tx, job);
      await failPush(ctx, tx, { ...list, state }, { progress, message: ERROR_MESSAGES.blocklistsNotEnabled });
      return null;
    }
    const values = isPushing ? await listPendingEntries(tx, list, nextRange(refusal, batchMax)) : [];
    if (values.length === 0) {
      await finish(tx, job);
      const isNothingAccepted = isPushing && state.syncedCount === 0 && refusal !== null && refusal.count > 0;
      if (isNothingAccepted) await failPush(ctx, tx, { ...list, state }, { progress, message: refusal.message });
      else await finishPush(ctx, tx, { ...list, state }, { run, at });
      return null;
    }
    await setBlocklistState(tx, list.id, state);
    const isEndOfSlice = sent === (pauseMs > 0 ? 1 : BATCHES_PER_SLICE);
    if (isEndOfSlice) await defer(tx, job, { dueAt: new Date(at.getTime() + pauseMs), state: progress });
    else if (answered === null) await lockClaimedJob(tx, job);
    else await saveProgress(tx, job, progress);
    return isEndOfSlice ? null : { list, values, batchMax };
  });
}

/** Applies an answer to the list. */
async function countAnswer(
  tx: Db,
  list: BlocklistWork,
  { added, refused }: Answered,
  { run, at }: { run: number; at: Date },
): Promise<BlocklistState> {
  const pushedCount = await markEntriesPushed(tx, list, added, at);
  const refusedCount = await markEntriesRefused(tx, list, refused, at);
  const pushed = pushedCount === 0 ? list.state : entriesPushed(list.state, { run, at, pushedCount });
  return refusedCount === 0 ? pushed : entriesRefused(pushed, { run, at, refusedCount });
}

interface Failed {
  failure: BlocklistFailure;
  /** What became of entries before the failure. Default: nothing. */
  answered?: Answered;
}

/** Counts what was answered, and puts the job off or ends the push. */
async function onFailure(
  ctx: Context,
  job: ClaimedJob,
  progress: BlocklistJobState,
  { failure: { message, retry }, answered = { added: [], refused: [] } }: Failed,
): Promise<void> {
  const at = ctx.clock.now();
  const { run } = progress;
  const failureCount = progress.failureCount + 1;
  const dueAt = retry === 'never' ? null : nextCallAt({ failureCount, askedMs: retry.afterMs, at });
  await ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, progress.blocklistId);
    if (dueAt === null) await finish(tx, job);
    else await defer(tx, job, { dueAt, state: { ...progress, failureCount }, error: message });
    if (!list || !isCurrentRun(list.state, run)) return;
    const state = await countAnswer(tx, list, answered, { run, at });
    if (dueAt === null) await failPush(ctx, tx, { ...list, state }, { progress, message });
    else await setBlocklistState(tx, list.id, state);
  });
}

/** Ends a push without pending entries. */
async function finishPush(
  ctx: Context,
  tx: Db,
  list: BlocklistWork,
  { run, at }: { run: number; at: Date },
): Promise<void> {
  const refusedCount = await countRefused(tx, list);
  const error = refusedCount === 0 ? null : refusedEntriesText(refusedCount);
  await storeResult(ctx, tx, { ...list, state: pushFinished(list.state, { run, at, error }) });
}

/** Ends a failed push. Entries refused since the last success are not the cause: they become pending again. */
async function failPush(
  ctx: Context,
  tx: Db,
  list: BlocklistWork,
  { progress: { run, refusal }, message }: { progress: BlocklistJobState; message: string },
): Promise<void> {
  const at = ctx.clock.now();
  const returned =
    refusal === null || refusal.count === 0 ? 0 : await clearRefusals(tx, list, new Date(refusal.sinceMs));
  const state = entriesRefused(list.state, { run, at, refusedCount: -returned });
  await storeResult(ctx, tx, { ...list, state: pushFailed(state, { run, at, error: pushErrorText(message) }) });
}

/** Stores the list's state after a push and enqueues the next round. */
async function storeResult(ctx: Context, tx: Db, list: BlocklistWork): Promise<void> {
  const { id, state, connection, everyMinutes } = list;
  const { run } = state;
  await setBlocklistState(tx, id, state);
  const ofJob = { id, connectionId: connection.id, run, everyMinutes };
  await enqueue(tx, ...nextRoundJobs(ofJob, state, ctx.clock.now()));
}
