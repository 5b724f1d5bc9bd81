import type { Answer } from '../http/answer.ts';
import { rateLimited } from './answer.ts';

export interface SimulatedRateLimit {
  /** Requests per interval. */
  max: number;
  intervalMs: number;
  /** Requests until `reset()`; absent for no daily limit. */
  daily?: number;
  /** Also sends `Retry-After` with a refusal, in seconds. */
  retryAfterSeconds?: number;
}

/** Counts requests of the whole portal and refuses those over a limit. */
export class HubspotLimiter {
  #limit: SimulatedRateLimit | null = null;
  #windowStart = 0;
  #used = 0;
  #usedToday = 0;

  set(limit: SimulatedRateLimit | null): void {
    this.#limit = limit;
    this.#windowStart = 0;
    this.#used = 0;
    this.#usedToday = 0;
  }

  /** Counts one request; returns the headers of its answer, and the refusal if it is over a limit. */
  count(now: Date): { headers: Record<string, string>; refusal: Answer | null } {
    const limit = this.#limit;
    if (limit === null) return { headers: {}, refusal: null };
    if (now.getTime() - this.#windowStart >= limit.intervalMs) {
      this.#windowStart = now.getTime();
      this.#used = 0;
    }
    this.#used += 1;
    this.#usedToday += 1;
    const daily = limit.daily ?? 1_000_000;
    const headers = {
      'X-HubSpot-RateLimit-Daily': String(daily),
      'X-HubSpot-RateLimit-Daily-Remaining': String(Math.max(0, daily - this.#usedToday)),
      'X-HubSpot-RateLimit-Interval-Milliseconds': String(limit.intervalMs),
      'X-HubSpot-RateLimit-Max': String(limit.max),
      'X-HubSpot-RateLimit-Remaining': String(Math.max(0, limit.max - this.#used)),
    };
    const retryAfter = limit.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(limit.retryAfterSeconds) };
    if (this.#usedToday > daily) return { headers, refusal: rateLimited('DAILY', { ...headers, ...retryAfter }) };
    if (this.#used > limit.max) {
      return { headers, refusal: rateLimited('TEN_SECONDLY_ROLLING', { ...headers, ...retryAfter }) };
    }
    return { headers, refusal: null };
  }
}
