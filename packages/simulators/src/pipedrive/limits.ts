import type { Answer } from '../http/answer.ts';
import { cloudflarePage, Refusal } from './answer.ts';

/** Pipedrive's limits: tokens of the day, calls of a token in two seconds, searches in two seconds. */

export interface SimulatedRateLimit {
  /** Calls of one token in a rolling window of two seconds. */
  burst: number;
  /** Tokens of the whole company until `reset()`; absent for no limit. */
  dailyTokens?: number;
  /** Refusals in a row after which Cloudflare answers instead. Default: never. */
  cloudflareAfter?: number;
  /** Leaves out the headers of the daily budget, as a live account does at times. */
  hidesDaily?: boolean;
}

const WINDOW_MS = 2_000;
/** The same on every plan. */
const SEARCHES_MAX = 10;

const COSTS_V2 = { get: 1, list: 10, write: 5, delete: 3, search: 20 } as const;
const COSTS_V1 = { get: 2, list: 20, write: 10, delete: 6, search: 40 } as const;

/** What a call costs in tokens. */
function costOf(method: string, path: string): number {
  const costs = path.startsWith('/api/v2/') ? COSTS_V2 : COSTS_V1;
  if (method === 'DELETE') return costs.delete;
  if (method !== 'GET') return costs.write;
  if (isSearch(path)) return costs.search;
  return /\/(\d+|me)$/.test(path) ? costs.get : costs.list;
}

function isSearch(path: string): boolean {
  return path.endsWith('/search') || path.endsWith('/find');
}

export class PipedriveLimiter {
  /** Tokens spent since the last reset, refused calls included only in `refusals`. */
  spent = 0;
  refusals = 0;
  #limit: SimulatedRateLimit | null = null;
  readonly #calls = new Map<string, number[]>();
  readonly #readFactor: number;
  #refusalsInARow = 0;

  /** @param readFactor by which reads cost more than they should */
  constructor(readFactor: number) {
    this.#readFactor = readFactor;
  }

  set(limit: SimulatedRateLimit | null): void {
    this.#limit = limit;
    this.spent = 0;
    this.refusals = 0;
    this.#calls.clear();
    this.#refusalsInARow = 0;
  }

  /** Counts one call; returns the headers of its answer, and the refusal if it is over a limit. */
  count(
    token: string,
    method: string,
    path: string,
    now: Date,
  ): { headers: Record<string, string>; refusal: Answer | null } {
    const limit = this.#limit;
    const cost = costOf(method, path) * (method === 'GET' ? this.#readFactor : 1);
    if (limit === null) {
      this.spent += cost;
      return { headers: {}, refusal: null };
    }
    const nowMs = now.getTime();
    const calls = this.#window(token, nowMs);
    const searches = isSearch(path) ? this.#window(`${token}/search`, nowMs) : null;
    const isOverDay = limit.dailyTokens !== undefined && this.spent + cost > limit.dailyTokens;
    const isOver = isOverDay || calls.length >= limit.burst || (searches?.length ?? 0) >= SEARCHES_MAX;
    if (!isOver) {
      calls.push(nowMs);
      searches?.push(nowMs);
      this.spent += cost;
      this.#refusalsInARow = 0;
      return { headers: this.#headers(limit, calls, nowMs), refusal: null };
    }
    this.refusals += 1;
    this.#refusalsInARow += 1;
    const headers = this.#headers(limit, calls, nowMs);
    if (limit.cloudflareAfter !== undefined && this.#refusalsInARow > limit.cloudflareAfter) {
      return { headers, refusal: cloudflarePage() };
    }
    const full = searches !== null && searches.length >= SEARCHES_MAX ? searches : calls;
    return {
      headers,
      refusal: rateLimited(
        isOverDay
          ? { ...headers, ...dailyHeaders(limit.dailyTokens ?? 0, 0) }
          : { ...headers, ...windowHeaders(limit.burst, full, nowMs) },
      ),
    };
  }

  #window(key: string, nowMs: number): number[] {
    const calls = (this.#calls.get(key) ?? []).filter((at) => nowMs - at < WINDOW_MS);
    this.#calls.set(key, calls);
    return calls;
  }

  #headers(limit: SimulatedRateLimit, calls: readonly number[], nowMs: number): Record<string, string> {
    const { burst, dailyTokens, hidesDaily } = limit;
    const daily = dailyTokens === undefined || hidesDaily ? {} : dailyHeaders(dailyTokens, dailyTokens - this.spent);
    return { ...windowHeaders(burst, calls, nowMs), ...daily };
  }
}

export function rateLimited(headers: Record<string, string>): Answer {
  const answer = new Refusal(429, 'request over limit').toAnswer();
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

export function dailyHeaders(limit: number, remaining: number): Record<string, string> {
  return {
    'x-daily-ratelimit-token-limit': String(limit),
    'x-daily-ratelimit-token-remaining': String(Math.max(0, remaining)),
  };
}

function windowHeaders(burst: number, calls: readonly number[], nowMs: number): Record<string, string> {
  const oldest = calls[0] ?? nowMs;
  return {
    'x-ratelimit-limit': String(burst),
    'x-ratelimit-remaining': String(Math.max(0, burst - calls.length)),
    'x-ratelimit-reset': String(Math.max(1, Math.ceil((oldest + WINDOW_MS - nowMs) / 1000))),
  };
}
