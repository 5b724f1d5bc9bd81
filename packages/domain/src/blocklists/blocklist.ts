/**
 * Specification, "Blocklist `status`" and "Write actions" (pause, resync).
 *
 * The rule: CREATED -> FETCHING -> SYNCING -> SYNCED, and from time to time SYNCED -> SYNCING_NEW_CONTACTS -> SYNCED
 * (top-up). A failure records its text, keeps what was pushed, and goes back to SYNCED, or to CREATED when nothing is
 * pushed yet; the next round starts from there (`roundStarted`). Pause switches the list off, and moves FETCHING and
 * SYNCING to SYNCING_NEW_CONTACTS; from then on its status stands still: a fetch in flight may still load entries, nothing
 * is pushed. Resync starts over from FETCHING, switched on. It asks, in this order, for the capability (403), that nothing
 * is in progress (409), for a CRM source (409).
 *
 * A push of before may still be under way when a resync starts, and report after it. Therefore each resync begins a new
 * run, every job remembers the run it was started under, and what a job of another run reports changes nothing.
 */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import type { BlocklistStatus } from '@svc/contract/vocabulary';
import { conflict, forbidden } from '../errors/errors.ts';

/** The columns of a block list that its pipeline moves. */
export interface BlocklistState {
  /** 0 for a new list, one more after each resync. */
  readonly run: number;
  readonly status: BlocklistStatus;
  readonly isEnabled: boolean;
  /** Local entries that the sequencer has. */
  readonly syncedCount: number;
  /** Local entries still to be pushed. */
  readonly pendingCount: number;
  /** End of the last successful fetch. */
  readonly lastFetchedAt: Date | null;
  readonly lastError: string | null;
  /** Start or end of the last attempt of any kind. */
  readonly lastAttemptedAt: Date | null;
}

/** What a fetch or push job says, and when. */
interface JobReport {
  /** `run` of the list when the job was started. */
  readonly run: number;
  readonly at: Date;
}

/** What decides whether a list may be resynced. */
export interface ResyncFacts {
  readonly status: BlocklistStatus;
  /** A fetch job of this list is queued or running, also when the list was paused meanwhile. */
  readonly hasActiveFetchJob: boolean;
  readonly hasCrmSource: boolean;
  /** `capabilities.blocklists` of the list's connection. */
  readonly canBlockList: boolean;
}

/** Whether a fetch reads the whole CRM list, replacing all local entries, or only what is new. */
export type FetchMode = 'full' | 'top-up';

/** Pause, which needs no capability and may be repeated. */
export function pauseBlocklist(state: BlocklistState): BlocklistState {
  const inProgress = state.status === 'FETCHING' || state.status === 'SYNCING';
  return { ...state, status: inProgress ? 'SYNCING_NEW_CONTACTS' : state.status, isEnabled: false };
}

/** @throws ApiError 403 without the capability; 409 while a resync is in progress, then 409 without a CRM source. */
export function assertResyncAllowed(facts: ResyncFacts): void {
  if (!facts.canBlockList) throw forbidden(ERROR_MESSAGES.blocklistsNotEnabled);
  if (facts.status === 'FETCHING' || facts.status === 'SYNCING' || facts.hasActiveFetchJob) {
    throw conflict(ERROR_MESSAGES.resyncInProgress);
  }
  if (!facts.hasCrmSource) throw conflict(ERROR_MESSAGES.blocklistWithoutCrmSource);
}

/** Resync, once allowed: a new run. Local entries and their counts stay until its fetch replaces them. */
export function resyncBlocklist(
  state: BlocklistState,
): BlocklistState & { readonly status: 'FETCHING'; readonly isEnabled: true } {
  return { ...state, run: state.run + 1, status: 'FETCHING', isEnabled: true, lastFetchedAt: null, lastError: null };
}

/** Whether a job that was started under `run` still has a say; of any other the reports below are ignored. */
export function isCurrentRun(state: Pick<BlocklistState, 'run'>, run: number): boolean {
  return state.run === run;
}

