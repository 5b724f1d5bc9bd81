import type { Answer } from '../http/answer.ts';
import { rateLimited } from './answer.ts';

export interface SimulatedRateLimit {
  /** Requests in any interval of this length: HubSpot's window is a rolling one. */
  max: number;
  intervalMs: number;
  /** Requests until `reset()`; absent for no daily limit. */
  daily?: number;
  /** Searches in any second; absent for no limit of their own. */
  searchesPerSecond?: number;
  /** Also sends `Retry-After` with a refusal, in seconds. */
  retryAfterSeconds?: number;
}

/** Without a limit, answers say that there is plenty: callers that pace themselves would keep HubSpot's limits otherwise. */
const UNLIMITED = {
  'X-HubSpot-RateLimit-Daily': '1000000000',
  'X-HubSpot-RateLimit-Daily-Remaining': '1000000000',
  'X-HubSpot-RateLimit-Interval-Milliseconds': '10000',
  'X-HubSpot-RateLimit-Max': '1000000',
  'X-HubSpot-RateLimit-Remaining': '1000000',
};

/** Counts requests of the whole portal and refuses those over a limit. */
export class HubspotLimiter {
  #limit: SimulatedRateLimit | null = null;
  #requests = new RollingWindow(0);
  #searches = new RollingWindow(1_000);
  #usedToday = 0;
  readonly #tellsSearches: boolean;

  /** @param tellsSearches whether the answers of searches say what is left, too */
  constructor(tellsSearches = false) {
    this.#tellsSearches = tellsSearches;
  }

  set(limit: SimulatedRateLimit | null): void {
    this.#limit = limit;
    this.#requests = new RollingWindow(limit?.intervalMs ?? 0);
    this.#searches = new RollingWindow(1_000);
    this.#usedToday = 0;
  }

  /** Counts one request; returns the headers of its answer, and the refusal if it is over a limit. */
  count(now: Date, isSearch: boolean): { headers: Record<string, string>; refusal: Answer | null } {
    const limit = this.#limit;
    if (limit === null) return { headers: isSearch && !this.#tellsSearches ? {} : UNLIMITED, refusal: null };
    const nowMs = now.getTime();
    const isOverSearches = isSearch && this.#searches.count(nowMs) >= (limit.searchesPerSecond ?? Infinity);
    const isOver = this.#requests.count(nowMs) >= limit.max;
    const daily = limit.daily ?? 1_000_000;
    this.#usedToday += 1;
    if (!isOver && !isOverSearches && this.#usedToday <= daily) {
      this.#requests.add(nowMs);
      if (isSearch) this.#searches.add(nowMs);
    }
    // The answers of searches do not say what is left.
    const headers: Record<string, string> = isSearch
      ? {}
      : {
          'X-HubSpot-RateLimit-Daily': String(daily),
          'X-HubSpot-RateLimit-Daily-Remaining': String(Math.max(0, daily - this.#usedToday)),
          'X-HubSpot-RateLimit-Interval-Milliseconds': String(limit.intervalMs),
          'X-HubSpot-RateLimit-Max': String(limit.max),
          'X-HubSpot-RateLimit-Remaining': String(limit.max - this.#requests.count(nowMs)),
        };
    const sent =
      limit.retryAfterSeconds === undefined ? headers : { ...headers, 'Retry-After': String(limit.retryAfterSeconds) };
    if (this.#usedToday > daily) return { headers, refusal: rateLimited('DAILY', sent) };
    if (isOver) return { headers, refusal: rateLimited('TEN_SECONDLY_ROLLING', sent) };
    return { headers, refusal: isOverSearches ? rateLimited('SECONDLY', sent) : null };
  }
}

/** The times of the accepted requests of the last interval, oldest first. */
class RollingWindow {
  readonly #lengthMs: number;
  #times: number[] = [];

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  count(nowMs: number): number {
    const first = this.#times.findIndex((time) => nowMs - time < this.#lengthMs);
    if (first !== 0) this.#times = first < 0 ? [] : this.#times.slice(first);
    return this.#times.length;
  }

  add(nowMs: number): void {
    this.#times.push(nowMs);
  }
}
