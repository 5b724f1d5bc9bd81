/**
 * The `status` of a block list, and what `pauseBlocklist` and `resyncBlocklist` do.
 *
 * The rule: CREATED -> FETCHING -> SYNCING -> SYNCED, and periodically SYNCED -> SYNCING_NEW_CONTACTS -> SYNCED (top-up).
 *
 * - Pause disables the list and moves FETCHING and SYNCING to SYNCING_NEW_CONTACTS. The status of a disabled list does not
 *   change: a running fetch may still load entries, but nothing is pushed.
 * - Resync requires, in this order, the capability (403), that no resync is in progress (409) and a CRM source (409). It
 *   enables the list and starts over from FETCHING.
 * - A failure records its text, keeps the pushed entries, and moves the list to SYNCED, or to CREATED when nothing was
 *   pushed yet. The next round starts from there (`roundStarted`).
 *
 * A push may still be running when a resync starts. Therefore each resync begins a new run, every job remembers the run it
 * was started in, and reports from jobs of another run are ignored.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import type { BlocklistStatus } from '@svc/contract/vocabulary';
import { conflict, forbidden } from '../errors/errors.ts';

/** The columns of a block list that its pipeline changes. */
export interface BlocklistState {
  /** 0 for a new list, one more after each resync. */
  readonly run: number;
  readonly status: BlocklistStatus;
  readonly isEnabled: boolean;
  /** Local entries that were pushed to the sequencer. */
  readonly syncedCount: number;
  /** Local entries still to be pushed. */
  readonly pendingCount: number;
  /** End of the last successful fetch. */
  readonly lastFetchedAt: Date | null;
  readonly lastError: string | null;
  /** Start or end of the last attempt of any kind. */
  readonly lastAttemptedAt: Date | null;
}

/** Fields of every report of a fetch or push job. */
interface JobReport {
  /** `run` of the list when the job was started. */
  readonly run: number;
  readonly at: Date;
}

/** The facts that decide whether a list may be resynced. */
export interface ResyncFacts {
  readonly status: BlocklistStatus;
  /** A fetch job is queued or running, even if the list was paused since. */
  readonly hasActiveFetchJob: boolean;
  readonly hasCrmSource: boolean;
  /** `capabilities.blocklists` of the list's connection. */
  readonly canBlockList: boolean;
}

/** `full` reads the whole CRM list and replaces all local entries; `top-up` adds new entries only. */
export type FetchMode = 'full' | 'top-up';

/** Pauses a list. Needs no capability and may be repeated. */
export function pauseBlocklist(state: BlocklistState): BlocklistState {
  const inProgress = state.status === 'FETCHING' || state.status === 'SYNCING';
  return { ...state, status: inProgress ? 'SYNCING_NEW_CONTACTS' : state.status, isEnabled: false };
}

/** @throws ApiError 403 without the capability; 409 while a resync is in progress; 409 without a CRM source */
export function assertResyncAllowed(facts: ResyncFacts): void {
  if (!facts.canBlockList) throw forbidden(ERROR_MESSAGES.blocklistsNotEnabled);
  if (facts.status === 'FETCHING' || facts.status === 'SYNCING' || facts.hasActiveFetchJob) {
    throw conflict(ERROR_MESSAGES.resyncInProgress);
  }
  if (!facts.hasCrmSource) throw conflict(ERROR_MESSAGES.blocklistWithoutCrmSource);
}

/** Begins a new run. Local entries and their counts stay until its fetch replaces them. */
export function resyncBlocklist(
  state: BlocklistState,
): BlocklistState & { readonly status: 'FETCHING'; readonly isEnabled: true } {
  return { ...state, run: state.run + 1, status: 'FETCHING', isEnabled: true, lastFetchedAt: null, lastError: null };
}

/** Whether reports of a job that was started in `run` still count. */
export function isCurrentRun(state: Pick<BlocklistState, 'run'>, run: number): boolean {
  return state.run === run;
}

/** Records the start of a fetch: the first one of a new list, or the one that a resync queued. */
export function fetchStarted(state: BlocklistState, { run, at }: JobReport): BlocklistState {
  if (!isCurrentRun(state, run)) return state;
  const begins = state.isEnabled && state.status === 'CREATED';
  return { ...state, status: begins ? 'FETCHING' : state.status, lastAttemptedAt: at };
}

/**
 * Starts the periodic top-up of an enabled SYNCED list; returns null for any other list. The top-up belongs to the list's
 * current run.
 */
export function topUpStarted(state: BlocklistState, { at }: { readonly at: Date }): BlocklistState | null {
  if (!state.isEnabled || state.status !== 'SYNCED') return null;
  return { ...state, status: 'SYNCING_NEW_CONTACTS', lastAttemptedAt: at };
}

/** Whether the list is enabled, nothing is in progress, and its next round can start. */
export function isIdle({ status, isEnabled }: Pick<BlocklistState, 'status' | 'isEnabled'>): boolean {
  return isEnabled && (status === 'SYNCED' || status === 'CREATED');
}

/**
 * Starts the next round of an idle list: a top-up, or a full fetch when nothing was pushed yet. Returns null when the list
 * is not idle.
 */
