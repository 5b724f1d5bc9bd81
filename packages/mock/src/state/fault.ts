/** Faults: which calls they hit, how often, and with what effect. */
import type { RouteId } from './traffic.ts';

/** The effect of a fault on a call. */
export type FaultEffect =
  | { readonly kind: 'status'; readonly status: number; readonly body?: unknown; readonly retryAfterSeconds?: number }
  /** Delays the answer, in milliseconds of real time. */
  | { readonly kind: 'latency'; readonly latencyMs: number }
  /** Closes the connection without an answer. `after`: the call is made nevertheless. Default `before`. */
  | { readonly kind: 'reset'; readonly when?: 'before' | 'after' }
  /** Makes the call and breaks its answer off after this many bytes of the body. Default: half of them. */
  | { readonly kind: 'truncate'; readonly bytes?: number }
  /** Never answers. */
  | { readonly kind: 'hang' };

export interface FaultRule {
  /**
   * Operations to hit: `inbound` is posts to source URLs, `outbound` posts that the service makes, `mail` mails of reply relays.
   * Default: every API call.
   */
  readonly operations?: readonly (RouteId | 'outbound' | 'mail')[];
  /** Only calls with this key (the token). */
  readonly key?: string;
  /** In any letter case. For `outbound`: only posts to this host; for `mail`: only mails to addresses of this domain. */
  readonly host?: string;
  /** First matching call to hit, counted from 1. Default 1. */
  readonly nth?: number;
  /** Maximum number of calls to hit. Default: unlimited. */
  readonly times?: number;
  /** Probability from 0 to 1 that a matching call is hit, by the world's seeded generator. Default 1. */
  readonly probability?: number;
  readonly effect: FaultEffect;
}

export interface Fault extends FaultRule {
  readonly id: string;
  /** Calls that matched so far. */
  readonly matchedCount: number;
  readonly hitCount: number;
}
