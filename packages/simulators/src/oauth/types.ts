import type { Answer } from '../http/answer.ts';

export type OauthCrm = 'hubspot' | 'salesforce' | 'pipedrive';

/** An app registered with the CRM. */
export interface SimulatedClient {
  id: string;
  secret: string;
  /** The callback URLs that the app may name. Default: any. */
  redirectUris?: readonly string[];
  /** Scopes that are fixed in the app (Pipedrive). Default: those of the dialect. */
  scopes?: readonly string[];
  /** Salesforce: refuse an authorization without PKCE, as for apps of partners. Default false. */
  requiresPkce?: boolean;
  /** Salesforce: PEM of the public key of JWT bearer assertions. Absent: they are refused. */
  jwtPublicKey?: string;
  /** Salesforce: names of the users whose assertions are accepted. */
  approvedUsers?: readonly string[];
  /** Salesforce: whether client credentials work, which then run as `account`. Default false. */
  hasRunAsUser?: boolean;
}

/** Who signs in, and to which account of the CRM. */
export interface SimulatedAccount {
  /** Hub id, org id or company id. */
  organizationId: string;
  userId: string;
  /** Scopes that this account cannot grant, because its plan lacks them. Default: none. */
  lacksScopes?: readonly string[];
}

/** What an access token stands for. */
export interface SimulatedAccess {
  organizationId: string;
  userId: string;
  clientId: string;
  scopes: readonly string[];
}

/** One token request as the endpoint saw it, for tests to count. */
export interface TokenCall {
  grantType: string;
  /** The refresh token that was presented. */
  refreshToken: string | null;
  status: number;
}

/**
 * Faults of the next token requests:
 * - `already_processing`: Salesforce's answer while another refresh with the same token runs.
 * - `invalid_grant`: the final refusal, although the token is good.
 * - `rate_limited`: 429, for Salesforce 400 `rate_limit_exceeded`.
 */
export type TokenFault = 'already_processing' | 'invalid_grant' | 'rate_limited';

export interface Grant {
  account: SimulatedAccount;
  clientId: string;
  scopes: readonly string[];
  /** The refresh token that is valid now; null for grants without one. */
  refreshToken: string | null;
  /** Refresh tokens that rotation has replaced. */
  replaced: Set<string>;
  accessTokens: Map<string, { endsAtMs: number }>;
  issuedAtMs: number;
}

export type OauthFailure =
  | 'invalid_client'
  | 'invalid_code'
  | 'invalid_refresh_token'
  | 'already_processing'
  | 'redirect_mismatch'
  | 'invalid_verifier'
  | 'unsupported_grant_type'
  | 'invalid_request'
  | 'rate_limited'
  | 'user_not_approved'
  | 'no_client_credentials';

/** How one vendor's OAuth differs from the others'. */
export interface OauthDialect {
  paths: { authorize: string; token: string; revoke: string; introspect?: string; userinfo?: string };
  /** How a client proves who it is at the token endpoint. */
  clientProof: 'body' | 'basic' | 'either';
  /** Lifetime of an access token in seconds. */
  accessTokenSeconds: number;
  /** Lifetime of an authorization code in seconds. */
  codeSeconds: number;
  hasPkce: boolean;
  /** Whether scopes are fixed in the app instead of named in the URL. */
  hasFixedScopes: boolean;
  defaultScopes: readonly string[];
  defaultAccount: SimulatedAccount;
  /** Grants of one user for one app; one more ends the oldest. */
  grantsPerUserMax: number;
  /** Whether presenting a replaced refresh token ends the whole grant. */
  endsGrantOnReuse: boolean;
  /** Whether revoking a refresh token leaves its access tokens alive until they end. */
  keepsAccessOnRevoke: boolean;
  tokenBody(input: { grant: Grant; accessToken: string; refreshToken: string | null; apiUrl: string; nowMs: number }): {
    [key: string]: unknown;
  };
  failure(failure: OauthFailure): Answer;
}
