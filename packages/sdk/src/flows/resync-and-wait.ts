/** Resyncs a block list and polls it until it has ended. */
import { RESYNC_IN_PROGRESS } from '@svc/contract/error-messages';
import type { Blocklist } from '@svc/contract/types';
import type { CallContext } from '../calls/call.ts';
import type * as errors from '../errors/errors.ts';
import type { CallOptions } from '../http/send-with-retries.ts';

/** Options of `blocklists.resyncAndWait`. */
export interface ResyncAndWaitOptions extends Omit<CallOptions, 'timeoutMs'> {
  /**
   * How long to wait for the end, in milliseconds from the call on. Default 1,800,000 (30 minutes). Single requests have the
   * client's own timeout.
   */
  timeoutMs?: number | undefined;
  /** Milliseconds between two polls. Each poll spends one request of the rate limit. Default 5,000. */
  pollMs?: number | undefined;
  /**
   * What to do when the list is being resynced already: `wait` for the end of that resync (default), or `skip`, which returns the
   * outcome `in-progress` at once.
   */
  ifInProgress?: 'wait' | 'skip' | undefined;
  /** Called after each poll. */
  onProgress?: ((blocklist: Blocklist) => void) | undefined;
}

/**
 * How `blocklists.resyncAndWait` ended.
 *
 * - `synced`: everything was fetched and pushed
 * - `failed`: the resync ended with the error in `blocklist.lastError`
 * - `paused`: somebody paused the list
 * - `timeout`: the resync was still running after `timeoutMs`, and continues
 * - `in-progress`: another resync was running and `ifInProgress` was `skip`
 */
export type ResyncOutcome = 'synced' | 'failed' | 'paused' | 'timeout' | 'in-progress';

/** Result of `blocklists.resyncAndWait`. */
export interface ResyncResult {
  readonly outcome: ResyncOutcome;
  /** The list as of the last poll; null when there was no poll. */
  readonly blocklist: Blocklist | null;
}

interface BlocklistCalls {
  list(params: object, options: CallOptions): Promise<{ blocklists: Blocklist[] }>;
  resync(id: number, options: CallOptions): Promise<unknown>;
}

type Errors = Pick<typeof errors, 'AbortError' | 'ConfigurationError' | 'ConflictError' | 'SvcError'>;

const TIMEOUT_MS = 30 * 60_000;
const POLL_MS = 5_000;

/** @param context.errors passed in, so that this file imports nothing of the core and can be loaded on demand */
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
  /** Returns false when another resync is running. */
  const start = async (): Promise<boolean> => {
    try {
      await blocklists.resync(id, call);
      return true;
    } catch (error) {
      if (error instanceof errors.ConflictError && error.message === RESYNC_IN_PROGRESS) return false;
      throw error;
    }
  };
  let isRunning = await start();
  if (!isRunning && ifInProgress === 'skip') return { outcome: 'in-progress', blocklist: null };
  for (;;) {
    const answer = await blocklists.list({}, call);
    const blocklist = answer.blocklists.find((list) => list.id === id);
    if (blocklist === undefined) throw new errors.SvcError(`Blocklist ${id} is gone`);
    onProgress?.(blocklist);
    const outcome = outcomeOf(blocklist);
    if (outcome === null) isRunning = true;
    else if (isRunning || outcome === 'paused') return { outcome, blocklist };
    // Something other than a resync was running, such as a top-up, or it has ended meanwhile: try again.
    else isRunning = await start();
    const restMs = endsAt - now();
    if (restMs <= 0) return { outcome: 'timeout', blocklist };
    await sleep(Math.min(pollMs, restMs), call.signal).catch((cause: unknown) => {
      throw new errors.AbortError('The wait was aborted', { cause });
    });
  }
}

/** Returns null while the resync is running. A top-up (SYNCING_NEW_CONTACTS) comes after its end. */
function outcomeOf({ status, isEnabled, lastError }: Blocklist): ResyncOutcome | null {
  if (!isEnabled) return 'paused';
  if (status === 'FETCHING' || status === 'SYNCING') return null;
  return lastError === null ? 'synced' : 'failed';
}
