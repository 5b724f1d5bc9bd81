/**
 * Specification, "Limits": general requests per IP before the key is looked at and per account after it, outreach look-ups
 * in buckets of their own. The counts live in the database; what is refused is remembered here until its window ends, so
 * that a flood costs the database nothing.
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { LIMITS } from '@svc/contract/limits';
import type { RateBucket } from '@svc/contract/operations';
import { ApiError } from '@svc/domain/errors';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../clock.ts';
import type { Database } from '../store/db.ts';
import { takeFromWindow } from '../store/rate-windows.ts';

export interface RateLimiter {
  /**
   * Counts a request and tells the answer's headers what is left.
   *
   * @throws ApiError 429 with the seconds until the window ends
   */
  take(response: AnswerHeaders, bucket: RateBucket, owner: RateOwner): Promise<void>;
}

/** The part of an answer that is written here. */
export interface AnswerHeaders {
  setHeader(name: string, value: string): unknown;
}

export type RateOwner = { readonly ip: string } | { readonly accountId: number };

const WINDOW_MS = LIMITS.rateWindowSeconds * 1_000;
const REQUESTS_PER_WINDOW = {
  general: LIMITS.generalRequestsPerWindow,
  outreach: LIMITS.outreachRequestsPerWindow,
} as const;
/** Refused buckets that are remembered; beyond that the oldest are asked for again. */
const CLOSED_MAX = 20_000;

export function createRateLimiter(deps: { db: Database; clock: Clock }): RateLimiter {
  const { db, clock } = deps;
  const closedUntilMs = new Map<string, number>();

  async function decide(
    key: string,
    limit: number,
    now: Date,
  ): Promise<{ allowed: boolean; left: number; endsMs: number }> {
    const closed = closedUntilMs.get(key);
    if (closed !== undefined && closed > now.getTime()) return { allowed: false, left: 0, endsMs: closed };
    const { allowed, startedAt, count } = await takeFromWindow(db, key, { limit, windowMs: WINDOW_MS, now });
    const endsMs = startedAt.getTime() + WINDOW_MS;
    if (allowed) closedUntilMs.delete(key);
    else remember(key, endsMs);
    return { allowed, left: limit - count, endsMs };
  }

  function remember(key: string, endsMs: number): void {
    const [oldest] = closedUntilMs.keys();
    if (closedUntilMs.size >= CLOSED_MAX && oldest !== undefined) closedUntilMs.delete(oldest);
    closedUntilMs.set(key, endsMs);
  }

  return {
    async take(response, bucket, owner) {
      if (bucket === 'none') return;
      const limit = REQUESTS_PER_WINDOW[bucket];
      const now = clock.now();
      const key = 'ip' in owner ? `${bucket}:ip:${toClientNetwork(owner.ip)}` : `${bucket}:account:${owner.accountId}`;
      const { allowed, left, endsMs } = await decide(key, limit, now);
      const resetSeconds = Math.max(1, Math.ceil((endsMs - now.getTime()) / 1_000));
      response.setHeader('RateLimit-Policy', `"${bucket}";q=${limit};w=${LIMITS.rateWindowSeconds}`);
      response.setHeader('RateLimit', `"${bucket}";r=${left};t=${resetSeconds}`);
      if (!allowed) throw new ApiError(429, OWN_MESSAGES.tooManyRequests, { retryAfterSeconds: resetSeconds });
    },
  };
}

/** No limits: `SVC_RATE_LIMIT=off`. */
export const unlimited: RateLimiter = { take: async () => {} };

/** Who an address is: itself for IPv4 (also when mapped into IPv6), its /64 for IPv6, of which every host has one. */
export function toClientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
