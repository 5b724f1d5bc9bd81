import type { MaterializedWorld } from '@svc/domain/world';

/** An implementation of the API. The suite says HTTP to it; only starting it, and its time, go through this handle. */
export interface Target {
  readonly name: string;
  /** False where this machine lacks what the target needs. */
  readonly isAvailable: boolean;
  /** Starts a copy of its own that holds the world and whose clock stands at `now`. */
  start(world: MaterializedWorld, options: StartOptions): Promise<RunningTarget>;
}

export interface StartOptions {
  readonly now: Date;
  /** Whether the specification's limits hold. Default `off`, so that no case depends on how many came before it. */
  readonly rateLimit?: 'on' | 'off';
  /** Proxies whose `X-Forwarded-For` is believed, counted from the target. Default 0. */
  readonly trustedProxies?: number;
  /** `off`: work is done by `settle()` alone, and the target is not ready. Default `on`. */
  readonly workers?: 'on' | 'off';
}

export interface RunningTarget {
  /** Without a trailing slash and without `/api/v1`. */
  readonly baseUrl: string;
  readonly clock: { now(): Date; advance(ms: number): void };
  /** Resolves once everything that is due has been done. */
  settle(): Promise<void>;
  close(): Promise<void>;
}
