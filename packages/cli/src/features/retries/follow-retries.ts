import type { Client, Sync } from '@svc/sdk';
import { toEventKey } from '@svc/domain/values/event-key';
import { toErrorReport } from '../../command/map-error.ts';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { setInterruptHint } from '../../terminal/interrupts.ts';
import { formatCount, type Progress } from '../../terminal/progress.ts';
import { renderProgress } from '../../terminal/progress-bar.ts';
import { printNotice } from '../../terminal/stderr.ts';

/** A failed sync whose retry is queued, and the sync that the retry became; null until there is one. */
export interface FollowedRetry {
  readonly sync: Sync;
  readonly became: Sync | null;
}

export interface RetryWait {
  /** The longest wait after the last retry was queued. */
  readonly timeoutMs: number;
  readonly pollMs: number;
}

export interface FollowOutput {
  readonly progress: Progress;
  readonly isJson: boolean;
}

/**
 * Queues retries, then follows the log until each has become a sync or the time is over.
 *
 * @param retry queues the retries, and reports the failed sync of each
 * @throws what `retry` throws; any error of the first poll, also the timeout (exit 11); later only errors that are not temporary
 */
export async function followRetries<Result>(
  client: Client,
  retry: (onQueued: (sync: Sync) => void) => Promise<Result>,
  { timeoutMs, pollMs }: RetryWait,
  { progress, isJson }: FollowOutput,
): Promise<{ result: Result; followed: readonly FollowedRetry[] }> {
  const stop = new AbortController();
  const limit = () => setTimeout(() => stop.abort(), timeoutMs);
  let timer = limit();
  try {
    const firstPoll = Promise.withResolvers<void>();
    const log = client.syncs.tail(
      {
        intervalMs: pollMs,
        onLook: () => firstPoll.resolve(),
        onTrouble(error) {
          if (!isJson) printNotice(`Still waiting: ${toErrorReport(error).message}`);
        },
      },
      { signal: stop.signal },
    );
    // The log is read before the first retry, so that it yields only what comes after.
    let next = log.next();
    next.catch(() => {});
    await Promise.race([firstPoll.promise, next]).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
      throw new CliError('timeout', EXIT_CODES.waitTimedOut, 'The timeout was reached before a retry was queued');
    });
    clearTimeout(timer);
    const failed: Sync[] = [];
    const result = await retry((sync) => failed.push(sync));
    timer = limit();
    setInterruptHint('Queued retries continue. `svc syncs list` shows the new syncs.');
    const became = new Map<string, Sync | null>(failed.map((sync) => [toEventKey(sync), null]));
    while (!showProgress(became, progress)) {
      const found = await next.catch((error: unknown) => {
        if (stop.signal.aborted) return null;
        throw error;
      });
      if (found === null || found.done === true) break;
      const key = toEventKey(found.value);
      if (became.get(key) === null) became.set(key, found.value);
      next = log.next();
      next.catch(() => {});
    }
    return { result, followed: failed.map((sync) => ({ sync, became: became.get(toEventKey(sync)) ?? null })) };
  } finally {
    clearTimeout(timer);
    setInterruptHint(null);
    stop.abort();
  }
}

/** Returns whether every retry has become a sync. */
function showProgress(became: ReadonlyMap<string, Sync | null>, progress: Progress): boolean {
  const done = [...became.values()].filter((sync) => sync !== null);
  const failedAgain = done.filter(({ status }) => status === 'error').length;
  const parts = [
    { text: `${formatCount(done.length)} of ${formatCount(became.size)} retries have a result` },
    ...(failedAgain === 0 ? [] : [{ text: `${formatCount(failedAgain)} failed again` }]),
    { text: 'Ctrl-C stops waiting', dropOrder: 1 },
  ];
  const share = became.size === 0 ? null : done.length / became.size;
  progress.show((columns) => renderProgress(share, parts, columns));
  return done.length === became.size;
}
