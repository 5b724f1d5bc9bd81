/**
 * The pipeline of a block list in world time: a fetch takes `blocklistFetchMs`, a push `blocklistPushMs`, and the next top-up is
 * a day later. Jobs are due when a fetch begins and ends and when a push ends. The simulated CRM list has as many entries as the
 * block list had before, or a number derived from its id.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import {
  type BlocklistState,
  entriesLeft,
  entriesPushed,
  entriesRefused,
  fetchFailed,
  fetchFinished,
  type FetchMode,
  fetchStarted,
  isCurrentRun,
  isIdle,
  isMassRemoval,
  mayPush,
  pushFailed,
  pushFinished,
  roundStarted,
} from '@svc/domain/blocklists/blocklist';
import {
  crmDisconnectedReason,
  fetchErrorText,
  pushErrorText,
  refusedEntriesText,
} from '@svc/domain/blocklists/blocklist-errors';
import { nextCallAt, nextRoundAt } from '@svc/domain/blocklists/blocklist-schedule';
import { disconnects, isTransientStatus } from '@svc/domain/syncs/crm-backoff';
import { findBlocklistProblem } from '@svc/sequencers/blocklists';
import { connectionsById } from '../../state/row-indexes.ts';
import { addJob, type BlocklistRow, type JobWork, removeJob } from '../../state/world-data.ts';
import { updateData, type World } from '../../state/world.ts';
import { disconnect, httpStatusOf, listFailureOf } from './crm.ts';
import type { JobRun } from './job-run.ts';

/** A list that was never fetched gets 40 to 139 entries. */
const FIRST_SIZE_MIN = 40;
const FIRST_SIZES = 100;
/** Number of new entries that a top-up finds. */
const NEW_ENTRIES = 3;

/** Begins a fetch or ends it. */
export function fetchBlocklist({ world, job, now }: JobRun<'fetch-blocklist'>): void {
  updateData(world, removeJob(world.state.data, job));
  const { blocklistId, run, mode } = job;
  const list = findList(world, blocklistId);
  if (list === undefined || !isCurrentRun(list, run)) return;
  if (job.begins === true) {
    setState(world, list, fetchStarted(list, { run, at: now }));
    enqueue(
      world,
      { kind: 'fetch-blocklist', blocklistId, run, mode },
      after(now, world.state.settings.blocklistFetchMs),
    );
    return;
  }
  const failure = readFailureOf(world, list);
  const failureCount = (job.failureCount ?? 0) + 1;
  const retryAt = failure?.isTransient === true ? nextCallAt({ failureCount, askedMs: null, at: now }) : null;
  if (retryAt !== null) {
    enqueue(world, { kind: 'fetch-blocklist', blocklistId, run, mode, failureCount }, retryAt);
    return;
  }
  const left = failure === null ? leftEntries(world, list) : { pushed: 0, pending: 0 };
  const entryCount = mode === 'full' ? sizeOf(list) - left.pushed : NEW_ENTRIES;
  const state =
    failure === null
      ? fetchFinished(entriesLeft(fetchStarted(list, { run, at: now }), left), { run, at: now, entryCount, mode })
      : fetchFailed(list, { run, at: now, error: fetchErrorText(failure.reason) });
  setState(world, list, state);
  if (!mayPush(state, run)) {
    queueNextRound(world, list, state, now);
    return;
  }
  enqueue(world, { kind: 'push-blocklist', blocklistId, run }, after(now, world.state.settings.blocklistPushMs));
}

/** Ends a push: the sequencer has every entry, unless the list was paused meanwhile. */
export function pushBlocklist({ world, job, now }: JobRun<'push-blocklist'>): void {
  updateData(world, removeJob(world.state.data, job));
  const { blocklistId, run } = job;
  const list = findList(world, blocklistId);
  if (list === undefined || !isCurrentRun(list, run)) return;
  const problem = mayPush(list, run) ? findPushProblem(world, list) : null;
  const state =
    problem !== null
      ? pushFailed(list, { run, at: now, error: pushErrorText(problem) })
      : pushEntries(world, list, { run, at: now });
  setState(world, list, state);
  queueNextRound(world, list, state, now);
}

/** The sequencer refuses some of the entries that a full fetch has found, until the next full fetch. */
function pushEntries({ state }: World, list: BlocklistRow, { run, at }: { run: number; at: Date }): BlocklistState {
  if (!mayPush(list, run)) return pushFinished(list, { run, at });
  const { blocklistRefusedCount } = state.settings;
  const refusedCount = list.syncedCount === 0 ? Math.min(blocklistRefusedCount, list.pendingCount) : 0;
  const pushed = entriesPushed(entriesRefused(list, { run, at, refusedCount }), {
    ...{ run, at, pushedCount: list.pendingCount - refusedCount },
  });
  const error = blocklistRefusedCount === 0 ? null : refusedEntriesText(blocklistRefusedCount);
  return pushFinished(pushed, { run, at, error });
}

