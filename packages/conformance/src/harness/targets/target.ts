import type { MaterializedWorld, World } from '@svc/domain/world';
import type { Receiver } from './receivers.ts';

/**
 * An implementation of the API. The suite says HTTP to it; only starting it, its time, and the world around it (the CRM and
 * the customers' endpoints) go through this handle.
 */
export interface Target {
  readonly name: string;
  /** False where this machine lacks what the target needs. */
  readonly isAvailable: boolean;
  /** Whether it looks host names up, so that a name can point to a private address. Else `pointName` is never called. */
  readonly resolvesHostNames: boolean;
  /**
   * Whether the suite also sends it raw bytes and what only a socket can carry. Not to mocks: some have no socket, and what
   * `svc-mock` answers to broken HTTP is up to Node. They get `Request` objects, without what `fetch` refuses or rewrites.
   */
  readonly acceptsRawRequests: boolean;
  /**
   * Starts a copy of its own that holds the world and whose clock stands at `now`.
   * @param file the same world as it stands in a world file
   */
  start(world: MaterializedWorld, options: StartOptions, file: World): Promise<RunningTarget>;
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

/** Where an API is, and how requests get there. */
export interface ApiAddress {
  /** Without a trailing slash and without `/api/v1`. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
}

export interface RunningTarget extends ApiAddress {
  readonly clock: {
    now(): Date;
    /** Moves time. What comes due may be done on the way; after the next `settle()` it is. */
    advance(ms: number): Promise<void>;
  };
  /** How the CRMs of all connections take writes from now on. At the start they take everything. */
  readonly crm: CrmControl;
  /**
   * From now on, what the service posts to `https://<host>/...` arrives at this receiver. What it posts to hosts without
   * one is answered 200.
   */
  openReceiver(host: string): Promise<Receiver>;
  /** What a host name resolves to from now on. Before, every name has a public address. */
  setHostAddress(host: string, address: string): void;
  /** Resolves once everything that is due has been done. It waits for answers that a receiver holds back. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface CrmControl {
  /** Every write is refused with this HTTP status. */
  failWith(httpStatus: number): Promise<void>;
  /** Every write is made, with a part of it refused. */
  refuseParts(): Promise<void>;
  recover(): Promise<void>;
}
