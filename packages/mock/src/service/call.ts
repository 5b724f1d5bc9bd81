/** What goes into the engine and what comes out of it. The skins (MSW, Fetch, node:http) translate to and from these. */
import type { OperationId } from '@svc/contract/operations';
import type { Access } from '@svc/domain/requests/access';
import type { RawParameter } from '@svc/domain/requests/parameters';
import type { AccountRow, ApiKeyRow } from '@svc/domain/world';
import type { RealNow } from '../state/clock.ts';
import type { World } from '../state/world.ts';

/** A request as it arrived. */
export interface MockRequest {
  readonly method: string;
  /** Path and query, percent-encoded: `/api/v1/syncs?limit=5`. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Address of the caller, for the limit per IP. In process: `127.0.0.1`. */
  readonly ip: string;
}

/** An answer, ready to be sent. */
export interface MockAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for none. */
  readonly body: string;
}

/** How a call ends. A skin does with each kind what its transport can do. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: MockAnswer; readonly delayMs: number }
  /** The answer's head and the first bytes of its body, then the connection breaks. */
  | { readonly kind: 'truncated'; readonly answer: MockAnswer; readonly bytes: number; readonly delayMs: number }
  | { readonly kind: 'reset'; readonly delayMs: number }
  | { readonly kind: 'hang' };

/** Base addresses that answers show: where this mock is reached. */
export interface MockUrls {
  readonly api: string;
  readonly sync: string;
  readonly dashboard: string;
  readonly docs: string;
}

export interface EngineDeps {
  readonly realNow: RealNow;
  readonly urls: MockUrls;
  /** Told of failures of the mock itself, whose text no answer shows. Default: nobody is. */
  readonly reportError?: (error: unknown) => void;
}

/** A call of an operation, before its parameters are checked. */
export interface Call {
  readonly world: World;
  /** World time, the same throughout the call. */
  readonly now: Date;
  readonly urls: MockUrls;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, RawParameter>>;
  /** Parsed JSON; undefined where the operation takes no body. */
  readonly body: unknown;
}

export interface AuthorizedCall extends Call {
  readonly key: ApiKeyRow;
  readonly account: AccountRow;
  readonly access: Access;
}

/** What a handler answers. */
export interface Reply {
  /** Default: the operation's success status. */
  readonly status?: number;
  /** Sent as JSON; absent for 204. */
  readonly json?: unknown;
  readonly text?: { readonly body: string; readonly contentType: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** Synchronous: what it reads and writes is one transaction. It throws `ApiError` for every refusal. */
export type Handler =
  | { readonly access: 'public'; readonly handle: (call: Call) => Reply }
  | { readonly access: 'authorized'; readonly handle: (call: AuthorizedCall) => Reply };

export type Handlers = Readonly<Record<OperationId, Handler>>;

export function publicHandler(handle: (call: Call) => Reply): Handler {
  return { access: 'public', handle };
}

export function authorizedHandler(handle: (call: AuthorizedCall) => Reply): Handler {
  return { access: 'authorized', handle };
}
