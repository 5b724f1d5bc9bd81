import type { CrmError } from '../port/types.ts';

/** The app that an operator registered with the vendor. */
export interface OauthClient {
  id: string;
  secret: string;
}

/** Addresses of one vendor's OAuth, without trailing slashes. */
export interface OauthUrls {
  /** Where users sign in and consent. */
  loginUrl: string;
  /** The vendor's API, for vendors with the same one for all accounts. */
  apiUrl: string;
}

/** What a token endpoint granted. */
export interface OauthTokens {
  accessToken: string;
  /** Null when the answer has none: the earlier one stays valid. */
  refreshToken: string | null;
  /** Null when the vendor does not say. */
  expiresInSeconds: number | null;
  /** Base URL of the account's own API host; null for vendors with one for all. */
  apiUrl: string | null;
  /** Null when the vendor does not say. */
  scopes: readonly string[] | null;
  /** The account's id where the answer names it. */
  organizationId: string | null;
}

export type TokenOutcome =
  | { status: 'granted'; tokens: OauthTokens }
  /** The grant has ended or was never valid: only a new consent helps. */
  | { status: 'ended'; error: CrmError }
  /** Another request with the same refresh token is being answered. */
  | { status: 'busy'; error: CrmError }
  /** The vendor refuses the app or the request itself, which says nothing about the grant. */
  | { status: 'refused'; error: CrmError }
  /** No usable answer. */
  | {
      status: 'unavailable';
      error: CrmError;
      /** The request may have been carried out: it was sent, and its answer did not arrive. */
      isAnswerLost: boolean;
      /** The vendor's own wait in ms; null when it named none. */
      retryAfterMs: number | null;
    };

/** What an error of a token endpoint means. */
export type RefusalMeaning = 'ended' | 'busy' | 'refused' | 'unavailable';

/** The texts of an error; vendors leave some of them out. */
export interface OauthErrorTexts {
  error: string;
  /** `error` and the vendor's own texts (`message`, `status`, `category`, ...), in lower case and joined. */
  details: string;
}

/** How one vendor's OAuth differs from the standard. */
export interface OauthDialect {
  vendor: string;
  /** Path of the consent page below `loginUrl`. */
  authorizePath: string;
  tokenUrl(urls: OauthUrls): string;
  /** Endpoint that ends a grant. */
  revokeUrl(urls: OauthUrls): string;
  /** Endpoint that says what a token is; null when the token's answer says enough. */
  introspectUrl(urls: OauthUrls): string | null;
  /** Path below the account's API that says whose token it is; null when another answer does. */
  accountPath: string | null;
  clientProof: 'body' | 'basic';
  hasPkce: boolean;
  /** Whether a refresh may end the refresh token that it used, so that a lost answer cannot be repeated for ever. */
  mayRotate: boolean;
  /** Parameters of the consent page that name what the app wants. */
  scopeParameters: Readonly<Record<string, string>>;
  /** Scopes without which no event can be written. */
  neededScopes: readonly string[];
  scopeSeparator: ' ' | ',';
  /** Hosts that may get the token, with everything below them. */
  hosts: readonly string[];
  /** Name of the field that holds the account's API host; null for vendors with one for all. */
  apiUrlField: string | null;
  /** Reads the account's id from the answer of the token endpoint, of the introspection, or of `accountPath`. */
  readOrganizationId(body: Readonly<Record<string, unknown>>): string | null;
  /** @param isRefresh whether a refresh token was presented */
  meaningOf(texts: OauthErrorTexts, isRefresh: boolean): RefusalMeaning;
}
