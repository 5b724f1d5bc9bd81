/**
 * Gives the pending entries of a block list to its sequencer, batch by batch. Additive: nothing is taken off there.
 *
 * Before each batch the list is locked and asked whether it may still be pushed: a pause or a resync meanwhile ends the job.
 * A batch counts once its answer is there; one whose answer was lost is sent again, which changes nothing at the sequencer.
 */
import { entriesPushed, isCurrentRun, mayPush, pushFailed, pushFinished } from '@svc/domain/blocklist';
import { nextCallAt } from '@svc/domain/blocklist-schedule';
import type { BlocklistFailed, BlocklistOutcome } from '../connectors/blocklists/index.ts';
import type { Context } from '../context.ts';
import { listPendingEntries, markEntriesPushed } from '../store/blocklist-entries.ts';
import { type BlocklistWork, lockBlocklistOfJob, setBlocklistState } from '../store/blocklists.ts';
import type { Db } from '../store/db.ts';
import { type BlocklistJobState, nextRoundJobs, readBlocklistJob } from './blocklist-jobs.ts';
import { type ClaimedJob, defer, enqueue, finish, holdJob, saveProgress } from './queue.ts';

/** After so many the job gives itself back to the queue; see `fetch-blocklist.ts`. */
const BATCHES_A_TURN = 5;
/** Of a platform without a connector, which is refused whatever the size. */
const BATCH_OTHERWISE = 1;

interface Batch {
  list: BlocklistWork;
  values: string[];
}

export function createPushBlocklistHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    let progress = readBlocklistJob(job);
    let pushed: Batch | null = null;
    for (let sent = 0; ; sent += 1) {
      const batch = await nextBatch(ctx, job, { progress, pushed, isEndOfTurn: sent === BATCHES_A_TURN });
      if (batch === null) return ctx.wakeWorkers();
      const outcome = await send(ctx, batch);
      if (outcome.status === 'error') return await onFailure(ctx, job, progress, outcome);
      pushed = batch;
      progress = { ...progress, failureCount: 0 };
    }
  };
}

interface Turn {
  progress: BlocklistJobState;
  /** What the sequencer has taken since the last call. */
  pushed: Batch | null;
  isEndOfTurn: boolean;
}

/** Counts the batch before and takes the next; null when there is nothing more to do in this turn. */
async function nextBatch(ctx: Context, job: ClaimedJob, turn: Turn): Promise<Batch | null> {
  const { progress, pushed, isEndOfTurn } = turn;
  const { blocklistId, run } = progress;
  const at = ctx.clock.now();
  return ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, blocklistId);
    if (!list || !isCurrentRun(list.state, run)) {
      await finish(tx, job);
      return null;
    }
    const pushedCount = pushed === null ? 0 : await markEntriesPushed(tx, list, pushed.values, at);
    const state = pushedCount === 0 ? list.state : entriesPushed(list.state, { run, at, pushedCount });
    const limit = ctx.blocklistConnector(list.platform)?.batchMax ?? BATCH_OTHERWISE;
    const values = mayPush(state, run) ? await listPendingEntries(tx, list, limit) : [];
    if (values.length === 0) {
      await finish(tx, job);
      await rest(ctx, tx, { ...list, state: pushFinished(state, { run, at }) });
      return null;
    }
    await setBlocklistState(tx, list.id, state);
    if (isEndOfTurn) await defer(tx, job, { dueAt: at, state: progress });
    else if (pushed === null) await holdJob(tx, job);
    else await saveProgress(tx, job, progress);
    return isEndOfTurn ? null : { list, values };
  });
}

function send(ctx: Context, { list, values }: Batch): Promise<BlocklistOutcome> | BlocklistFailed {
  const { platform, clientId, sealedSequencerToken } = list;
  const connector = ctx.blocklistConnector(platform);
  if (!connector) return refusal(`this release cannot push to the block list of ${platform}`);
  if (sealedSequencerToken === null) {
    return refusal(
      `the list has no API key of ${platform}: store one (svc-server blocklists set-token), then resync the list`,
    );
  }
  return connector.addEntries({ token: ctx.secrets.decrypt(sealedSequencerToken), clientId, values });
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
    const { run } = progress;
    if (!list || !isCurrentRun(list.state, run)) return;
    const error = `The entries could not be pushed: ${message}`;
    await rest(ctx, tx, { ...list, state: pushFailed(list.state, { run, at, error }) });
  });
}

/** Stores the state in which a push has left the list, and when the next round is due. */
async function rest(ctx: Context, tx: Db, { id, state, connection }: BlocklistWork): Promise<void> {
  await setBlocklistState(tx, id, state);
  await enqueue(tx, ...nextRoundJobs({ id, connectionId: connection.id, run: state.run }, state, ctx.clock.now()));
}
