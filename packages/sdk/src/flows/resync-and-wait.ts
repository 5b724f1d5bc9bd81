/** The scheduled resync that the specification recommends ("Write actions"): resync, then look until the list is at rest. */
import { RESYNC_IN_PROGRESS } from '@svc/contract/error-messages';
import type { Blocklist } from '@svc/contract/types';
import type { CallContext } from '../calls/call.ts';
import type * as errors from '../errors/errors.ts';
import type { CallOptions } from '../http/fetch.ts';

/** How long to wait for a resync, and what to do meanwhile. */
export interface ResyncAndWaitOptions extends Omit<CallOptions, 'timeoutMs'> {
  /**
   * How long to wait for the end, in milliseconds, from the call on. Default 1,800,000, half an hour. One attempt of a call has
   * the client's own limit.
   */
  timeoutMs?: number | undefined;
  /** Between two looks, in milliseconds. Each spends one request of the rate limit. Default 5,000. */
  pollMs?: number | undefined;
  /**
   * What to do about a list that is being resynced already: `wait` for that one to end (default), or `skip`, whose outcome
   * is `in-progress` at once.
   */
  ifInProgress?: 'wait' | 'skip' | undefined;
  /** Told of each look. */
  onProgress?: ((blocklist: Blocklist) => void) | undefined;
}

/**
 * - `synced`: everything was fetched and pushed
 * - `failed`: it ended with an error, which is in `blocklist.lastError`
 * - `paused`: somebody paused the list
 * - `timeout`: it was still at work when the time was over, and goes on
 * - `in-progress`: another resync was under way, and `ifInProgress` was `skip`
 */
export type ResyncOutcome = 'synced' | 'failed' | 'paused' | 'timeout' | 'in-progress';

/** How a resync ended, or that it has not. */
export interface ResyncResult {
  readonly outcome: ResyncOutcome;
  /** As it was seen last; null when nothing was looked at. */
  readonly blocklist: Blocklist | null;
}

interface BlocklistCalls {
  list(params: object, options: CallOptions): Promise<{ blocklists: Blocklist[] }>;
  resync(id: number, options: CallOptions): Promise<unknown>;
}

type Errors = Pick<typeof errors, 'AbortError' | 'ConfigurationError' | 'ConflictError' | 'SvcError'>;

const TIMEOUT_MS = 30 * 60_000;
const POLL_MS = 5_000;

/** @param context.errors handed over, so that this file shares nothing with the core and can be loaded by itself */
export async function resyncAndWait(
  { now, sleep, errors }: CallContext & { readonly errors: Errors },
  blocklists: BlocklistCalls,
  id: number,
  options: ResyncAndWaitOptions,
): Promise<ResyncResult> {
  const { timeoutMs = TIMEOUT_MS, pollMs = POLL_MS, ifInProgress = 'wait', onProgress, ...call } = options;
  // Timers count in 32 bits: a longer wait would be over at once.
  if (!(timeoutMs >= 0 && pollMs > 0 && pollMs < 2 ** 31)) {
    throw new errors.ConfigurationError(
      'timeoutMs must be 0 or more milliseconds, pollMs more than 0 and less than 2^31',
    );
  }
  const endsAt = now() + timeoutMs;
  /** @returns whether it was accepted, and not refused because of what is under way */
  const start = async (): Promise<boolean> => {
    try {
      await blocklists.resync(id, call);
      return true;
    } catch (error) {
      if (error instanceof errors.ConflictError && error.message === RESYNC_IN_PROGRESS) return false;
      throw error;
    }
  };
  let isUnderWay = await start();
  if (!isUnderWay && ifInProgress === 'skip') return { outcome: 'in-progress', blocklist: null };
  for (;;) {
    const answer = await blocklists.list({}, call);
    const blocklist = answer.blocklists.find((list) => list.id === id);
    if (blocklist === undefined) throw new errors.SvcError(`Blocklist ${id} is gone`);
    onProgress?.(blocklist);
    const outcome = outcomeOf(blocklist);
    if (outcome === null) isUnderWay = true;
    else if (isUnderWay || outcome === 'paused') return { outcome, blocklist };
    // What was in the way is no resync, such as the fetch of a top-up, or is over: its end says nothing of one.
    else isUnderWay = await start();
    const restMs = endsAt - now();
    if (restMs <= 0) return { outcome: 'timeout', blocklist };
    await sleep(Math.min(pollMs, restMs), call.signal).catch((cause: unknown) => {
      throw new errors.AbortError('The wait was aborted', { cause });
    });
  }
}

/** Null while it is at work. A top-up (SYNCING_NEW_CONTACTS) comes after the resync itself has ended. */
function outcomeOf({ status, isEnabled, lastError }: Blocklist): ResyncOutcome | null {
  if (!isEnabled) return 'paused';
  if (status === 'FETCHING' || status === 'SYNCING') return null;
  return lastError === null ? 'synced' : 'failed';
}
