/**
 * Pushes the pending entries of a block list to its sequencer in batches. Entries are only added there, never removed.
 *
 * Before each batch the list is locked and checked: a pause or a resync ends the job. A batch counts once it was
 * answered; one whose answer was lost is sent again, which changes nothing at the sequencer.
 *
 * A batch that is refused because of its entries is halved, down to single entries. A single refused entry is marked
 * and skipped from then on, and batches grow again. If no entry is accepted any more, the entries are not the cause:
 * the push fails, and the marks since the last success are removed.
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
import type { BlocklistFailed, BlocklistOutcome } from '@svc/sequencers/blocklists';
import type { Context } from '../context.ts';
import { openSecret, RESTORE_KEY } from '../secrets/open-secret.ts';
import {
  clearRefusals,
  countRefused,
  listPendingEntries,
  markEntriesPushed,
  markEntryRefused,
} from '../store/blocklist-entries.ts';
import { type BlocklistWork, lockBlocklistOfJob, setBlocklistState } from '../store/blocklists.ts';
import type { Db } from '../store/database/db.ts';
import { type BlocklistJobState, nextRoundJobs, type Refusal, readBlocklistJob } from './blocklist-jobs.ts';
import { type ClaimedJob, defer, enqueue, finish, lockClaimedJob, saveProgress } from '../queue/queue.ts';

/** Number of batches after which the job releases itself; see `fetch-blocklist.ts`. */
const BATCHES_PER_SLICE = 5;
/** Used for a platform without a connector, whose push fails anyway. */
const DEFAULT_BATCH_MAX = 1;

/** After this many single refusals in a row, half from either end of the list, the entries are not the cause. */
const REFUSED_IN_A_ROW_MAX = 10;

interface Batch {
  list: BlocklistWork;
  values: string[];
  /** Most entries that the sequencer accepts in one call. */
  batchMax: number;
}

export function createPushBlocklistHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    let progress = readBlocklistJob(job);
    let answered: Answered | null = null;
    for (let sent = 0; ; sent += 1) {
      const batch = await nextBatch(ctx, job, { progress, answered, isEndOfSlice: sent === BATCHES_PER_SLICE });
      if (batch === null) return ctx.wakeWorkers();
      const outcome = await send(ctx, batch);
      const refusal = nextRefusal(progress.refusal, batch, outcome, ctx.clock.now());
      const isAccepted = outcome.status === 'success';
      if (!isAccepted && (!outcome.isOfEntries || refusal === null || refusal.count === REFUSED_IN_A_ROW_MAX)) {
        return await onFailure(ctx, job, progress, outcome);
      }
      answered = { batch, isAccepted };
      progress = { ...progress, failureCount: 0, refusal };
    }
  };
}

/** Returns what is known of refused entries after another answer. */
function nextRefusal(
  before: Refusal | null,
  { values, batchMax }: Batch,
  outcome: BlocklistOutcome,
  now: Date,
): Refusal | null {
  if (outcome.status === 'success') {
    const entriesMax = values.length * 2;
    return before === null || entriesMax >= batchMax ? null : { ...before, entriesMax, count: 0 };
  }
  const count = (before?.count ?? 0) + (values.length === 1 ? 1 : 0);
  return {
    entriesMax: Math.max(1, Math.floor(values.length / 2)),
    count,
    sinceMs: before !== null && before.count > 0 ? before.sinceMs : now.getTime(),
    message: outcome.message,
  };
}

/** A batch with the sequencer's answer. */
interface Answered {
  batch: Batch;
  /** False: refused because of its entries. */
  isAccepted: boolean;
}

interface Slice {
  progress: BlocklistJobState;
  /** The batch of the last call; null at the start. */
  answered: Answered | null;
  isEndOfSlice: boolean;
}

