import { GENERAL_REQUESTS_PER_WINDOW, OBSERVABILITY_PAGE_MAX, RATE_WINDOW_SECONDS } from '@svc/contract/limits';

const WINDOW_MS = RATE_WINDOW_SECONDS * 1000;

/** What a limit lets through. */
export interface PaceLimit {
  readonly rowsPerRequest: number;
  readonly requestsPerWindow: number;
}

const PAGES: PaceLimit = { rowsPerRequest: OBSERVABILITY_PAGE_MAX, requestsPerWindow: GENERAL_REQUESTS_PER_WINDOW };

/** How fast an export goes, and when it will be there. The clock is an argument. */
export interface Pace {
  /** Rows have come. */
  add(rows: number, nowMs: number): void;
  /** Nothing is asked for so long. */
  wait(waitMs: number, nowMs: number): void;
  /** Rows a second while it was not waiting; null while that is not known. */
  rate(nowMs: number): number | null;
  /** Milliseconds until the wait is over; 0 when there is none. */
  waitLeft(nowMs: number): number;
  /** Milliseconds until so many more rows are there; null while that is not known. */
  timeLeft(rows: number, nowMs: number): number | null;
}

/**
 * Until the first wait nobody knows whether the service has its limit on. From then on the rest takes its windows: 120 pages each,
 * and a minute at least for all of them but the last.
 *
 * @param limit by default that of pages
 */
export function createPace(startMs: number, { rowsPerRequest, requestsPerWindow }: PaceLimit = PAGES): Pace {
  let rows = 0;
  let waitedMs = 0;
  let waitEndsAt = Number.NEGATIVE_INFINITY;
  let isLimited = false;

  const waitLeft = (nowMs: number) => Math.max(0, waitEndsAt - nowMs);
  /** Of an export that is under way for a moment only, nothing can be said. */
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
      // Several calls may wait for the same moment.
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
