/**
 * The 429 of every operation (`domain/src/requests/rate-limit.ts`): general requests are limited per IP before the key
 * is checked and per account after it; outreach look-ups have their own buckets. The counts are in the database.
 * Refused buckets are cached here until their window ends, so that a flood causes no database statements.
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { ApiError } from '@svc/domain/errors/errors';
import {
  type LimitedBucket,
  RATE_LIMITS,
  rateLimitHeaders,
  rateWindowKey,
  secondsToEnd,
} from '@svc/domain/requests/rate-limit';
import type { RateLimiter } from '@svc/engine/context';
import type { Clock } from '@svc/engine/runtime/clock';
import type { Metrics } from '@svc/engine/runtime/metrics';
import type { Database } from '@svc/engine/store/database/db';
import { takeFromWindow } from '@svc/engine/store/rate-windows';

/** Number of refused buckets in the cache; beyond it the oldest are looked up again. */
const CLOSED_MAX = 20_000;

export function createRateLimiter(deps: { db: Database; clock: Clock; metrics: Metrics }): RateLimiter {
  const { db, clock, metrics } = deps;
  const closedUntilMs = new Map<string, number>();

  async function decide(
    bucket: LimitedBucket,
    key: string,
    now: Date,
  ): Promise<{ allowed: boolean; remaining: number; endsMs: number }> {
    const closed = closedUntilMs.get(key);
    if (closed !== undefined && closed > now.getTime()) return { allowed: false, remaining: 0, endsMs: closed };
    const { limit, windowMs } = RATE_LIMITS[bucket];
    const { allowed, startedAt, count } = await takeFromWindow(db, key, { limit, windowMs, now });
    const endsMs = startedAt.getTime() + windowMs;
    if (allowed) closedUntilMs.delete(key);
    else cacheRefusal(key, endsMs);
    return { allowed, remaining: limit - count, endsMs };
  }

  function cacheRefusal(key: string, endsMs: number): void {
    const [oldest] = closedUntilMs.keys();
    if (closedUntilMs.size >= CLOSED_MAX && oldest !== undefined) closedUntilMs.delete(oldest);
    closedUntilMs.set(key, endsMs);
  }

  return {
    async take(response, bucket, owner) {
      if (bucket === 'none') return;
      const now = clock.now();
      const { allowed, remaining, endsMs } = await decide(bucket, rateWindowKey(bucket, owner), now);
      const resetSeconds = secondsToEnd(endsMs, now);
      const headers = rateLimitHeaders(bucket, { remaining, resetSeconds });
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (allowed) return;
      metrics.rateLimitRefusals.inc({ bucket, owner: 'ip' in owner ? 'ip' : 'account' });
      throw new ApiError(429, OWN_MESSAGES.tooManyRequests, { retryAfterSeconds: resetSeconds });
    },
  };
}

/** Used with `SVC_RATE_LIMIT=off`. */
export const unlimited: RateLimiter = { take: async () => {} };
