import { randomUUID } from 'node:crypto';
import type { Answer } from '../http/answer.ts';
import type { OauthCrm, OauthDialect, OauthFailure } from './types.ts';

/** The three vendors' OAuth, from their documentation and from answers that others recorded. */

type Texts = Readonly<Record<OauthFailure, readonly [error: string, description: string]>>;

function refuse(texts: Texts, failure: OauthFailure, status = 400): Answer {
  const [error, description] = texts[failure];
  return { status, body: { error, error_description: description } };
}

const HUBSPOT_TEXTS: Texts = {
  invalid_client: ['invalid_client', 'missing or invalid client id or secret'],
  invalid_code: ['invalid_grant', 'authorization code is invalid, expired or already used'],
  invalid_refresh_token: ['invalid_grant', 'refresh token is invalid, expired or revoked'],
  already_processing: ['invalid_grant', 'refresh token is invalid, expired or revoked'],
  redirect_mismatch: ['invalid_grant', 'redirect_uri does not match the authorization'],
  invalid_verifier: ['invalid_grant', 'code_verifier does not match'],
  unsupported_grant_type: ['unsupported_grant_type', 'grant_type is not supported'],
  invalid_request: ['invalid_request', 'a parameter is missing'],
  rate_limited: ['rate_limit', 'You have reached your secondly limit.'],
  user_not_approved: ['unsupported_grant_type', 'grant_type is not supported'],
  no_client_credentials: ['unsupported_grant_type', 'grant_type is not supported'],
};

/** HubSpot's own `status`, beside the standard's fields. */
const HUBSPOT_STATUS: Partial<Record<OauthFailure, string>> = {
  invalid_client: 'BAD_CLIENT_ID',
  invalid_code: 'BAD_AUTH_CODE',
  invalid_refresh_token: 'BAD_REFRESH_TOKEN',
  redirect_mismatch: 'BAD_REDIRECT_URI',
};

const hubspot: OauthDialect = {
  paths: {
    authorize: '/oauth/authorize',
    token: '/oauth/2026-09/token',
    introspect: '/oauth/2026-09/token/introspect',
    revoke: '/oauth/2026-09/token/revoke',
  },
  clientProof: 'body',
  accessTokenSeconds: 1_800,
  codeSeconds: 600,
  hasPkce: true,
  hasFixedScopes: false,
  defaultScopes: ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write'],
  defaultAccount: { organizationId: '1000001', userId: '1001' },
  grantsPerUserMax: Infinity,
  endsGrantOnReuse: false,
  keepsAccessOnRevoke: true,
  tokenBody: ({ grant, accessToken, refreshToken }) => ({
    token_type: 'bearer',
    access_token: accessToken,
    // HubSpot sends the refresh token with every answer, whether it changed or not.
    refresh_token: refreshToken ?? grant.refreshToken,
    expires_in: 1_800,
    token_use: 'access_token',
    hub_id: Number(grant.account.organizationId),
    user_id: Number(grant.account.userId),
    scopes: grant.scopes,
  }),
  failure(failure) {
    const [error, description] = HUBSPOT_TEXTS[failure];
    const status = HUBSPOT_STATUS[failure] ?? 'BAD_REQUEST';
    const category = failure === 'rate_limited' ? 'RATE_LIMITS' : 'VALIDATION_ERROR';
    return {
      status: failure === 'rate_limited' ? 429 : 400,
      // The published description has the fields of every HubSpot error; others recorded the standard's beside them.
      body: {
        ...{ error, error_description: description, status, message: description },
        ...{ category, correlationId: randomUUID() },
      },
    };
  },
};

