import { RESYNC_IN_PROGRESS } from '@svc/contract/error-messages';
import type { Blocklist, Client } from '@svc/sdk';
import { CliError } from '../../errors/cli-error.ts';
import { type ErrorReport, toErrorReport } from '../../command/map-error.ts';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';

/**
 * How one list came out of it.
 *
 * - `queued`: its resync was accepted, and nobody waited for it
 * - `synced`: everything was fetched and pushed
 * - `failed`: its resync ended with an error, which is in `blocklist.lastError`
 * - `paused`: somebody paused it while it was waited for
 * - `timeout`: it was still at work when the time was over, and goes on
 * - `in-progress`: it was being resynced already, and was let be
 * - `left-paused`: it is paused, and `--all` does not switch lists on
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
  'refused',
] as const;
export type ResyncOutcome = (typeof RESYNC_OUTCOMES)[number];

/** A list on its way, and then how it ended. */
export interface ResyncState {
  readonly id: number;
  /** As it was seen last; null for an id that the key does not reach. */
  readonly blocklist: Blocklist | null;
  /**
   * - `starting`: not asked for yet
   * - `blocked`: a fetch that is no resync is under way (a top-up, or what was left of a paused one), or the service was away: it
   *   is asked for again
   * - `waiting`: its resync is under way
   */
  readonly phase: 'starting' | 'blocked' | 'waiting' | 'ended';
  /** Null until it has ended. */
  readonly outcome: ResyncOutcome | null;
  /** Why it was refused, or what is in the way. */
  readonly error: ErrorReport | null;
  /** What was thrown for it. */
  readonly cause: unknown;
}

export interface ResyncPlan {
  /** Null: not waited for. */
  readonly wait: { readonly timeoutMs: number; readonly pollMs: number } | null;
  readonly skipsInProgress: boolean;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of every change, with all lists; `trouble` says why nothing could be seen of them just now. */
  readonly onChange: (states: readonly ResyncState[], trouble: string | null) => void;
}

/**
 * Resyncs lists one after the other, then looks at all of them with one request per `pollMs` until each has come to
 * rest. A resync that is already under way is waited for like one of ours, so whoever was interrupted runs it again.
 *
 * @throws whatever says that the key or the address is no good; a service that is away is waited for
 */
export async function resyncBlocklists(
  client: Client,
  lists: readonly ResyncState[],
  plan: ResyncPlan,
): Promise<readonly ResyncState[]> {
  const endsAt = plan.now() + (plan.wait?.timeoutMs ?? 0);
  const states = [...lists];
  const tell = (trouble: string | null = null) => plan.onChange(states, trouble);
  const ask = async (index: number, state: ResyncState) => {
    states[index] = await startResync(client, state, plan);
    tell();
  };
  tell();
  for (const [index, state] of states.entries()) if (state.phase === 'starting') await ask(index, state);

  while (plan.wait !== null && states.some(isUnderWay)) {
    const trouble = await look(client, states);
    tell(trouble);
    for (const [index, state] of states.entries()) {
      if (trouble === null && state.phase === 'blocked' && !isAtWork(state.blocklist)) await ask(index, state);
    }
    if (!states.some(isUnderWay)) break;
    const restMs = endsAt - plan.now();
    if (restMs <= 0) {
      for (const [index, state] of states.entries()) if (isUnderWay(state)) states[index] = giveUp(state);
      break;
    }
    await plan.sleep(Math.min(plan.wait.pollMs, restMs));
  }
  tell();
  return states;
}

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
    const told = { ...state, error: report, cause: error };
    // Whether it was heard, the next look shows.
    if (report.retryable && plan.wait !== null) return { ...told, phase: 'blocked' };
    if (report.message !== RESYNC_IN_PROGRESS) return end(told, 'refused');
    if (plan.skipsInProgress || plan.wait === null) return end(told, 'in-progress');
    // A top-up or the rest of a paused fetch is in the way, and what it ends with would say nothing of a resync.
    return { ...state, phase: isAtWork(state.blocklist) ? 'waiting' : 'blocked', error: null, cause: null };
  }
}

/** @returns what kept it from being seen, null when nothing did */
async function look(client: Client, states: ResyncState[]): Promise<string | null> {
  let seen: readonly Blocklist[];
  try {
    seen = (await client.blocklists.list()).blocklists;
  } catch (error) {
    const { message, retryable } = toErrorReport(error);
    if (!retryable) throw error;
    return message;
  }
  for (const [index, state] of states.entries()) {
    if (!isUnderWay(state)) continue;
    const blocklist = seen.find(({ id }) => id === state.id);
    if (blocklist === undefined) states[index] = markGone(state);
    else if (state.phase === 'waiting') states[index] = judge({ ...state, blocklist });
    else if (isAtWork(blocklist)) states[index] = { ...state, blocklist, phase: 'waiting', error: null, cause: null };
    else states[index] = { ...state, blocklist };
  }
  return null;
}

/** A top-up (SYNCING_NEW_CONTACTS) comes after the resync itself has ended. */
function judge(state: ResyncState & { readonly blocklist: Blocklist }): ResyncState {
  const { isEnabled, lastError } = state.blocklist;
  if (!isEnabled) return end(state, 'paused');
  if (isAtWork(state.blocklist)) return state;
  return end(state, lastError === null ? 'synced' : 'failed');
}

function isAtWork(blocklist: Blocklist | null): boolean {
  return blocklist !== null && (blocklist.status === 'FETCHING' || blocklist.status === 'SYNCING');
}

function isUnderWay({ phase }: ResyncState): boolean {
  return phase === 'waiting' || phase === 'blocked';
}

/** What was never accepted is not under way. */
function giveUp(state: ResyncState): ResyncState {
  return end(state, state.error === null ? 'timeout' : 'refused');
}

function end(state: ResyncState, outcome: ResyncOutcome): ResyncState {
  return { ...state, phase: 'ended', outcome };
}

function markGone(state: ResyncState): ResyncState {
  const cause = new CliError('not_found', EXIT_CODES.notFound, `Blocklist ${state.id} is gone`);
  return end({ ...state, error: toErrorReport(cause), cause }, 'refused');
}

/** One code for all lists, by the rule of `exitCodeOfBatch`. What was let be because that was asked for is no failure. */
export function exitCodeOfResync(states: readonly ResyncState[], skipsInProgress: boolean): ExitCode {
  return exitCodeOfBatch(states.map((state) => codeOf(state, skipsInProgress)));
}

function codeOf({ outcome, error }: ResyncState, skipsInProgress: boolean): ExitCode {
  switch (outcome) {
    case 'queued':
    case 'synced':
    case 'left-paused':
      return EXIT_CODES.ok;
    case 'in-progress':
      return skipsInProgress ? EXIT_CODES.ok : EXIT_CODES.conflict;
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
