/**
 * Reads a block list's source, the list at the CRM, into its local entries (specification, "Blocklist `status`").
 *
 * Page by page: each is staged in a transaction of its own, together with the place where the walk goes on, so a walk that is
 * interrupted goes on there, and one that is repeated stages nothing twice. Only the last page settles the list: entries,
 * counts and status change in one transaction. Until then, and after a failure, they are what they were.
 *
 * After a few pages the job gives itself back to the queue, so that a large list neither holds up a stop of the server nor
 * keeps a hand from the others.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import {
  type BlocklistState,
  fetchFailed,
  fetchFinished,
  fetchStarted,
  isCurrentRun,
  mayPush,
} from '@svc/domain/blocklists/blocklist';
import { crmDisconnectedReason, fetchErrorText } from '@svc/domain/blocklists/blocklist-errors';
import { nextCallAt } from '@svc/domain/blocklists/blocklist-schedule';
import type { CrmConnector, CrmFailed, CrmListPage } from '@svc/crm';
import type { Context } from '../context.ts';
import { openSecret, RESTORE_KEY } from '../secrets/open-secret.ts';
import { addStagedEntries, clearStagedEntries, replaceEntries, stageEntries } from '../store/blocklist-entries.ts';
import { type BlocklistWork, lockBlocklistOfJob, setBlocklistState } from '../store/blocklists.ts';
import type { Db } from '../store/database/db.ts';
import { markDisconnected } from '../store/inbound.ts';
import { type BlocklistJobState, nextRoundJobs, pushBlocklistJob, readBlocklistJob } from './blocklist-jobs.ts';
import { applyCrmAnswer, acquireCrmProbe } from '../pipeline/crm-cooldown.ts';
import { type ClaimedJob, defer, enqueue, finish, holdJob, saveProgress } from '../queue/queue.ts';

/** About 16 calls to the CRM. */
const PAGES_A_TURN = 5;

/** One turn of one fetch. */
interface Turn {
  ctx: Context;
  job: ClaimedJob;
  list: BlocklistWork;
  /** As stored with the job. */
  progress: BlocklistJobState;
}

export function createFetchBlocklistHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const turn = await begin(ctx, job);
    if (turn === null) return;
    const source = openSource(turn);
    if ('status' in source) return await onFailure(turn, source);
    const { connection } = turn.list;
    const permission = await acquireCrmProbe(ctx, connection);
    if (!permission.mayCall)
      return await defer(ctx.db, job, { dueAt: permission.dueAt, error: 'The CRM asked to wait.' });
    let { probe } = permission;
    let pages = 0;
    for await (const page of readPages(turn, source)) {
      await applyCrmAnswer(ctx.db, connection.id, probe, page);
      probe = null;
      if (page.status === 'error') return await onFailure(turn, page);
      if (page.cursor === null) return await settle(turn, page);
      pages += 1;
      await keepPage(turn, page, { isLastOfTurn: pages === PAGES_A_TURN });
      if (pages === PAGES_A_TURN) return ctx.wakeWorkers();
    }
    throw new Error('The walk through a CRM list ended without a last page.');
  };
}

async function begin(ctx: Context, job: ClaimedJob): Promise<Turn | null> {
  const progress = readBlocklistJob(job);
  return ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, progress.blocklistId);
    if (!list || !isCurrentRun(list.state, progress.run)) {
      await finish(tx, job);
      return null;
    }
    await holdJob(tx, job);
    if (progress.cursor === null) await clearStagedEntries(tx, list);
    await setBlocklistState(tx, list.id, fetchStarted(list.state, { run: progress.run, at: ctx.clock.now() }));
    return { ctx, job, list, progress };
  });
}

interface Source {
  connector: CrmConnector;
  accessToken: string;
  listId: string;
}

/** What reading needs, or why there is nothing to be read. */
function openSource({ ctx, list }: Turn): Source | CrmFailed {
  const { id, crm, sealedCrmToken, canBlockList } = list.connection;
  // Switched off since it was enqueued: the rounds go on when it is on again.
  if (!canBlockList) return refusal(ERROR_MESSAGES.blocklistsNotEnabled);
  const connector = ctx.crmConnector(crm);
  if (list.crmListId === null) return refusal(ERROR_MESSAGES.blocklistWithoutCrmSource);
  if (sealedCrmToken === null) return refusal(crmDisconnectedReason(crm));
  if (!connector) return refusal(`this release cannot read lists of ${crm}`);
  const accessToken = openSecret(ctx, sealedCrmToken, { kind: 'CRM token', id });
  if (accessToken !== null) return { connector, accessToken, listId: list.crmListId };
  return refusal(
    `the stored token of ${crm} cannot be decrypted: ${RESTORE_KEY}, or connect ${crm} again; then resync the list`,
  );
}

