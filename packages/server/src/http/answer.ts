import type { Access } from '@svc/domain/requests/access';
import type { RawParameter } from '@svc/domain/requests/parameters';
import type { Context } from '../context.ts';
import type { AuthenticatedKey } from '../store/api-keys.ts';

/** A request to the public API, before its parameters are checked. */
export interface ApiRequest {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, RawParameter>>;
  /** Parsed JSON; undefined where the operation takes no body. */
  body: unknown;
}

/** A request whose key was accepted and may call the operation. */
export interface AuthorizedRequest extends ApiRequest {
  key: AuthenticatedKey;
  access: Access;
}

export interface ApiAnswer {
  /** Default: the operation's success status. */
  status?: number;
  /** Sent as JSON; absent for 204. */
  json?: unknown;
  /** Sent as it is, with `contentType`. */
  text?: { body: string; contentType: string };
  headers?: Readonly<Record<string, string>>;
}

/** What an operation does once the caller may do it: check the parameters, make one call, shape the answer. */
export type AuthorizedHandler = (ctx: Context, request: AuthorizedRequest) => Promise<ApiAnswer> | ApiAnswer;
export type PublicHandler = (ctx: Context, request: ApiRequest) => Promise<ApiAnswer> | ApiAnswer;

/** An entry of the table of handlers. */
export type RouteEntry =
  | { readonly access: 'public'; readonly handle: PublicHandler }
  | { readonly access: 'authorized'; readonly handle: AuthorizedHandler };

export function publicRoute(handle: PublicHandler): RouteEntry {
  return { access: 'public', handle };
}

export function authorizedRoute(handle: AuthorizedHandler): RouteEntry {
  return { access: 'authorized', handle };
}
