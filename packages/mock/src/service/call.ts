/** Types of calls and answers between the engine and the skins (MSW, Fetch, node:http). */
import type { OperationId } from '@svc/contract/operations';
import type { Access } from '@svc/domain/requests/access';
import type { RawParameter } from '@svc/domain/requests/parameters';
import type { AccountRow, ApiKeyRow } from '@svc/domain/world';
import type { RealNow } from '../state/clock.ts';
import type { Fault } from '../state/fault.ts';
import type { JournalEntry } from '../state/traffic.ts';
import type { World } from '../state/world.ts';

/** A received request. */
export interface MockRequest {
  readonly method: string;
  /** Path and query, percent-encoded: `/api/v1/syncs?limit=5`. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the body is not in its declared `content-encoding`. Default false. */
  readonly isDamaged?: boolean;
  /** Address of the caller, for the limit per IP. In process: `127.0.0.1`. */
  readonly ip: string;
}

/** An answer to send. */
export interface MockAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when there is no body. */
  readonly body: string;
}

/** How a call ends. Each skin maps the kinds to its transport. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: MockAnswer; readonly delayMs: number }
  /** Sends the head and the first bytes of the body, then breaks the connection. */
  | { readonly kind: 'truncated'; readonly answer: MockAnswer; readonly bytes: number; readonly delayMs: number }
  | { readonly kind: 'reset'; readonly delayMs: number }
  | { readonly kind: 'hang' };

/** Base addresses that answers show. */
export interface MockUrls {
  readonly api: string;
  readonly sync: string;
  readonly dashboard: string;
  readonly docs: string;
}

export interface EngineDeps {
  readonly realNow: RealNow;
  readonly urls: MockUrls;
  /** Receives internal errors, whose text no answer shows. Default: ignores them. */
  readonly reportError?: (error: unknown) => void;
  /** Called with each call after it was handled. */
  readonly onCall?: ((call: HandledCall) => void) | undefined;
}

/** A handled call, for a log. */
export interface HandledCall {
  readonly request: MockRequest;
  readonly worldId: string;
  /** Without secrets. */
  readonly entry: JournalEntry;
  /** The fault that hit the call. */
  readonly fault: Fault | null;
  /** The hint that was sent. */
  readonly hint: string | null;
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

/** The result of a handler. */
export interface Reply {
  /** Default: the operation's success status. */
  readonly status?: number;
  /** Sent as JSON; absent for 204. */
  readonly json?: unknown;
  readonly text?: { readonly body: string; readonly contentType: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** Handles an operation. Synchronous, so its reads and writes are one transaction. Throws `ApiError` to refuse. */
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
