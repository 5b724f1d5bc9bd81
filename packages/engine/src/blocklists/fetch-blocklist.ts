/**
 * Fetches a block list's source, the list at the CRM, into its local entries (`domain/src/blocklists/blocklist.ts`).
 *
 * Each page is staged in its own transaction, together with the position of the next one, so an interrupted fetch
 * resumes there and stages nothing twice. The last page makes the entries current, together with counts and status, in
 * one transaction. Until then, and after a failure, they do not change.
 *
 * The job releases itself after a few pages, so that a large list neither delays a stop of the server nor occupies a
 * worker.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import {
  type BlocklistState,
  entriesLeft,
  fetchFailed,
  fetchFinished,
  fetchStarted,
  isCurrentRun,
  isMassRemoval,
  mayPush,
} from '@svc/domain/blocklists/blocklist';
import { crmDisconnectedReason, fetchErrorText, massRemovalText } from '@svc/domain/blocklists/blocklist-errors';
import { nextCallAt } from '@svc/domain/blocklists/blocklist-schedule';
import { nextPageMark, type PageMark } from '@svc/domain/blocklists/page-mark';
import type { CrmFailed, CrmListPage } from '@svc/crm';
import type { Context } from '../context.ts';
import { openCrmAccess, type OpenCrm, renewCrmAccess } from '../crm/access.ts';
import { logDisconnected } from '../crm/disconnected.ts';
import { TOKEN_UNREADABLE } from '../crm/renew-grant.ts';
import { RESTORE_KEY } from '../secrets/open-secret.ts';
import { addStagedEntries, clearStagedEntries, replaceEntries, stageEntries } from '../store/blocklist-entries.ts';
import {
  countLeftEntries,
  hasWaitingRemovals,
  removeLeftEntries,
  setRemovalError,
} from '../store/blocklist-removals.ts';
import { type BlocklistWork, lockBlocklistOfJob, setBlocklistState } from '../store/blocklists.ts';
import type { Db } from '../store/database/db.ts';
import { markDisconnected } from '../store/sync-attempts.ts';
import {
  type BlocklistJobState,
  nextRoundJobs,
  pushBlocklistJob,
  readBlocklistJob,
  removeEntriesJob,
} from './blocklist-jobs.ts';
import { applyCrmAnswer, acquireCrmProbe } from '../pipeline/crm-cooldown.ts';
import { throwIfLeaseLost } from '../queue/leases.ts';
import {
  type ClaimedJob,
  defer,
  enqueue,
  enqueueOnceMore,
  finish,
  lockClaimedJob,
  saveProgress,
} from '../queue/queue.ts';

/** About 16 calls to the CRM. */
const PAGES_PER_SLICE = 5;

/** One run of the job, which fetches a few pages. */
interface Slice {
  ctx: Context;
  job: ClaimedJob;
  list: BlocklistWork;
  /** As stored with the job. */
  progress: BlocklistJobState;
}

export function createFetchBlocklistHandler(ctx: Context): (job: ClaimedJob) => Promise<void> {
  return async (job) => {
    const slice = await begin(ctx, job);
    if (slice === null) return;
    const source = await openSource(slice);
    if ('status' in source) return await onFailure(slice, source);
    const { connection } = slice.list;
    const permission = await acquireCrmProbe(ctx, connection);
    if (!permission.mayCall)
      return await defer(ctx.db, job, { dueAt: permission.dueAt, error: 'The CRM asked to wait.' });
    let { probeUntil } = permission;
    let pages = 0;
    for await (const page of readPages(slice, source)) {
      throwIfLeaseLost();
      await applyCrmAnswer(ctx.db, connection.id, probeUntil, page);
      probeUntil = null;
      if (page.status === 'error') return await onFailure(slice, await afterRenewal(slice, source, page));
      const { cursor } = page;
      if (cursor === null) return await storeLastPage(slice, page);
      const mark = nextPageMark(slice.progress.mark, cursor);
      if (mark === null) return await onFailure(slice, refusal('its pages repeat, so that they have no end'));
      pages += 1;
      await stagePage(slice, page, { cursor, mark, isLastOfSlice: pages === PAGES_PER_SLICE });
      if (pages === PAGES_PER_SLICE) return ctx.wakeWorkers();
    }
    throw new Error('The CRM list ended without a last page.');
  };
}