/** Returns how many of the pushed entries the CRM list does not have any more. All at once would be taken for a mistake. */
function leftEntries({ state }: World, { syncedCount }: BlocklistRow): { pushed: number; pending: number } {
  const left = Math.min(state.settings.blocklistLeftCount, syncedCount);
  return { pushed: isMassRemoval({ left, pushed: syncedCount }) ? 0 : left, pending: 0 };
}

/** Returns why nothing can be pushed; null when it can. Without the capability, top-ups continue when it is on again. */
function findPushProblem(world: World, list: BlocklistRow): string | null {
  if (!canBlockList(world, list)) return ERROR_MESSAGES.blocklistsNotEnabled;
  return findBlocklistProblem(list.platform);
}

/** Starts a top-up. Skips it while the capability is off. */
export function topUpBlocklist({ world, job, now }: JobRun<'top-up-blocklist'>): void {
  updateData(world, removeJob(world.state.data, job));
  const { blocklistId, run } = job;
  const list = findList(world, blocklistId);
  if (list === undefined || !isCurrentRun(list, run) || list.crmListId === null) return;
  const round = roundStarted(list, { at: now });
  if (round === null) return;
  if (!canBlockList(world, list)) {
    queueNextRound(world, list, list, now);
    return;
  }
  startFetch(world, list, { state: round.state, mode: round.mode, now });
}

/** Enqueues a fetch that begins at once and ends after `blocklistFetchMs`. */
export function startFetch(
  world: World,
  list: BlocklistRow,
  { state, mode, now }: { readonly state: BlocklistState; readonly mode: FetchMode; readonly now: Date },
): void {
  const { run } = state;
  setState(world, list, state);
  enqueue(world, { kind: 'fetch-blocklist', blocklistId: list.id, run, mode, begins: true }, now);
}

/** Replaces the pipeline's columns of the list. */
export function setState(world: World, { id }: Pick<BlocklistRow, 'id'>, state: BlocklistState): void {
  const { run, status, isEnabled, syncedCount, pendingCount, lastFetchedAt, lastError, lastAttemptedAt } = state;
  const columns = { run, status, isEnabled, syncedCount, pendingCount, lastFetchedAt, lastError, lastAttemptedAt };
  updateData(world, {
    blocklists: world.state.data.blocklists.map((row) => (row.id === id ? { ...row, ...columns } : row)),
  });
}

/** Enqueues the next top-up, unless the list is busy or paused. */
function queueNextRound(world: World, { id }: BlocklistRow, state: BlocklistState, now: Date): void {
  if (!isIdle(state)) return;
  enqueue(world, { kind: 'top-up-blocklist', blocklistId: id, run: state.run }, nextRoundAt(now));
}

/** Returns why reading the CRM's list fails, or null. A 401 disconnects the connection. */
function readFailureOf(world: World, list: BlocklistRow): ReadFailure | null {
  const { connectionId, crmListId } = list;
  if (!canBlockList(world, list)) return { reason: ERROR_MESSAGES.blocklistsNotEnabled, isTransient: false };
  if (crmListId === null) return { reason: ERROR_MESSAGES.blocklistWithoutCrmSource, isTransient: false };
  const connection = connectionsById(world.state.data.connections).get(connectionId);
  if (connection === undefined) return null;
  if (connection.crmToken === null) return { reason: crmDisconnectedReason(connection.crm), isTransient: false };
  const failure = listFailureOf(world, connection);
  if (failure === null) return null;
  const httpStatus = httpStatusOf(failure.error);
  if (disconnects(httpStatus)) disconnect(world, connection);
  const { message } = failure.error;
  return { reason: typeof message === 'string' ? message : 'it refused', isTransient: isTransientStatus(httpStatus) };
}

function canBlockList({ state }: World, { connectionId }: BlocklistRow): boolean {
  return connectionsById(state.data.connections).get(connectionId)?.capabilities.blocklists === true;
}

interface ReadFailure {
  readonly reason: string;
  readonly isTransient: boolean;
}

function enqueue(world: World, work: JobWork, dueAt: Date): void {
  updateData(world, addJob(world.state.data, work, dueAt));
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}

function findList(world: World, id: number): BlocklistRow | undefined {
  return world.state.data.blocklists.find((row) => row.id === id);
}

function sizeOf({ id, syncedCount, pendingCount }: BlocklistRow): number {
  const known = syncedCount + pendingCount;
  return known > 0 ? known : FIRST_SIZE_MIN + ((id * 37) % FIRST_SIZES);
}
