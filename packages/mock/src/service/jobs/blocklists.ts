/**
 * The pipeline of a block list in world time: a fetch takes `blocklistFetchMs`, a push `blocklistPushMs`, and the next round
 * comes a day later. A job is due when its work ends; that of a fetch is also due when it begins, to say so. The CRM's list has as
 * many entries as the list had before, or a number that follows from its id.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import {
  type BlocklistState,
  entriesPushed,
  fetchFailed,
  fetchFinished,
  type FetchMode,
  fetchStarted,
  isCurrentRun,
  isIdle,
  mayPush,
  pushFailed,
  pushFinished,
  roundStarted,
} from '@svc/domain/blocklists/blocklist';
import { crmDisconnectedReason, fetchErrorText, pushErrorText } from '@svc/domain/blocklists/blocklist-errors';
import { nextCallAt, nextRoundAt } from '@svc/domain/blocklists/blocklist-schedule';
import { disconnects, isTransientStatus } from '@svc/domain/syncs/crm-write';
import { connectionsById } from '../../state/row-indexes.ts';
import { addJob, type BlocklistRow, type JobWork, removeJob } from '../../state/world-data.ts';
import { updateData, type World } from '../../state/world.ts';
import { disconnect, httpStatusOf, listFailureOf } from './crm.ts';
import type { JobRun } from './job-run.ts';

/** A list that was never fetched turns out to have 40 to 139 entries. */
const FIRST_SIZE_MIN = 40;
const FIRST_SIZES = 100;
/** What a top-up finds. */
const NEW_ENTRIES = 3;

/** The beginning of a fetch, and its end. */
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
  const failure = failureOfRead(world, list);
  const failureCount = (job.failureCount ?? 0) + 1;
  const againAt = failure?.mayPass === true ? nextCallAt({ failureCount, askedMs: null, at: now }) : null;
  if (againAt !== null) {
    enqueue(world, { kind: 'fetch-blocklist', blocklistId, run, mode, failureCount }, againAt);
    return;
  }
  const entryCount = mode === 'full' ? sizeOf(list) : NEW_ENTRIES;
  const state =
    failure === null
      ? fetchFinished(fetchStarted(list, { run, at: now }), { run, at: now, entryCount, mode })
      : fetchFailed(list, { run, at: now, error: fetchErrorText(failure.reason) });
  setState(world, list, state);
  if (!mayPush(state, run)) {
    queueNextRound(world, list, state, now);
    return;
  }
  enqueue(world, { kind: 'push-blocklist', blocklistId, run }, after(now, world.state.settings.blocklistPushMs));
}

/** The end of a push: the sequencer has everything, unless the list was paused meanwhile. */
export function pushBlocklist({ world, job, now }: JobRun<'push-blocklist'>): void {
  updateData(world, removeJob(world.state.data, job));
  const { blocklistId, run } = job;
  const list = findList(world, blocklistId);
  if (list === undefined || !isCurrentRun(list, run)) return;
  const pushedCount = mayPush(list, run) ? list.pendingCount : 0;
  // Switched off since it was enqueued: the rounds go on when it is on again.
  const isRefused = mayPush(list, run) && !canBlockList(world, list);
  const state = isRefused
    ? pushFailed(list, { run, at: now, error: pushErrorText(ERROR_MESSAGES.blocklistsNotEnabled) })
    : pushFinished(entriesPushed(list, { run, at: now, pushedCount }), { run, at: now });
  setState(world, list, state);
  queueNextRound(world, list, state, now);
}

/** The start of the next round. While the capability is switched off, rounds are passed over. */
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

/** Enqueues a fetch, which begins at once and ends after `blocklistFetchMs`. */
export function startFetch(
  world: World,
  list: BlocklistRow,
  { state, mode, now }: { readonly state: BlocklistState; readonly mode: FetchMode; readonly now: Date },
): void {
  const { run } = state;
  setState(world, list, state);
  enqueue(world, { kind: 'fetch-blocklist', blocklistId: list.id, run, mode, begins: true }, now);
}

/** Replaces the columns that the pipeline moves. */
export function setState(world: World, { id }: Pick<BlocklistRow, 'id'>, state: BlocklistState): void {
  const { run, status, isEnabled, syncedCount, pendingCount, lastFetchedAt, lastError, lastAttemptedAt } = state;
  const columns = { run, status, isEnabled, syncedCount, pendingCount, lastFetchedAt, lastError, lastAttemptedAt };
  updateData(world, {
    blocklists: world.state.data.blocklists.map((row) => (row.id === id ? { ...row, ...columns } : row)),
  });
}

/** Nothing while the list is at work or paused. */
function queueNextRound(world: World, { id }: BlocklistRow, state: BlocklistState, now: Date): void {
  if (!isIdle(state)) return;
  enqueue(world, { kind: 'top-up-blocklist', blocklistId: id, run: state.run }, nextRoundAt(now));
}

/** What the CRM answers when it is asked for the list, null for a list. An answer that says so disconnects it. */
function failureOfRead(world: World, list: BlocklistRow): ReadFailure | null {
  const { connectionId, crmListId } = list;
  if (!canBlockList(world, list)) return { reason: ERROR_MESSAGES.blocklistsNotEnabled, mayPass: false };
  if (crmListId === null) return { reason: ERROR_MESSAGES.blocklistWithoutCrmSource, mayPass: false };
  const connection = connectionsById(world.state.data.connections).get(connectionId);
  if (connection === undefined) return null;
  if (connection.crmToken === null) return { reason: crmDisconnectedReason(connection.crm), mayPass: false };
  const failure = listFailureOf(world, connection);
  if (failure === null) return null;
  const httpStatus = httpStatusOf(failure.error);
  if (disconnects(httpStatus)) disconnect(world, connection);
  const { message } = failure.error;
  return { reason: typeof message === 'string' ? message : 'it refused', mayPass: isTransientStatus(httpStatus) };
}

function canBlockList({ state }: World, { connectionId }: BlocklistRow): boolean {
  return connectionsById(state.data.connections).get(connectionId)?.capabilities.blocklists === true;
}

interface ReadFailure {
  readonly reason: string;
  readonly mayPass: boolean;
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