/** Counts the last batch and returns the next; null when this run has nothing more to do. */
async function nextBatch(ctx: Context, job: ClaimedJob, slice: Slice): Promise<Batch | null> {
  const { progress, answered, isEndOfSlice } = slice;
  const { blocklistId, run, refusal } = progress;
  const at = ctx.clock.now();
  return ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, blocklistId);
    if (!list || !isCurrentRun(list.state, run)) {
      await finish(tx, job);
      return null;
    }
    const state = answered === null ? list.state : await countAnswer(tx, list, answered, { run, at });
    const batchMax = ctx.blocklistConnector(list.platform)?.batchMax ?? DEFAULT_BATCH_MAX;
    const isPushing = mayPush(state, run);
    if (isPushing && !list.connection.canBlockList) {
      // Switched off: the rounds continue when it is on again.
      await finish(tx, job);
      await failPush(ctx, tx, { ...list, state }, { progress, message: ERROR_MESSAGES.blocklistsNotEnabled });
      return null;
    }
    const limit = Math.min(batchMax, refusal?.entriesMax ?? batchMax);
    // Bad entries cluster, so alternate between both ends while isolating them.
    const from = (refusal?.count ?? 0) % 2 === 1 ? 'end' : 'start';
    const values = isPushing ? await listPendingEntries(tx, list, { limit, from }) : [];
    if (values.length === 0) {
      await finish(tx, job);
      const isNothingAccepted = isPushing && state.syncedCount === 0 && refusal !== null && refusal.count > 0;
      if (isNothingAccepted) await failPush(ctx, tx, { ...list, state }, { progress, message: refusal.message });
      else await finishPush(ctx, tx, { ...list, state }, { run, at });
      return null;
    }
    await setBlocklistState(tx, list.id, state);
    if (isEndOfSlice) await defer(tx, job, { dueAt: at, state: progress });
    else if (answered === null) await lockClaimedJob(tx, job);
    else await saveProgress(tx, job, progress);
    return isEndOfSlice ? null : { list, values, batchMax };
  });
}

/** Applies an answer to the list. A refused batch of several entries changes nothing. */
async function countAnswer(
  tx: Db,
  list: BlocklistWork,
  { batch: { values }, isAccepted }: Answered,
  { run, at }: { run: number; at: Date },
): Promise<BlocklistState> {
  const [first = ''] = values;
  if (isAccepted) {
    const pushedCount = await markEntriesPushed(tx, list, values, at);
    return pushedCount === 0 ? list.state : entriesPushed(list.state, { run, at, pushedCount });
  }
  const isMarked = values.length === 1 && (await markEntryRefused(tx, list, first, at));
  return isMarked ? entriesRefused(list.state, { run, at, refusedCount: 1 }) : list.state;
}

function send(ctx: Context, { list, values }: Batch): Promise<BlocklistOutcome> | BlocklistFailed {
  const { id, platform, clientId, sealedSequencerToken } = list;
  const connector = ctx.blocklistConnector(platform);
  if (!connector) return refusal(`this release cannot push to the block list of ${platform}`);
  if (sealedSequencerToken === null) {
    return refusal(
      `the list has no API key of ${platform}: store one (svc-server blocklists set-token), then resync the list`,
    );
  }
  const token = openSecret(ctx, sealedSequencerToken, { kind: 'sequencer token', id });
  if (token !== null) return connector.addEntries({ token, clientId, values });
  return refusal(
    `the list's API key of ${platform} cannot be decrypted: ${RESTORE_KEY}, or store the API key again (svc-server blocklists set-token); then resync the list`,
  );
}

function refusal(message: string): BlocklistFailed {
  return { status: 'error', message, retry: 'never' };
}

async function onFailure(
  ctx: Context,
  job: ClaimedJob,
  progress: BlocklistJobState,
  { message, retry }: BlocklistFailed,
): Promise<void> {
  const at = ctx.clock.now();
  const failureCount = progress.failureCount + 1;
  const dueAt = retry === 'never' ? null : nextCallAt({ failureCount, askedMs: retry.afterMs, at });
  if (dueAt !== null) {
    await defer(ctx.db, job, { dueAt, state: { ...progress, failureCount }, error: message });
    return;
  }
  await ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, progress.blocklistId);
    await finish(tx, job);
    if (!list || !isCurrentRun(list.state, progress.run)) return;
    await failPush(ctx, tx, list, { progress, message });
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
async function storeResult(ctx: Context, tx: Db, { id, state, connection }: BlocklistWork): Promise<void> {
  await setBlocklistState(tx, id, state);
  await enqueue(tx, ...nextRoundJobs({ id, connectionId: connection.id, run: state.run }, state, ctx.clock.now()));
}
