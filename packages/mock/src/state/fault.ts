/** Failures on command, as data: which calls they hit, how often, and what happens to them. */
import type { RouteId } from './traffic.ts';

/** What a fault does to a call. */
export type FaultEffect =
  | { readonly kind: 'status'; readonly status: number; readonly body?: unknown; readonly retryAfterSeconds?: number }
  /** The call is served, so many milliseconds of real time later. */
  | { readonly kind: 'latency'; readonly latencyMs: number }
  /** The connection ends without an answer. `after`: the call was served all the same. */
  | { readonly kind: 'reset'; readonly when?: 'before' | 'after' }
  /** The call is served and its body breaks off after so many bytes; half of them by default. */
  | { readonly kind: 'truncate'; readonly bytes?: number }
  /** No answer, ever. */
  | { readonly kind: 'hang' };

export interface FaultRule {
  /** Operations it hits; `inbound` stands for posts to source URLs, `outbound` for posts that the service makes. Default: every call to the API. */
  readonly operations?: readonly (RouteId | 'outbound')[];
  /** Only calls with this key (the token). */
  readonly key?: string;
  /** Only posts to this host, in any letter case, for `outbound`. */
  readonly host?: string;
  /** From the nth matching call on, counted from 1. Default 1. */
  readonly nth?: number;
  /** How many calls it hits at most. Default: every one. */
  readonly times?: number;
  /** Chance from 0 to 1 that a matching call is hit, by the world's seeded generator. Default 1. */
  readonly probability?: number;
  readonly effect: FaultEffect;
}

export interface Fault extends FaultRule {
  readonly id: string;
  /** Calls it matched so far, and calls it hit. */
  readonly matchedCount: number;
  readonly hitCount: number;
}
