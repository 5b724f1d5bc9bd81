/**
 * Specification, "Limits" and "Errors" (429): the fixed window of a bucket.
 *
 * The rule: a window starts with the bucket's first request and lasts `windowMs`; `limit` requests pass in it, the
 * next ones are refused and do not count; the first request at or after its end starts the next window.
 * `Retry-After` is the time to that end in whole seconds, rounded up and at least 1.
 *
 * A request below `/api/v1` spends a window of its client's address before it is routed, unknown routes included, and one of its
 * account after its key was looked at.
 * Outreach look-ups have windows of their own for both, and spend nothing of the general ones.
 */
import { LIMITS } from '@svc/contract/limits';
import { operations, type RateBucket } from '@svc/contract/operations';
import ipaddr from 'ipaddr.js';
import { isApiPath } from './answer-headers.ts';

/** A bucket that is limited at all. */
export type LimitedBucket = Exclude<RateBucket, 'none'>;

/** Whose requests a window counts. */
export type RateOwner = { readonly ip: string } | { readonly accountId: number };

const WINDOW_MS = LIMITS.rateWindowSeconds * 1_000;

/** The limit of each bucket, the same per address and per account. */
export const RATE_LIMITS: {
  readonly [Bucket in LimitedBucket]: { readonly limit: number; readonly windowMs: number };
} = {
  general: { limit: LIMITS.generalRequestsPerWindow, windowMs: WINDOW_MS },
  outreach: { limit: LIMITS.outreachRequestsPerWindow, windowMs: WINDOW_MS },
};

/** Paths of the operations with a bucket of their own; none of them has parameters. */
const OUTREACH_PATHS: ReadonlySet<string> = new Set(
  operations.flatMap(({ method, path, rateBucket }) => (rateBucket === 'outreach' ? [`${method} ${path}`] : [])),
);

/**
 * The bucket that a request spends for its client's address, whatever comes of it.
 * @param path of the request, without its query
 */
export function addressBucket(method: string, path: string): RateBucket {
  if (!isApiPath(path)) return 'none';
  return OUTREACH_PATHS.has(`${method === 'HEAD' ? 'GET' : method} ${path}`) ? 'outreach' : 'general';
}

/** What a bucket remembers. */
export interface WindowState {
  readonly startedAt: Date;
  /** Requests let through in this window. */
  readonly count: number;
}

export interface WindowDecision {
  readonly allowed: boolean;
  /** To be kept for the next step. Unchanged when the request was refused. */
  readonly state: WindowState;
  /** Requests that would still pass in this window. */
  readonly remaining: number;
  /** Whole seconds for `Retry-After`; null when the request passed. */
  readonly retryAfterSeconds: number | null;
  /** Whole seconds to the end of the window, rounded up, at least 1. */
  readonly resetSeconds: number;
}

/** One request at `now` against a bucket; `state` is null for a bucket that was never used. */
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
 * Clocks of several processes differ, so a window that starts a little ahead of `now` is still the current one;
 * one that starts a whole window ahead is left over from a clock that was set back, and must not lock the bucket.
 */
function isCurrent(state: WindowState, windowMs: number, now: Date): boolean {
  return Math.abs(now.getTime() - state.startedAt.getTime()) < windowMs;
}

/** Whole seconds from `now` to the end of a window, rounded up, at least 1. */
export function secondsToEnd(endsMs: number, now: Date): number {
  return Math.max(1, Math.ceil((endsMs - now.getTime()) / 1000));
}

/** The name under which a window is kept: `general:ip:192.0.2.7`, `outreach:account:3`. */
export function rateWindowKey(bucket: LimitedBucket, owner: RateOwner): string {
  return 'ip' in owner ? `${bucket}:ip:${toClientNetwork(owner.ip)}` : `${bucket}:account:${owner.accountId}`;
}

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

/** What an answer tells of the window that it spent last (IETF draft "RateLimit header fields"). */
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
