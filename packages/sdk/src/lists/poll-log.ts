/** Nothing asks for more than one request a second on average: half of the rate limit stays free for others. */
const MS_PER_REQUEST = 1000;
/** Between two attempts while the service does not answer, at most. */
const MAX_DELAY_MS = 60_000;

export interface Look<Row> {
  readonly rows: readonly Row[];
  /** How many requests it took. */
  readonly requests: number;
}

export interface Tail<Row> {
  /** What is new, oldest first. A look that fails has taken nothing away from the next. */
  readonly look: () => Promise<Look<Row>>;
  readonly intervalMs: number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Whether a failure may pass by itself. */
  readonly mayPass: (error: unknown) => boolean;
  /** A look went well; what it found is handed out next. */
  readonly onLook?: (() => void) | undefined;
  /** A look failed, and the next one is made after so long. */
  readonly onTrouble?: ((error: unknown, delayMs: number) => void) | undefined;
  readonly onRecovery?: (() => void) | undefined;
}

/**
 * Looks at a log again and again, for as long as somebody reads, and yields what each look has found. The time between two looks is
 * the interval, or longer where looks take several requests; after failures it doubles, up to a minute.
 *
 * @throws what the first look fails with, later what will not pass
 */
export async function* tailLog<Row>(tail: Tail<Row>): AsyncGenerator<readonly Row[], never, undefined> {
  let failures = 0;
  for (let isFirst = true; ; isFirst = false) {
    let delayMs = tail.intervalMs;
    let rows: readonly Row[] = [];
    try {
      const found = await tail.look();
      rows = found.rows;
      delayMs = Math.max(tail.intervalMs, found.requests * MS_PER_REQUEST);
      if (failures > 0) tail.onRecovery?.();
      failures = 0;
      tail.onLook?.();
    } catch (error) {
      if (isFirst || !tail.mayPass(error)) throw error;
      delayMs = Math.max(tail.intervalMs, Math.min(MAX_DELAY_MS, tail.intervalMs * 2 ** failures));
      failures += 1;
      tail.onTrouble?.(error, delayMs);
    }
    if (rows.length > 0) yield rows;
    await tail.sleep(delayMs);
  }
}
