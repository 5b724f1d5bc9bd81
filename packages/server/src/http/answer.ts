import type { Access } from '@svc/domain/requests/access';
import type { RawParameter } from '@svc/domain/requests/parameters';
import type { Context } from '@svc/engine/context';
import type { AuthenticatedKey } from '@svc/engine/store/api-keys';

/** A request to the public API whose parameters are not checked yet. */
export interface ApiRequest {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, RawParameter>>;
  /** Parsed JSON; undefined for operations without a body. */
  body: unknown;
}

/** A request with an accepted key that may call the operation. */
export interface AuthorizedRequest extends ApiRequest {
  key: AuthenticatedKey;
  access: Access;
}

export interface ApiAnswer {
  /** Default: the operation's success status. */
  status?: number;
  /** Sent as JSON; absent for 204. */
  json?: unknown;
  /** Sent unchanged, with `contentType`. */
  text?: { body: string; contentType: string };
  headers?: Readonly<Record<string, string>>;
}

/** Checks the parameters, makes one call and shapes the answer. Runs only for callers that are authorized. */
export type AuthorizedHandler = (ctx: Context, request: AuthorizedRequest) => Promise<ApiAnswer> | ApiAnswer;
export type PublicHandler = (ctx: Context, request: ApiRequest) => Promise<ApiAnswer> | ApiAnswer;

/** An entry of the handler table. */
export type RouteEntry =
  | { readonly access: 'public'; readonly handle: PublicHandler }
  | { readonly access: 'authorized'; readonly handle: AuthorizedHandler; readonly readsLogs?: true };

export function publicRoute(handle: PublicHandler): RouteEntry {
  return { access: 'public', handle };
}

export function authorizedRoute(handle: AuthorizedHandler): RouteEntry {
  return { access: 'authorized', handle };
}

/** A handler that only reads what a standby may answer: logs and their metrics, which are long, and seconds old anyway. */
export function logRoute(handle: AuthorizedHandler): RouteEntry {
  return { access: 'authorized', handle, readsLogs: true };
}
