import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import type { Blocklist, Client } from '@svc/sdk';
import { CliError } from '../../errors/cli-error.ts';
import { type ErrorReport, toErrorReport } from '../../command/map-error.ts';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';

/**
 * The outcome of one list.
 *
 * - `queued`: its resync was accepted, without `--wait`
 * - `synced`: everything was fetched and pushed
 * - `failed`: its resync ended with an error, which is in `blocklist.lastError`
 * - `paused`: somebody paused it during the wait
 * - `timeout`: its resync was still running at the timeout; it continues
 * - `in-progress`: a resync was already in progress, so it was skipped
 * - `left-paused`: it is paused, and `--all` does not enable lists
 * - `no-crm-source`: skipped by `--all`, because it has no CRM source to fetch from
 * - `not-enabled`: skipped by `--all`, because block lists are not enabled for its connection
 * - `refused`: the service did not accept the resync; `error` says why
 */
export const RESYNC_OUTCOMES = [
  'queued',
  'synced',
  'failed',
  'paused',
  'timeout',
  'in-progress',
  'left-paused',
  'no-crm-source',
  'not-enabled',
  'refused',
] as const;
export type ResyncOutcome = (typeof RESYNC_OUTCOMES)[number];

/** The progress of one list. */
export interface ResyncState {
  readonly id: number;
  /** The last state from the API; null for an id that the key cannot access. */
  readonly blocklist: Blocklist | null;
  /**
   * - `starting`: not requested yet
   * - `blocked`: another fetch is running (a top-up, or the fetch of a list that was paused meanwhile), or the
   *   service failed; it will be requested again
   * - `waiting`: its resync is running
   */
  readonly phase: 'starting' | 'blocked' | 'waiting' | 'ended';
  /** Null until it has ended. */
  readonly outcome: ResyncOutcome | null;
  /** Why it was refused or is blocked. */
  readonly error: ErrorReport | null;
  /** The error that was thrown. */
  readonly cause: unknown;
}

export interface ResyncPlan {
  /** Null: do not wait. */
  readonly wait: { readonly timeoutMs: number; readonly pollMs: number } | null;
  readonly skipsInProgress: boolean;
  /** All lists were chosen: a list that no request can resync is skipped, not refused. */
  readonly isAll: boolean;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called for every change with all lists; `trouble` is the error if their state could not be read. */
  readonly onChange: (states: readonly ResyncState[], trouble: string | null) => void;
}

/**
 * Starts resyncs one after another, then polls all lists with one request per `pollMs` until each has ended. Waits also
 * for resyncs that were already running, so an interrupted command can be repeated.
 *
 * @throws errors that are not temporary; after a temporary error it keeps waiting
 */
export async function resyncBlocklists(
  client: Client,
  lists: readonly ResyncState[],
  plan: ResyncPlan,
): Promise<readonly ResyncState[]> {
  const endsAt = plan.now() + (plan.wait?.timeoutMs ?? 0);
  const states = [...lists];
  const report = (trouble: string | null = null) => plan.onChange(states, trouble);
  const start = async (index: number, state: ResyncState) => {
    states[index] = await startResync(client, state, plan);
    report();
  };
  report();
  for (const [index, state] of states.entries()) if (state.phase === 'starting') await start(index, state);

  while (plan.wait !== null && states.some(isPending)) {
    const trouble = await refresh(client, states);
    report(trouble);
    for (const [index, state] of states.entries()) {
      if (trouble === null && state.phase === 'blocked' && !isRunning(state.blocklist)) await start(index, state);
    }
    if (!states.some(isPending)) break;
    const restMs = endsAt - plan.now();
    if (restMs <= 0) {
      for (const [index, state] of states.entries()) if (isPending(state)) states[index] = timeOut(state);
      break;
    }
    await plan.sleep(Math.min(plan.wait.pollMs, restMs));
  }
  report();
  return states;
}

/** Outcomes of the refusals that only a change of the service's configuration can end, by message. */
const SKIPPED_BY_ALL: ReadonlyMap<string, ResyncOutcome> = new Map([
  [ERROR_MESSAGES.blocklistWithoutCrmSource, 'no-crm-source'],
  [ERROR_MESSAGES.blocklistsNotEnabled, 'not-enabled'],
]);

export function startingState(id: number, blocklist: Blocklist | null): ResyncState {
  return { id, blocklist, phase: 'starting', outcome: null, error: null, cause: null };
}

export function leftPaused(blocklist: Blocklist): ResyncState {
  return end(startingState(blocklist.id, blocklist), 'left-paused');
}

