import { OUTREACH_REQUESTS_PER_WINDOW, RATE_WINDOW_SECONDS } from '@svc/contract/limits';

/** Requests at the same time: with answers that take 0.8 s, still as many as the limit lets through. */
export const CONCURRENCY = 8;

const WINDOW_MS = RATE_WINDOW_SECONDS * 1000;

export interface ConcurrencyLimit {
  /** Runs it as soon as it may be; in the order of the calls. */
  run<Result>(task: () => Promise<Result>): Promise<Result>;
}

/**
 * Up to eight concurrent requests, but only one at a time when the next one may be refused:
 *
 * 1. The first of all: its key may be wrong.
 * 2. Those at the end of what a window lets through, until it is known that there is no limit. Where there is one, a single 429 tells
 *    of it, instead of one for each request; from then on the SDK counts by itself and nothing is refused.
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
  function noteAnswer(): void {
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
        noteAnswer();
        start();
      }
    },
  };
}