/** A fetch job begins: the first one of a new list, or the one that a resync queued. */
export function fetchStarted(state: BlocklistState, { run, at }: JobReport): BlocklistState {
  if (!isCurrentRun(state, run)) return state;
  const begins = state.isEnabled && state.status === 'CREATED';
  return { ...state, status: begins ? 'FETCHING' : state.status, lastAttemptedAt: at };
}

/**
 * The periodic top-up of a list that is at rest and switched on; null when there is nothing to top up. Its fetch and its
 * push belong to the run that the list is in.
 */
export function topUpStarted(state: BlocklistState, { at }: { readonly at: Date }): BlocklistState | null {
  if (!state.isEnabled || state.status !== 'SYNCED') return null;
  return { ...state, status: 'SYNCING_NEW_CONTACTS', lastAttemptedAt: at };
}

/** Whether a round of this list is over and the next is to come: it is switched on and nothing is under way. */
export function isIdle({ status, isEnabled }: Pick<BlocklistState, 'status' | 'isEnabled'>): boolean {
  return isEnabled && (status === 'SYNCED' || status === 'CREATED');
}

/**
 * The next round of a list at rest: a top-up or, where nothing got through yet, the whole list again. Null when the list is
 * not at rest.
 */
export function roundStarted(
  state: BlocklistState,
  { at }: { readonly at: Date },
): { readonly state: BlocklistState; readonly mode: FetchMode } | null {
  if (!isIdle(state)) return null;
  const toppingUp = topUpStarted(state, { at });
  return toppingUp === null ? { state, mode: 'full' } : { state: toppingUp, mode: 'top-up' };
}

/** A fetch ended well; `entryCount` is the size of the list (full) or the number of new entries (top-up). */
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

/** Whether a push job of `run` may push entries to the sequencer now; to be asked again before each batch. */
export function mayPush(state: Pick<BlocklistState, 'run' | 'isEnabled' | 'status'>, run: number): boolean {
  return isCurrentRun(state, run) && state.isEnabled && isPushing(state.status);
}

/** A batch has reached the sequencer. */
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
 * The sequencer refuses entries for what they are: they are pending no more, and stand in no other entry's way.
 *
 * @param refused.refusedCount below 0 where that many are pending again, because it turned out not to be about them
 */
export function entriesRefused(
  state: BlocklistState,
  { run, at, refusedCount }: JobReport & { readonly refusedCount: number },
): BlocklistState {
  if (!isCurrentRun(state, run)) return state;
  return { ...state, pendingCount: Math.max(0, state.pendingCount - refusedCount), lastAttemptedAt: at };
}

/**
 * A push job found nothing more to push. As long as entries are pending, the push is not at its end and has to go on.
 *
 * @param finished.error tells of entries that the sequencer refused; null, the default, when there are none
 */
export function pushFinished(
  state: BlocklistState,
  { run, at, error = null }: JobReport & { readonly error?: string | null },
): BlocklistState {
  if (!isCurrentRun(state, run)) return state;
  if (state.pendingCount > 0) return { ...state, lastAttemptedAt: at };
  return { ...state, status: mayPush(state, run) ? 'SYNCED' : state.status, lastAttemptedAt: at, lastError: error };
}

/** A fetch failed for good. */
export function fetchFailed(state: BlocklistState, failure: JobReport & { readonly error: string }): BlocklistState {
  return afterFailure(state, failure, state.status === 'FETCHING' || state.status === 'SYNCING_NEW_CONTACTS');
}

/** A push failed for good; the batches before it count. */
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

/** A top-up only ever starts from SYNCED, so it goes back there, whatever was pushed. */
function statusAfterFailure({ status, syncedCount }: BlocklistState): BlocklistStatus {
  return status === 'SYNCING_NEW_CONTACTS' || syncedCount > 0 ? 'SYNCED' : 'CREATED';
}