async function startResync(client: Client, state: ResyncState, plan: ResyncPlan): Promise<ResyncState> {
  try {
    const { status, isEnabled } = await client.blocklists.resync(state.id);
    const blocklist = state.blocklist && { ...state.blocklist, status, isEnabled, lastError: null };
    const started = { ...state, blocklist, error: null, cause: null };
    return plan.wait === null ? end(started, 'queued') : { ...started, phase: 'waiting' };
  } catch (error) {
    const report = toErrorReport(error);
    if (report.status === 401) throw error;
    const failed = { ...state, error: report, cause: error };
    // The next poll shows whether the request was accepted.
    if (report.retryable && plan.wait !== null) return { ...failed, phase: 'blocked' };
    if (report.message !== ERROR_MESSAGES.resyncInProgress) {
      return end(failed, (plan.isAll ? SKIPPED_BY_ALL.get(report.message) : undefined) ?? 'refused');
    }
    if (plan.skipsInProgress || plan.wait === null) return end(failed, 'in-progress');
    // A top-up or the fetch of a list that was paused meanwhile blocks the resync. Do not report its result as the result of
    // this resync.
    return { ...state, phase: isRunning(state.blocklist) ? 'waiting' : 'blocked', error: null, cause: null };
  }
}

/** Reads the state of all lists. @returns the error message if that failed for now, else null */
async function refresh(client: Client, states: ResyncState[]): Promise<string | null> {
  let seen: readonly Blocklist[];
  try {
    seen = (await client.blocklists.list()).blocklists;
  } catch (error) {
    const { message, retryable } = toErrorReport(error);
    if (!retryable) throw error;
    return message;
  }
  for (const [index, state] of states.entries()) {
    if (!isPending(state)) continue;
    const blocklist = seen.find(({ id }) => id === state.id);
    if (blocklist === undefined) states[index] = markDeleted(state);
    else if (state.phase === 'waiting') states[index] = updateOutcome({ ...state, blocklist });
    else if (isRunning(blocklist)) states[index] = { ...state, blocklist, phase: 'waiting', error: null, cause: null };
    else states[index] = { ...state, blocklist };
  }
  return null;
}

/** Ends a resync that is complete. A top-up (SYNCING_NEW_CONTACTS) comes after the resync. */
function updateOutcome(state: ResyncState & { readonly blocklist: Blocklist }): ResyncState {
  const { isEnabled, lastError } = state.blocklist;
  if (!isEnabled) return end(state, 'paused');
  if (isRunning(state.blocklist)) return state;
  return end(state, lastError === null ? 'synced' : 'failed');
}

export function isRunning(blocklist: Blocklist | null): boolean {
  return blocklist !== null && (blocklist.status === 'FETCHING' || blocklist.status === 'SYNCING');
}

function isPending({ phase }: ResyncState): boolean {
  return phase === 'waiting' || phase === 'blocked';
}

/** Ends a list at the timeout. A resync that was never accepted counts as refused. */
function timeOut(state: ResyncState): ResyncState {
  return end(state, state.error === null ? 'timeout' : 'refused');
}

export function end(state: ResyncState, outcome: ResyncOutcome): ResyncState {
  return { ...state, phase: 'ended', outcome };
}

function markDeleted(state: ResyncState): ResyncState {
  const cause = new CliError('not_found', EXIT_CODES.notFound, `Blocklist ${state.id} is gone`);
  return end({ ...state, error: toErrorReport(cause), cause }, 'refused');
}

/**
 * Returns the exit code for all lists, by the rule of `exitCodeOfBatch`. Lists that cannot be resynced do not count. A list in
 * progress is a conflict, unless it is to be skipped or, in a dry run, would be waited for.
 */
export function exitCodeOfResync(
  states: readonly ResyncState[],
  { wait, skipsInProgress }: Pick<ResyncPlan, 'wait' | 'skipsInProgress'>,
): ExitCode {
  const acceptsInProgress = skipsInProgress || wait !== null;
  return exitCodeOfBatch(states.flatMap((state) => codeOf(state, acceptsInProgress) ?? []));
}

function codeOf({ outcome, error }: ResyncState, acceptsInProgress: boolean): ExitCode | null {
  switch (outcome) {
    case 'queued':
    case 'synced':
      return EXIT_CODES.ok;
    case 'left-paused':
    case 'no-crm-source':
    case 'not-enabled':
      return null;
    case 'in-progress':
      return acceptsInProgress ? EXIT_CODES.ok : EXIT_CODES.conflict;
    case 'failed':
    case 'paused':
      return EXIT_CODES.negative;
    case 'timeout':
      return EXIT_CODES.waitTimedOut;
    case 'refused':
    case null:
      return error?.exitCode ?? EXIT_CODES.unexpected;
  }
}
