import { OUTREACH_REQUESTS_PER_WINDOW, RATE_WINDOW_SECONDS } from '@svc/contract/limits';

/** Concurrent requests: enough to use the whole rate limit when each answer takes 0.8 s. */
export const CONCURRENCY = 8;

const WINDOW_MS = RATE_WINDOW_SECONDS * 1000;

export interface ConcurrencyLimit {
  /** Runs the task when the limit allows it. Tasks start in the order of the calls. */
  run<Result>(task: () => Promise<Result>): Promise<Result>;
}

/**
 * Creates a limit of eight concurrent requests. Requests run one at a time while the next one may be refused:
 *
 * 1. Until the first answer, because the key may be wrong.
 * 2. Near the end of a rate-limit window, until it is known that the service has no limit. If it has one, only one request gets a
 *    429; after that the SDK counts by itself.
 */
export function createConcurrencyLimit(now: () => number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let busy = 0;
  let answered = 0;
  let windowEndsAt = Number.NEGATIVE_INFINITY;
  let isUnlimited = false;

  function limitNow(): number {
    if (isUnlimited) return CONCURRENCY;
    if (answered === 0) return 1;
    return answered + busy + CONCURRENCY > OUTREACH_REQUESTS_PER_WINDOW ? 1 : CONCURRENCY;
  }
  function start(): void {
    while (busy < limitNow()) {
      const next = waiting.shift();
      if (next === undefined) return;
      busy += 1;
      next();
    }
  }
  function recordAnswer(): void {
    const nowMs = now();
    if (nowMs >= windowEndsAt) {
      windowEndsAt = nowMs + WINDOW_MS;
      answered = 0;
    }
    answered += 1;
    if (answered > OUTREACH_REQUESTS_PER_WINDOW) isUnlimited = true;
  }
  return {
    async run(task) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        start();
      });
      try {
        return await task();
      } finally {
        busy -= 1;
        recordAnswer();
        start();
      }
    },
  };
}