async function begin(ctx: Context, job: ClaimedJob): Promise<Slice | null> {
  const progress = readBlocklistJob(job);
  return ctx.db.transaction(async (tx) => {
    const list = await lockBlocklistOfJob(tx, progress.blocklistId);
    if (!list || !isCurrentRun(list.state, progress.run)) {
      await finish(tx, job);
      return null;
    }
    await lockClaimedJob(tx, job);
    if (progress.cursor === null) {
      await clearStagedEntries(tx, list);
      // Decided once, because pages that are staged in part show nothing of what has left.
      progress.isWhole = progress.mode === 'full' || list.removes;
    }
    await setBlocklistState(tx, list.id, fetchStarted(list.state, { run: progress.run, at: ctx.clock.now() }));
    return { ctx, job, list, progress };
  });
}

interface Source extends OpenCrm {
  listId: string;
}

/** Returns what reading needs, or why nothing can be read. */
async function openSource({ ctx, list }: Slice): Promise<Source | CrmFailed> {
  const { crm, sealedCrmToken, canBlockList } = list.connection;
  // Switched off: the rounds continue when it is on again.
  if (!canBlockList) return refusal(ERROR_MESSAGES.blocklistsNotEnabled);
  if (list.crmListId === null) return refusal(ERROR_MESSAGES.blocklistWithoutCrmSource);
  if (sealedCrmToken === null) return refusal(crmDisconnectedReason(crm));
  if (!ctx.crmConnector(crm)) return refusal(`this release cannot read lists of ${crm}`);
  const open = await openCrmAccess(ctx, list.connection);
  if (!('status' in open)) return { ...open, listId: list.crmListId };
  if (open.error.code !== TOKEN_UNREADABLE) return open;
  return refusal(
    `the stored token of ${crm} cannot be decrypted: ${RESTORE_KEY}, or connect ${crm} again; then resync the list`,
  );
}

function readPages({ list, progress }: Slice, source: Source): AsyncIterable<CrmListPage | CrmFailed> {
  const { connector, access, listId } = source;
  return connector.readList({ access, listId, blockType: list.blockType, cursor: progress.cursor });
}

/** Failures in a row of one fetch that may be answered by a new access token. */
const RENEWALS_MAX = 3;

/** A page that was refused because the access token has ended is read again with a new one. */
async function afterRenewal({ ctx, list, progress }: Slice, { access }: Source, failed: CrmFailed): Promise<CrmFailed> {
  const isOver = access.tokenType === 'private' || progress.failureCount >= RENEWALS_MAX;
  if (!failed.disconnected || isOver) return failed;
  const renewed = await renewCrmAccess(ctx, list.connection, access.accessToken);
  return 'status' in renewed ? renewed : { ...failed, retry: { afterMs: 0 }, disconnected: false };
}

function refusal(message: string): CrmFailed {
  const error = { code: 'refused', message, httpStatus: null };
  return { status: 'error', error, retry: 'never', disconnected: false };
}

/** Stages a page that is not the last one. */
async function stagePage(
  slice: Slice,
  page: CrmListPage,
  { cursor, mark, isLastOfSlice }: { cursor: string; mark: PageMark; isLastOfSlice: boolean },
): Promise<void> {
  const { ctx, job, list } = slice;
  const progress = { ...slice.progress, cursor, mark, failureCount: 0 };
  await ctx.db.transaction(async (tx) => {
    // First, so that a worker without its lease stops before it changes anything.
    if (isLastOfSlice) await defer(tx, job, { dueAt: ctx.clock.now(), state: progress });
    else await saveProgress(tx, job, progress);
    await stageEntries(tx, list, page.values, { onlyNew: !progress.isWhole });
  });
  slice.progress = progress;
}

