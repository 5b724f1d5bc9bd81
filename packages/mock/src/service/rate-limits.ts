/** Rate limits of a world: the domain's fixed windows, kept in the world's state. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import type { RateBucket } from '@svc/contract/operations';
import { ApiError } from '@svc/domain/errors/errors';
import {
  RATE_LIMITS,
  rateLimitHeaders,
  type RateOwner,
  rateWindowKey,
  takeFromWindow,
  type WindowState,
} from '@svc/domain/requests/rate-limit';
import { update, type World } from '../state/world.ts';

/** Above this number, ended windows are dropped first, then the least recently used. */
const WINDOWS_MAX = 1_000;

/**
 * Counts a request and adds the rate limit headers to `headers`. Does nothing while limits are off.
 *
 * @throws ApiError 429 with the seconds until the window ends
 */
export function spendRequest(
  world: World,
  bucket: RateBucket,
  owner: RateOwner,
  { now, headers }: { readonly now: Date; readonly headers: Record<string, string> },
): void {
  if (bucket === 'none' || world.state.settings.rateLimit === 'off') return;
  const { rateWindows, settings } = world.state;
  const key = rateWindowKey(bucket, owner);
  const isFirst = !rateWindows.has(key);
  const { limit } = RATE_LIMITS[bucket];
  const spent = isFirst && settings.limitsBeginSpent && 'accountId' in owner ? { startedAt: now, count: limit } : null;
  const decision = takeFromWindow(rateWindows.get(key) ?? spent, { ...RATE_LIMITS[bucket], now });
  Object.assign(headers, rateLimitHeaders(bucket, decision));
  const { allowed, retryAfterSeconds } = decision;
  // A refused request is not counted, but it may start a window.
  if (allowed || isFirst) update(world, { rateWindows: keepWindow(rateWindows, key, decision.state, now) });
  if (!allowed) throw new ApiError(429, OWN_MESSAGES.tooManyRequests, { retryAfterSeconds: retryAfterSeconds ?? 1 });
}

function keepWindow(
  windows: ReadonlyMap<string, WindowState>,
  key: string,
  state: WindowState,
  now: Date,
): ReadonlyMap<string, WindowState> {
  const kept = new Map(windows);
  // Moved to the end, so that the map is ordered by last use.
  kept.delete(key);
  kept.set(key, state);
  if (kept.size <= WINDOWS_MAX) return kept;
  for (const [other, { startedAt }] of kept) {
    if (startedAt.getTime() + LONGEST_WINDOW_MS <= now.getTime()) kept.delete(other);
  }
  for (const other of kept.keys()) {
    if (kept.size <= WINDOWS_MAX) break;
    kept.delete(other);
  }
  return kept;
}

const LONGEST_WINDOW_MS = Math.max(...Object.values(RATE_LIMITS).map(({ windowMs }) => windowMs));
