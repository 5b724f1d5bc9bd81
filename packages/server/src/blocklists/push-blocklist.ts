/**
 * Gives the pending entries of a block list to its sequencer, batch by batch. Additive: nothing is taken off there.
 *
 * Before each batch the list is locked and asked whether it may still be pushed: a pause or a resync meanwhile ends the job.
 * A batch counts once its answer is there; one whose answer was lost is sent again, which changes nothing at the sequencer.
 *
 * A sequencer that refuses a batch for what is in it gets half of it, down to single entries. One that is refused alone is marked
 * and left out from then on, and the rest goes on in batches that grow again. Where nothing is taken any more, it is not about
 * the entries: the push has failed, and the marks since the last success are taken back.
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
import { type ClaimedJob, defer, enqueue, finish, holdJob, saveProgress } from '../queue/queue.ts';

/** After so many the job gives itself back to the queue; see `fetch-blocklist.ts`. */
const BATCHES_A_TURN = 5;
/** Of a platform without a connector, which is refused whatever the size. */
const BATCH_OTHERWISE = 1;

/** Single entries refused in a row, half of them from either end of the list, after which it is not about them. */
const REFUSED_IN_A_ROW_MAX = 10;

interface Batch {
  list: BlocklistWork;
  values: string[];
  /** What the sequencer takes in one call. */
  batchMax: number;
}

export function createPushBlocklistHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    let progress = readBlocklistJob(job);
    let answered: Answered | null = null;
    for (let sent = 0; ; sent += 1) {
      const batch = await nextBatch(ctx, job, { progress, answered, isEndOfTurn: sent === BATCHES_A_TURN });
      if (batch === null) return ctx.wakeWorkers();
      const outcome = await send(ctx, batch);
      const refusal = nextRefusal(progress.refusal, batch, outcome, ctx.clock.now());
      const isTaken = outcome.status === 'success';
      if (!isTaken && (!outcome.isOfEntries || refusal === null || refusal.count === REFUSED_IN_A_ROW_MAX)) {
        return await onFailure(ctx, job, progress, outcome);
      }
      answered = { batch, isTaken };
      progress = { ...progress, failureCount: 0, refusal };
    }
  };
}

/** What is known of refused entries after one more answer. */
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

/** A batch with what the sequencer said to it. */
interface Answered {
  batch: Batch;
  /** Else refused for what is in it. */
  isTaken: boolean;
}

interface Turn {
  progress: BlocklistJobState;
  /** Since the last call; null at the start. */
  answered: Answered | null;
  isEndOfTurn: boolean;
}

/** Counts the batch before and takes the next; null when there is nothing more to do in this turn. */
async function nextBatch(ctx: Context, job: ClaimedJob, turn: Turn): Promise<Batch | null> {
  const { progress, answered, isEndOfTurn } = turn;
  const { blocklistId, run, refusal } = progress;
  const at = ctx.clock.now();
  return ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, blocklistId);
    if (!list || !isCurrentRun(list.state, run)) {
      await finish(tx, job);
      return null;
    }
    const state = answered === null ? list.state : await countAnswer(tx, list, answered, { run, at });
    const batchMax = ctx.blocklistConnector(list.platform)?.batchMax ?? BATCH_OTHERWISE;
    const isPushing = mayPush(state, run);
    if (isPushing && !list.connection.canBlockList) {
      // Switched off since it was enqueued: the rounds go on when it is on again.
      await finish(tx, job);
      await fail(ctx, tx, { ...list, state }, { progress, message: ERROR_MESSAGES.blocklistsNotEnabled });
      return null;
    }
    const limit = Math.min(batchMax, refusal?.entriesMax ?? batchMax);
    // Bad entries like to stand beside each other: after one, the next single is taken from the other end.
    const from = (refusal?.count ?? 0) % 2 === 1 ? 'end' : 'start';
    const values = isPushing ? await listPendingEntries(tx, list, { limit, from }) : [];
    if (values.length === 0) {
      await finish(tx, job);
      const isNothingTaken = isPushing && state.syncedCount === 0 && refusal !== null && refusal.count > 0;
      if (isNothingTaken) await fail(ctx, tx, { ...list, state }, { progress, message: refusal.message });
      else await end(ctx, tx, { ...list, state }, { run, at });
      return null;
    }
    await setBlocklistState(tx, list.id, state);
    if (isEndOfTurn) await defer(tx, job, { dueAt: at, state: progress });
    else if (answered === null) await holdJob(tx, job);
    else await saveProgress(tx, job, progress);
    return isEndOfTurn ? null : { list, values, batchMax };
  });
}

/** The list after an answer. A batch of several entries that was refused says nothing of any of them. */
async function countAnswer(
  tx: Db,
  list: BlocklistWork,
  { batch: { values }, isTaken }: Answered,
  { run, at }: { run: number; at: Date },
): Promise<BlocklistState> {
  const [first = ''] = values;
  if (isTaken) {
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
    await fail(ctx, tx, list, { progress, message });
  });
}

/** There is nothing more to push. */
async function end(ctx: Context, tx: Db, list: BlocklistWork, { run, at }: { run: number; at: Date }): Promise<void> {
  const refusedCount = await countRefused(tx, list);
  const error = refusedCount === 0 ? null : refusedEntriesText(refusedCount);
  await rest(ctx, tx, { ...list, state: pushFinished(list.state, { run, at, error }) });
}

/** The push failed for good. Entries that were refused since the last success are not to blame: they are pending again. */
async function fail(
  ctx: Context,
  tx: Db,
  list: BlocklistWork,
  { progress: { run, refusal }, message }: { progress: BlocklistJobState; message: string },
): Promise<void> {
  const at = ctx.clock.now();
  const returned =
    refusal === null || refusal.count === 0 ? 0 : await clearRefusals(tx, list, new Date(refusal.sinceMs));
  const state = entriesRefused(list.state, { run, at, refusedCount: -returned });
  await rest(ctx, tx, { ...list, state: pushFailed(state, { run, at, error: pushErrorText(message) }) });
}

/** Stores the state in which a push has left the list, and when the next round is due. */
async function rest(ctx: Context, tx: Db, { id, state, connection }: BlocklistWork): Promise<void> {
  await setBlocklistState(tx, id, state);
  await enqueue(tx, ...nextRoundJobs({ id, connectionId: connection.id, run: state.run }, state, ctx.clock.now()));
}