const SALESFORCE_TEXTS: Texts = {
  invalid_client: ['invalid_client', 'invalid client credentials'],
  invalid_code: ['invalid_grant', 'expired authorization code'],
  invalid_refresh_token: ['invalid_grant', 'expired access/refresh token'],
  already_processing: ['invalid_grant', 'token request is already being processed'],
  redirect_mismatch: ['redirect_uri_mismatch', 'redirect_uri must match configuration'],
  invalid_verifier: ['invalid_grant', 'invalid code verifier'],
  unsupported_grant_type: ['unsupported_grant_type', 'grant type not supported'],
  invalid_request: ['invalid_request', 'missing required code challenge'],
  rate_limited: ['rate_limit_exceeded', 'login rate exceeded'],
  user_not_approved: ['invalid_grant', "user hasn't approved this consumer"],
  no_client_credentials: ['invalid_grant', 'no client credentials user enabled'],
};

const salesforce: OauthDialect = {
  paths: {
    authorize: '/services/oauth2/authorize',
    token: '/services/oauth2/token',
    userinfo: '/services/oauth2/userinfo',
    revoke: '/services/oauth2/revoke',
  },
  clientProof: 'either',
  accessTokenSeconds: 7_200,
  codeSeconds: 900,
  hasPkce: true,
  hasFixedScopes: false,
  defaultScopes: ['api', 'refresh_token', 'id'],
  defaultAccount: { organizationId: '00D000000000001EAA', userId: '005000000000001AAA' },
  grantsPerUserMax: 5,
  endsGrantOnReuse: true,
  keepsAccessOnRevoke: false,
  tokenBody: ({ grant, accessToken, refreshToken, apiUrl, nowMs }) => ({
    access_token: accessToken,
    ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    signature: 'c2lnbmF0dXJl',
    scope: grant.scopes.join(' '),
    instance_url: apiUrl,
    id: `https://login.salesforce.com/id/${grant.account.organizationId}/${grant.account.userId}`,
    token_type: 'Bearer',
    issued_at: String(nowMs),
  }),
  failure: (failure) => refuse(SALESFORCE_TEXTS, failure),
};

const PIPEDRIVE_TEXTS: Texts = {
  invalid_client: ['invalid_client', 'Invalid client: client is invalid'],
  invalid_code: ['invalid_grant', 'Invalid grant: authorization_code is invalid'],
  invalid_refresh_token: ['invalid_grant', 'Invalid grant: refresh_token is invalid'],
  already_processing: ['invalid_grant', 'Invalid grant: refresh_token is invalid'],
  redirect_mismatch: ['invalid_request', 'Invalid request: `redirect_uri` is invalid'],
  invalid_verifier: ['invalid_grant', 'Invalid grant: authorization_code is invalid'],
  unsupported_grant_type: ['unsupported_grant_type', 'Unsupported grant type: `grant_type` is invalid'],
  invalid_request: ['invalid_request', 'Missing parameter'],
  rate_limited: ['rate_limit', 'Request over limit'],
  user_not_approved: ['unsupported_grant_type', 'Unsupported grant type: `grant_type` is invalid'],
  no_client_credentials: ['unsupported_grant_type', 'Unsupported grant type: `grant_type` is invalid'],
};

const pipedrive: OauthDialect = {
  paths: { authorize: '/oauth/authorize', token: '/oauth/token', revoke: '/oauth/revoke' },
  clientProof: 'basic',
  accessTokenSeconds: 3_600,
  codeSeconds: 300,
  hasPkce: false,
  hasFixedScopes: true,
  defaultScopes: ['base', 'contacts:full', 'activities:full', 'users:read', 'search:read'],
  defaultAccount: { organizationId: '7000001', userId: '7101' },
  grantsPerUserMax: Infinity,
  endsGrantOnReuse: false,
  keepsAccessOnRevoke: false,
  tokenBody: ({ grant, accessToken, refreshToken, apiUrl }) => ({
    access_token: accessToken,
    token_type: 'Bearer',
    refresh_token: refreshToken ?? grant.refreshToken,
    scope: grant.scopes.join(','),
    expires_in: 3_600,
    api_domain: apiUrl,
  }),
  failure: (failure) => refuse(PIPEDRIVE_TEXTS, failure, failure === 'rate_limited' ? 429 : 400),
};

export const DIALECTS: Readonly<Record<OauthCrm, OauthDialect>> = { hubspot, salesforce, pipedrive };
