import { GENERAL_REQUESTS_PER_WINDOW, OBSERVABILITY_PAGE_MAX, RATE_WINDOW_SECONDS } from '@svc/contract/limits';

const WINDOW_MS = RATE_WINDOW_SECONDS * 1000;

/** A rate limit. */
export interface PaceLimit {
  readonly rowsPerRequest: number;
  readonly requestsPerWindow: number;
}

const PAGES: PaceLimit = { rowsPerRequest: OBSERVABILITY_PAGE_MAX, requestsPerWindow: GENERAL_REQUESTS_PER_WINDOW };

/** Estimates the rate and remaining time of an export. */
export interface Pace {
  /** Records fetched rows. */
  add(rows: number, nowMs: number): void;
  /** Records a wait. */
  wait(waitMs: number, nowMs: number): void;
  /** Returns rows per second without waits; null if unknown. */
  rate(nowMs: number): number | null;
  /** Returns the remaining wait in milliseconds. */
  waitLeft(nowMs: number): number;
  /** Returns the milliseconds that so many more rows will take; null if unknown. */
  timeLeft(rows: number, nowMs: number): number | null;
}

/**
 * Creates an estimate. The first wait shows that the service limits requests. Then the remaining time is counted in
 * windows of 120 pages, each at least a minute except the last.
 *
 * @param limit default: the limit of pages
 */
export function createPace(startMs: number, { rowsPerRequest, requestsPerWindow }: PaceLimit = PAGES): Pace {
  let rows = 0;
  let waitedMs = 0;
  let waitEndsAt = Number.NEGATIVE_INFINITY;
  let isLimited = false;

  const waitLeft = (nowMs: number) => Math.max(0, waitEndsAt - nowMs);
  /** Null in the first 200 ms. */
  function rate(nowMs: number): number | null {
    const activeMs = nowMs - startMs - (waitedMs - waitLeft(nowMs));
    return rows > 0 && activeMs >= 200 ? (rows / activeMs) * 1000 : null;
  }
  return {
    add(count) {
      rows += count;
    },
    wait(waitMs, nowMs) {
      isLimited = true;
      // Waits of several calls may overlap.
      const end = nowMs + waitMs;
      waitedMs += Math.max(0, end - Math.max(nowMs, waitEndsAt));
      waitEndsAt = Math.max(waitEndsAt, end);
    },
    rate,
    waitLeft,
    timeLeft(rowsLeft, nowMs) {
      const perSecond = rate(nowMs);
      if (perSecond === null) return null;
      const workMs = (rowsLeft / perSecond) * 1000;
      if (!isLimited) return workMs;
      const requests = Math.ceil(rowsLeft / rowsPerRequest);
      const fullWindows = Math.max(0, Math.ceil(requests / requestsPerWindow) - 1);
      const lastWindow = (requests - fullWindows * requestsPerWindow) / Math.max(1, requests);
      const windowWorkMs = requests === 0 ? 0 : (workMs / requests) * requestsPerWindow;
      return waitLeft(nowMs) + fullWindows * Math.max(WINDOW_MS, windowWorkMs) + workMs * lastWindow;
    },
  };
}
