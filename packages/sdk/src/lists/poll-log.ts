/** One request a second on average, at most, so that half of the rate limit stays free for other calls. */
const MS_PER_REQUEST = 1000;
/** Longest delay between two polls while the service does not answer. */
const MAX_DELAY_MS = 60_000;

export interface PollResult<Row> {
  readonly rows: readonly Row[];
  /** Number of requests that the poll took. */
  readonly requests: number;
}

export interface PollOptions<Row> {
  /** Returns new rows, oldest first. A failed poll loses none: the next one returns them. */
  readonly poll: () => Promise<PollResult<Row>>;
  readonly intervalMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Whether a failure may be temporary. */
  readonly isTemporary: (error: unknown) => boolean;
  /** Called after each successful poll, before its rows are yielded. */
  readonly onLook?: (() => void) | undefined;
  /** Called after a failed poll, with the milliseconds until the next one. */
  readonly onTrouble?: ((error: unknown, delayMs: number) => void) | undefined;
  /** Called after the first successful poll that follows a failed one. */
  readonly onRecovery?: (() => void) | undefined;
}

/**
 * Polls a log until the caller stops reading, and yields the new rows of each poll. The delay between polls is the interval, or
 * longer when polls take several requests. It doubles with each failure, up to a minute.
 *
 * @throws the error of the first poll; later only errors that are not temporary
 */
export async function* pollLog<Row>(options: PollOptions<Row>): AsyncGenerator<readonly Row[], never, undefined> {
  let failures = 0;
  for (let isFirst = true; ; isFirst = false) {
    let delayMs = options.intervalMs;
    let rows: readonly Row[] = [];
    try {
      const found = await options.poll();
      rows = found.rows;
      delayMs = Math.max(options.intervalMs, found.requests * MS_PER_REQUEST);
      if (failures > 0) options.onRecovery?.();
      failures = 0;
      options.onLook?.();
    } catch (error) {
      if (isFirst || !options.isTemporary(error)) throw error;
      delayMs = Math.max(options.intervalMs, Math.min(MAX_DELAY_MS, options.intervalMs * 2 ** failures));
      failures += 1;
      options.onTrouble?.(error, delayMs);
    }
    if (rows.length > 0) yield rows;
    await options.sleep(delayMs);
  }
}
