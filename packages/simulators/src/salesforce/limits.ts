import type { Answer } from '../http/answer.ts';
import { Refusal } from './refusal.ts';

export interface SimulatedOrgLimit {
  /** Calls in 24 hours, of all apps. */
  daily: number;
  /** Calls that others have made already. Default 0. */
  used?: number;
}

const DAILY_DEFAULT = 100_000;

/** Counts the calls of the org and refuses those over its daily limit. */
export class SalesforceLimiter {
  #limit: SimulatedOrgLimit = { daily: DAILY_DEFAULT };
  #used = 0;

  set(limit: SimulatedOrgLimit | null): void {
    this.#limit = limit ?? { daily: DAILY_DEFAULT };
    this.#used = this.#limit.used ?? 0;
  }

  /** Counts one call; returns the headers of its answer, and the refusal when it is over the limit. */
  count(): { headers: Record<string, string>; refusal: Answer | null } {
    const { daily } = this.#limit;
    const isOver = this.#used >= daily;
    if (!isOver) this.#used += 1;
    const headers = { 'Sforce-Limit-Info': `api-usage=${this.#used}/${daily}` };
    return { headers, refusal: isOver ? { ...totalRequestsExceeded().toAnswer(), headers } : null };
  }

  toBody(): unknown {
    const { daily } = this.#limit;
    return { DailyApiRequests: { Max: daily, Remaining: Math.max(0, daily - this.#used) } };
  }
}

export function totalRequestsExceeded(): Refusal {
  return new Refusal(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.');
}

export function concurrentRequestsExceeded(): Refusal {
  return new Refusal(403, 'REQUEST_LIMIT_EXCEEDED', 'ConcurrentRequests (Concurrent API Requests) Limit exceeded.');
}

export function invalidSession(): Refusal {
  return new Refusal(401, 'INVALID_SESSION_ID', 'Session expired or invalid');
}
