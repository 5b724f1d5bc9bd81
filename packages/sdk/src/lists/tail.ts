/** Follows a growing log: each poll reads the newest minute again, and each row is yielded once. */
import type { CallContext } from '../calls/call.ts';
import type * as errors from '../errors/errors.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import { createNewRows } from './new-rows.ts';
import type { List } from './paginate.ts';
import { pollLog } from './poll-log.ts';
import type { parseInstantMs, WindowRow } from './windows.ts';

/** Options of all tails, beside the filters of their lists. */
export interface TailParams {
  /**
   * Start, by the service's clock: ISO-8601 with offset, or a date (midnight UTC). Default: only rows that come after the first poll.
   * Existing rows are all read into memory before the first one is yielded: use `list` for long ranges.
   */
  since?: string | Date | undefined;
  /** Milliseconds between two polls. Each spends one request of the rate limit, or more when many rows are new. Default 5,000. */
  intervalMs?: number | undefined;
  /** Called after each successful poll, before its rows are yielded. */
  onLook?: (() => void) | undefined;
  /**
   * Called after a poll that failed temporarily (no connection, a timeout, 408, 429, 5xx), with the milliseconds until the next one.
   * A failure of the first poll ends the tail instead.
   */
  onTrouble?: ((error: errors.SvcError, delayMs: number) => void) | undefined;
  /** Called after the first successful poll that follows a failed one. */
  onRecovery?: (() => void) | undefined;
}

type Errors = Pick<
  typeof errors,
  'AbortError' | 'ApiError' | 'ConfigurationError' | 'NetworkError' | 'SvcError' | 'TimeoutError'
>;

type OpenList<Row> = (
  params: { readonly from: string; readonly to: string },
  options: CallOptions | undefined,
) => List<Row>;

const INTERVAL_MS = 5_000;
const DAY_MS = 24 * 60 * 60_000;
/** How far the service's clock may be off from ours. Both sides together stay below the 31 days of one request. */
const CLOCK_MARGIN_MS = 14 * DAY_MS;

interface TailTools extends CallContext {
  readonly errors: Errors;
  readonly parseInstantMs: typeof parseInstantMs;
}

/** @param tools passed in, so that this file imports nothing of the core and can be loaded on demand */
export async function* tail<Row extends WindowRow>(
  { now, sleep, errors, parseInstantMs }: TailTools,
  list: OpenList<Row>,
  params: TailParams,
  options: CallOptions | undefined,
): AsyncGenerator<Row, void, undefined> {
  const { since, intervalMs = INTERVAL_MS, onLook, onTrouble, onRecovery, ...filters } = params;
  const sinceMs = since === undefined ? null : since instanceof Date ? since.getTime() : parseInstantMs(since);
  // Timers count in 32 bits: a longer wait would be over at once.
  if (Number.isNaN(sinceMs) || !(intervalMs > 0 && intervalMs < 2 ** 31)) {
    throw new errors.ConfigurationError(
      'since must be a valid Date or ISO-8601 text with offset, intervalMs more than 0 and less than 2^31',
    );
  }
  const openPages = (fromMs: number) => list({ ...filters, ...rangeAround(fromMs, now()) }, options).pages();
  const newRows = createNewRows(openPages, sinceMs);
  const polls = pollLog<Row>({
    intervalMs,
    poll: () => newRows.poll(),
    sleep: (ms) =>
      sleep(ms, options?.signal).catch((cause: unknown) => {
        throw new errors.AbortError('The tail was aborted', { cause });
      }),
    isTemporary: (error) => isTemporary(error, errors),
    onLook,
    onTrouble: (error, delayMs) => {
      if (error instanceof errors.SvcError) onTrouble?.(error, delayMs);
    },
    onRecovery,
  });
  for await (const rows of polls) yield* rows;
}

function isTemporary(error: unknown, { ApiError, NetworkError, TimeoutError }: Errors): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 408 || error.status === 429;
  return error instanceof NetworkError || error instanceof TimeoutError;
}

/** Returns a range that ends in the future, because the service's clock may be ahead. */
function rangeAround(fromMs: number, nowMs: number) {
  const startMs = fromMs === Number.NEGATIVE_INFINITY ? nowMs - CLOCK_MARGIN_MS : fromMs;
  return {
    from: new Date(startMs).toISOString(),
    to: new Date(Math.max(startMs, nowMs) + CLOCK_MARGIN_MS).toISOString(),
  };
}