async function storeLastPage({ ctx, job, list: { id }, progress }: Slice, page: CrmListPage): Promise<void> {
  const { run, mode, isWhole, isMoved } = progress;
  const at = ctx.clock.now();
  await endFetch(ctx, job, id, async (tx, list) => {
    await stageEntries(tx, list, page.values, { onlyNew: !isWhole });
    const isCompared = list.removes && isWhole && !isMoved;
    const state = isCompared ? await takeLeftEntries(tx, list, { isAsked: mode === 'full', at }) : list.state;
    const entryCount = mode === 'full' ? await replaceEntries(tx, list) : await addStagedEntries(tx, list);
    return fetchFinished(state, { run, at, entryCount, mode });
  });
}

/**
 * Lets what has left the CRM list be removed at the sequencer. A read without many of the entries removes none, because the list may be
 * broken, unless somebody asked for this read by a resync.
 */
async function takeLeftEntries(
  tx: Db,
  list: BlocklistWork,
  { isAsked, at }: { isAsked: boolean; at: Date },
): Promise<BlocklistState> {
  const counts = await countLeftEntries(tx, list);
  if (!isAsked && isMassRemoval(counts)) {
    await setRemovalError(tx, list.id, massRemovalText(counts));
    return list.state;
  }
  const gone = await removeLeftEntries(tx, list, at);
  if (gone.pushed > 0) {
    await enqueueOnceMore(tx, removeEntriesJob({ id: list.id, connectionId: list.connection.id }, at));
  }
  if (!(await hasWaitingRemovals(tx, list.id))) await setRemovalError(tx, list.id, null);
  return entriesLeft(list.state, gone);
}

/** Retries a temporary failure later from the last staged page; any other failure ends the fetch. */
async function onFailure({ ctx, job, list: { id }, progress }: Slice, failed: CrmFailed): Promise<void> {
  const at = ctx.clock.now();
  const failureCount = progress.failureCount + 1;
  const dueAt =
    failed.retry === 'never' ? null : nextCallAt({ failureCount, askedMs: requestedWaitMs(failed, at), at });
  if (dueAt !== null) {
    await defer(ctx.db, job, { dueAt, state: { ...progress, failureCount }, error: failed.error.message });
    return;
  }
  const error = fetchErrorText(failed.error.message);
  let disconnected: BlocklistWork['connection'] | null = null;
  await endFetch(ctx, job, id, async (tx, list) => {
    await clearStagedEntries(tx, list);
    const { id: connectionId, sealedCrmToken } = list.connection;
    const isNow =
      failed.disconnected && sealedCrmToken !== null && (await markDisconnected(tx, connectionId, sealedCrmToken));
    disconnected = isNow ? list.connection : null;
    return fetchFailed(list.state, { run: progress.run, at, error });
  });
  if (disconnected !== null) logDisconnected(ctx, disconnected, failed.error);
}

function requestedWaitMs({ retry, cooldownUntilMs }: CrmFailed, now: Date): number | null {
  const cooldownMs = cooldownUntilMs === undefined ? null : cooldownUntilMs - now.getTime();
  const afterMs = retry === 'never' ? null : retry.afterMs;
  return afterMs === null && cooldownMs === null ? null : Math.max(afterMs ?? 0, cooldownMs ?? 0);
}

/** Stores the list's new state, ends the job and enqueues what follows: the push, or the next round. */
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
    const ofJob = { id, connectionId: list.connection.id, run, everyMinutes: list.everyMinutes };
    if (mayPush(state, run)) await enqueue(tx, pushBlocklistJob(ofJob, now));
    else await enqueue(tx, ...nextRoundJobs(ofJob, state, now));
  });
  ctx.wakeWorkers();
}
