/**
 * The fixed window of a bucket, behind the 429 of every operation.
 *
 * The rule: a window starts with the bucket's first request and lasts `windowMs`. It lets `limit` requests pass; more are
 * refused and not counted. The first request at or after its end starts the next window. `Retry-After` is the time to that
 * end in whole seconds, rounded up and at least 1.
 *
 * A request below `/api/v1` counts against its client's address before routing, unknown routes included, and against its
 * account after authentication. Outreach lookups have separate windows for both and do not count in the general ones.
 */
import { LIMITS } from '@svc/contract/limits';
import { operations, type RateBucket } from '@svc/contract/operations';
import ipaddr from 'ipaddr.js';
import { isApiPath } from './answer-headers.ts';

export type LimitedBucket = Exclude<RateBucket, 'none'>;

/** The address or account whose requests a window counts. */
export type RateOwner = { readonly ip: string } | { readonly accountId: number };

const WINDOW_MS = LIMITS.rateWindowSeconds * 1_000;

/** The limit of each bucket, the same for addresses and accounts. */
export const RATE_LIMITS: {
  readonly [Bucket in LimitedBucket]: { readonly limit: number; readonly windowMs: number };
} = {
  general: { limit: LIMITS.generalRequestsPerWindow, windowMs: WINDOW_MS },
  outreach: { limit: LIMITS.outreachRequestsPerWindow, windowMs: WINDOW_MS },
};

/** Operations of the outreach bucket; none of them has path parameters. */
const OUTREACH_PATHS: ReadonlySet<string> = new Set(
  operations.flatMap(({ method, path, rateBucket }) => (rateBucket === 'outreach' ? [`${method} ${path}`] : [])),
);

/**
 * Returns the bucket in which a request counts against its client's address.
 * @param path path of the request, without its query
 */
export function addressBucket(method: string, path: string): RateBucket {
  if (!isApiPath(path)) return 'none';
  return OUTREACH_PATHS.has(`${method === 'HEAD' ? 'GET' : method} ${path}`) ? 'outreach' : 'general';
}

export interface WindowState {
  readonly startedAt: Date;
  /** Requests let through in this window. */
  readonly count: number;
}

export interface WindowDecision {
  readonly allowed: boolean;
  /** The state to store. Unchanged when the request was refused. */
  readonly state: WindowState;
  /** Requests left in this window. */
  readonly remaining: number;
  /** Whole seconds for `Retry-After`; null when the request passed. */
  readonly retryAfterSeconds: number | null;
  /** Whole seconds to the end of the window, rounded up, at least 1. */
  readonly resetSeconds: number;
}

/** Counts one request at `now`; `state` is null for a bucket that was never used. */
export function takeFromWindow(
  state: WindowState | null,
  window: { readonly limit: number; readonly windowMs: number; readonly now: Date },
): WindowDecision {
  const { limit, windowMs, now } = window;
  const current = state !== null && isCurrent(state, windowMs, now) ? state : { startedAt: now, count: 0 };
  const resetSeconds = secondsToEnd(current.startedAt.getTime() + windowMs, now);
  if (current.count >= limit) {
    return { allowed: false, state: current, remaining: 0, retryAfterSeconds: resetSeconds, resetSeconds };
  }
  const count = current.count + 1;
  return {
    allowed: true,
    state: { startedAt: current.startedAt, count },
    remaining: limit - count,
    retryAfterSeconds: null,
    resetSeconds,
  };
}

/**
 * A window that starts slightly after `now` is current, because the clocks of several processes differ. One that starts a
 * whole window ahead was written before a clock was set back, and must not lock the bucket.
 */
function isCurrent(state: WindowState, windowMs: number, now: Date): boolean {
  return Math.abs(now.getTime() - state.startedAt.getTime()) < windowMs;
}

/** Returns the whole seconds from `now` to the end of a window, rounded up, at least 1. */
export function secondsToEnd(endsMs: number, now: Date): number {
  return Math.max(1, Math.ceil((endsMs - now.getTime()) / 1000));
}

/** Returns the storage key of a window: `general:ip:192.0.2.7`, `outreach:account:3`. */
export function rateWindowKey(bucket: LimitedBucket, owner: RateOwner): string {
  return 'ip' in owner ? `${bucket}:ip:${toClientNetwork(owner.ip)}` : `${bucket}:account:${owner.accountId}`;
}

/** Returns the network of a client: the address itself for IPv4 (also inside IPv6), the /64 for IPv6. */
export function toClientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Returns the headers for the window that the request counted in last (IETF draft "RateLimit header fields"). */
export function rateLimitHeaders(
  bucket: LimitedBucket,
  { remaining, resetSeconds }: { readonly remaining: number; readonly resetSeconds: number },
): { readonly 'RateLimit-Policy': string; readonly RateLimit: string } {
  const { limit, windowMs } = RATE_LIMITS[bucket];
  return {
    'RateLimit-Policy': `"${bucket}";q=${limit};w=${windowMs / 1_000}`,
    RateLimit: `"${bucket}";r=${remaining};t=${resetSeconds}`,
  };
}