function readPages({ list, progress }: Turn, source: Source): AsyncIterable<CrmListPage | CrmFailed> {
  const { connector, accessToken, listId } = source;
  return connector.readList({ accessToken, listId, blockType: list.blockType, cursor: progress.cursor });
}

function refusal(message: string): CrmFailed {
  const error = { code: 'refused', message, httpStatus: null };
  return { status: 'error', error, retry: 'never', disconnected: false };
}

/** A page that is not the last one. */
async function keepPage(turn: Turn, page: CrmListPage, { isLastOfTurn }: { isLastOfTurn: boolean }): Promise<void> {
  const { ctx, job, list } = turn;
  const progress = { ...turn.progress, cursor: page.cursor, failureCount: 0 };
  await ctx.db.transaction(async (tx) => {
    // First, so that a worker whose lease was lost stops before it does anything.
    if (isLastOfTurn) await defer(tx, job, { dueAt: ctx.clock.now(), state: progress });
    else await saveProgress(tx, job, progress);
    await stageEntries(tx, list, page.values, { onlyNew: progress.mode === 'top-up' });
  });
  turn.progress = progress;
}

async function settle({ ctx, job, list: { id }, progress }: Turn, page: CrmListPage): Promise<void> {
  const { run, mode } = progress;
  const at = ctx.clock.now();
  await endFetch(ctx, job, id, async (tx, list) => {
    await stageEntries(tx, list, page.values, { onlyNew: mode === 'top-up' });
    const entryCount = mode === 'full' ? await replaceEntries(tx, list) : await addStagedEntries(tx, list);
    return fetchFinished(list.state, { run, at, entryCount, mode });
  });
}

/** A call that may succeed later is made again later, from the page that was kept last; anything else ends the fetch. */
async function onFailure({ ctx, job, list: { id }, progress }: Turn, failed: CrmFailed): Promise<void> {
  const at = ctx.clock.now();
  const failureCount = progress.failureCount + 1;
  const dueAt = failed.retry === 'never' ? null : nextCallAt({ failureCount, askedMs: askedMs(failed, at), at });
  if (dueAt !== null) {
    await defer(ctx.db, job, { dueAt, state: { ...progress, failureCount }, error: failed.error.message });
    return;
  }
  const error = fetchErrorText(failed.error.message);
  await endFetch(ctx, job, id, async (tx, list) => {
    await clearStagedEntries(tx, list);
    const { id: connectionId, sealedCrmToken } = list.connection;
    if (failed.disconnected && sealedCrmToken !== null) await markDisconnected(tx, connectionId, sealedCrmToken);
    return fetchFailed(list.state, { run: progress.run, at, error });
  });
}

function askedMs({ retry, cooldownUntilMs }: CrmFailed, now: Date): number | null {
  const cooldownMs = cooldownUntilMs === undefined ? null : cooldownUntilMs - now.getTime();
  const afterMs = retry === 'never' ? null : retry.afterMs;
  return afterMs === null && cooldownMs === null ? null : Math.max(afterMs ?? 0, cooldownMs ?? 0);
}

/** The list's new state, and with it the job's end and what follows: the push, or the next round. */
async function endFetch(
  ctx: Context,
  job: ClaimedJob,
  id: number,
  decide: (tx: Db, list: BlocklistWork) => Promise<BlocklistState>,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, id);
    await finish(tx, job);
    const { run } = readBlocklistJob(job);
    if (!list || !isCurrentRun(list.state, run)) return;
    const state = await decide(tx, list);
    await setBlocklistState(tx, id, state);
    const now = ctx.clock.now();
    const ofJob = { id, connectionId: list.connection.id, run };
    if (mayPush(state, run)) await enqueue(tx, pushBlocklistJob(ofJob, now));
    else await enqueue(tx, ...nextRoundJobs(ofJob, state, now));
  });
  ctx.wakeWorkers();
}
