import type { MaterializedWorld, World } from '@svc/domain/world';
import type { MailControl } from './mails.ts';
import type { Receiver } from './receivers.ts';

/**
 * An implementation of the API. The suite talks HTTP to it; this handle starts it and controls its clock, the CRM and the
 * customers' endpoints.
 */
export interface Target {
  readonly name: string;
  /** False when this machine lacks something the target needs. */
  readonly isAvailable: boolean;
  /** Whether it resolves host names. Otherwise `setHostAddress` is never called. */
  readonly resolvesHostNames: boolean;
  /**
   * Whether the suite sends it raw bytes. False for mocks: some have no socket, and Node decides how `svc-mock` answers broken
   * HTTP. They get `Request` objects that `fetch` accepts.
   */
  readonly acceptsRawRequests: boolean;
  /**
   * Starts an instance with the world and a clock at `now`.
   * @param file the same world as in a world file
   */
  start(world: MaterializedWorld, options: StartOptions, file: World): Promise<RunningTarget>;
}

export interface StartOptions {
  readonly now: Date;
  /** Whether rate limits apply. Default: `off`, so that cases do not affect each other. */
  readonly rateLimit?: 'on' | 'off';
  /** Number of trusted proxies (`X-Forwarded-For`). Default: 0. */
  readonly trustedProxies?: number;
  /** `off`: only `settle()` runs work, and the target is not ready. Default: `on`. */
  readonly workers?: 'on' | 'off';
}

/** The URL of an API, and the `fetch` that reaches it. */
export interface ApiAddress {
  /** Without a trailing slash and without `/api/v1`. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
}

export interface RunningTarget extends ApiAddress {
  readonly clock: {
    now(): Date;
    /** Advances the clock. Work that is due has run after the next `settle()`. */
    advance(ms: number): Promise<void>;
  };
  /** Controls how the CRMs answer writes. At the start they accept everything. */
  readonly crm: CrmControl;
  /** The mail server of reply relays. At the start it accepts everything. */
  readonly mail: MailControl;
  /**
   * Opens a receiver for the service's requests to `https://<host>/...`. Requests to hosts without a receiver are answered 200.
   */
  openReceiver(host: string): Promise<Receiver>;
  /** Sets the address that a host name resolves to. Default: a public address. */
  setHostAddress(host: string, address: string): void;
  /** Resolves once all due work has run. Waits for delayed answers of receivers. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface CrmControl {
  /** Refuses every write with this HTTP status. */
  failWith(httpStatus: number): Promise<void>;
  /** Accepts every write but refuses a part of it. */
  refuseParts(): Promise<void>;
  recover(): Promise<void>;
}