export function roundStarted(
  state: BlocklistState,
  { at }: { readonly at: Date },
): { readonly state: BlocklistState; readonly mode: FetchMode } | null {
  if (!isIdle(state)) return null;
  const toppingUp = topUpStarted(state, { at });
  return toppingUp === null ? { state, mode: 'full' } : { state: toppingUp, mode: 'top-up' };
}

/** Records a successful fetch. `entryCount` is the size of the list (full) or the number of new entries (top-up). */
export function fetchFinished(
  state: BlocklistState,
  fetched: JobReport & { readonly entryCount: number; readonly mode: FetchMode },
): BlocklistState {
  if (!isCurrentRun(state, fetched.run)) return state;
  const counts =
    fetched.mode === 'full'
      ? { syncedCount: 0, pendingCount: fetched.entryCount }
      : { syncedCount: state.syncedCount, pendingCount: state.pendingCount + fetched.entryCount };
  return {
    ...state,
    ...counts,
    status: state.isEnabled && state.status === 'FETCHING' ? 'SYNCING' : state.status,
    lastFetchedAt: fetched.at,
    lastAttemptedAt: fetched.at,
    lastError: null,
  };
}

/** Records entries that a read of the CRM list did not have any more, and which are no entries since. */
export function entriesLeft(
  state: BlocklistState,
  { pushed, pending }: { readonly pushed: number; readonly pending: number },
): BlocklistState {
  return {
    ...state,
    syncedCount: Math.max(0, state.syncedCount - pushed),
    pendingCount: Math.max(0, state.pendingCount - pending),
  };
}

/** Records pushed entries that have to be pushed again. */
export function entriesReturned(state: BlocklistState, count: number): BlocklistState {
  const moved = Math.min(count, state.syncedCount);
  return { ...state, syncedCount: state.syncedCount - moved, pendingCount: state.pendingCount + moved };
}

const FEW = 10;

/**
 * Whether so many entries left the CRM list at once that its filter may be broken, so that nobody is unblocked: more than 10, and more
 * than half.
 *
 * @param read.pushed entries that were pushed, with those that left
 */
export function isMassRemoval({ left, pushed }: { readonly left: number; readonly pushed: number }): boolean {
  return left > FEW && left * 2 > pushed;
}

/** Whether a push job of `run` may push now. Check it before each batch. */
export function mayPush(state: Pick<BlocklistState, 'run' | 'isEnabled' | 'status'>, run: number): boolean {
  return isCurrentRun(state, run) && state.isEnabled && isPushing(state.status);
}

/** Records a pushed batch. */
export function entriesPushed(
  state: BlocklistState,
  { run, at, pushedCount }: JobReport & { readonly pushedCount: number },
): BlocklistState {
  if (!isCurrentRun(state, run)) return state;
  const moved = Math.min(pushedCount, state.pendingCount);
  return {
    ...state,
    syncedCount: state.syncedCount + moved,
    pendingCount: state.pendingCount - moved,
    lastAttemptedAt: at,
  };
}

/**
 * Records entries that the sequencer refuses: they are no longer pending and do not block other entries.
 *
 * @param report.refusedCount number of refused entries. A negative number returns that many refused entries to pending
 */
export function entriesRefused(
  state: BlocklistState,
  { run, at, refusedCount }: JobReport & { readonly refusedCount: number },
): BlocklistState {
  if (!isCurrentRun(state, run)) return state;
  return { ...state, pendingCount: Math.max(0, state.pendingCount - refusedCount), lastAttemptedAt: at };
}

/**
 * Records that a push job found nothing more to push. While entries are pending, the push is not finished.
 *
 * @param report.error text about refused entries. Default: null, none were refused
 */
export function pushFinished(
  state: BlocklistState,
  { run, at, error = null }: JobReport & { readonly error?: string | null },
): BlocklistState {
  if (!isCurrentRun(state, run)) return state;
  if (state.pendingCount > 0) return { ...state, lastAttemptedAt: at };
  return { ...state, status: mayPush(state, run) ? 'SYNCED' : state.status, lastAttemptedAt: at, lastError: error };
}

/** Records a fetch that was given up. */
export function fetchFailed(state: BlocklistState, failure: JobReport & { readonly error: string }): BlocklistState {
  return afterFailure(state, failure, state.status === 'FETCHING' || state.status === 'SYNCING_NEW_CONTACTS');
}

/** Records a push that was given up. Batches pushed before the failure count. */
export function pushFailed(state: BlocklistState, failure: JobReport & { readonly error: string }): BlocklistState {
  return afterFailure(state, failure, isPushing(state.status));
}

function isPushing(status: BlocklistStatus): boolean {
  return status === 'SYNCING' || status === 'SYNCING_NEW_CONTACTS';
}

function afterFailure(
  state: BlocklistState,
  { run, at, error }: JobReport & { readonly error: string },
  endsAttempt: boolean,
): BlocklistState {
  if (!isCurrentRun(state, run)) return state;
  const status = state.isEnabled && endsAttempt ? statusAfterFailure(state) : state.status;
  return { ...state, status, lastError: error, lastAttemptedAt: at };
}

/** A top-up always starts from SYNCED, so it returns there. */
function statusAfterFailure({ status, syncedCount }: BlocklistState): BlocklistStatus {
  return status === 'SYNCING_NEW_CONTACTS' || syncedCount > 0 ? 'SYNCED' : 'CREATED';
}
