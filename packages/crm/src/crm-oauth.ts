import type { Crm } from '@svc/contract/vocabulary';
import { isLoopbackHost } from '@svc/domain/network/loopback';
import { hubspotOauth } from './hubspot/oauth.ts';
import { pipedriveOauth } from './pipedrive/oauth.ts';
import { salesforceOauth } from './salesforce/oauth.ts';
import { getObject, postForm, readScopes, requestTokens, type TokenRequestOptions } from './oauth/token-request.ts';
import type { OauthClient, OauthDialect, OauthTokens, OauthUrls, TokenOutcome } from './oauth/types.ts';

export type { OauthClient, OauthTokens, TokenOutcome } from './oauth/types.ts';

export interface CrmOauthOptions extends Omit<TokenRequestOptions, 'timeoutMs'> {
  /** Registered apps. */
  clients: Readonly<Partial<Record<Crm, OauthClient>>>;
  urls: Readonly<Record<Crm, OauthUrls>>;
}

/** OAuth with one vendor. Errors contain no tokens. */
export interface CrmOauth {
  readonly vendor: string;
  /** Null: no app is configured. */
  readonly client: OauthClient | null;
  /** The vendor's usual sign-in address. */
  readonly loginUrl: string;
  readonly hasPkce: boolean;
  readonly mayRotate: boolean;
  readonly neededScopes: readonly string[];
  /** Returns the address of the consent page. */
  consentUrl(input: { loginUrl: string; redirectUri: string; state: string; codeChallenge: string | null }): string;
  exchangeCode(input: {
    loginUrl: string;
    code: string;
    redirectUri: string;
    codeVerifier: string | null;
  }): Promise<TokenOutcome>;
  refresh(input: { loginUrl: string; refreshToken: string }): Promise<TokenOutcome>;
  /** Ends a grant that is not needed. Returns whether the vendor did it. */
  revoke(input: { loginUrl: string; refreshToken: string }): Promise<boolean>;
  /** Salesforce: tokens of the app's own user. */
  useClientCredentials(input: { loginUrl: string; client: OauthClient }): Promise<TokenOutcome>;
  /** Salesforce: tokens of a user who has approved the app, by a signed assertion (JWT bearer). */
  useAssertion(input: { loginUrl: string; assertion: string }): Promise<TokenOutcome>;
  /** Returns the `aud` of an assertion: the vendor's general address, not that of the organization. */
  assertionAudience(loginUrl: string): string;
  /**
   * Asks which account new tokens belong to, unless the answer with the tokens said so. Parts that the vendor does not
   * say are null.
   */
  identify(tokens: OauthTokens): Promise<{ organizationId: string | null; scopes: readonly string[] | null }>;
  /**
   * Returns whether an address may be used as sign-in address or for API calls with a token: https, a host of the
   * vendor, and no path. Where the configured addresses are loopback, loopback too.
   */
  isOwnUrl(url: string): boolean;
}

/** Timeout of one call of a token endpoint in ms. */
export const TOKEN_TIMEOUT_MS = 20_000;

const DIALECTS: Readonly<Record<Crm, OauthDialect>> = {
  HUBSPOT: hubspotOauth,
  SALESFORCE: salesforceOauth,
  PIPEDRIVE: pipedriveOauth,
};

export function createCrmOauth({ clients, urls, ...options }: CrmOauthOptions): ReadonlyMap<string, CrmOauth> {
  return new Map(
    (Object.keys(DIALECTS) as Crm[]).map((crm) => [
      crm,
      create(DIALECTS[crm], clients[crm] ?? null, urls[crm], { ...options, timeoutMs: TOKEN_TIMEOUT_MS }),
    ]),
  );
}

function create(
  dialect: OauthDialect,
  client: OauthClient | null,
  urls: OauthUrls,
  options: TokenRequestOptions,
): CrmOauth {
  const { vendor, hasPkce, mayRotate, neededScopes, loginUrl } = { ...dialect, ...urls };
  const allowsLoopback = isLoopbackHost(new URL(urls.loginUrl).host);
  const request = (at: string, form: Record<string, string>, as: OauthClient | null = client) =>
    requestTokens(options, dialect, { url: dialect.tokenUrl({ ...urls, loginUrl: at }), client: as, form });
  /** Returns what the vendor says about an access token; null when it does not answer as expected. */
  async function describe(accessToken: string, apiUrl: string | null) {
    const introspectUrl = dialect.introspectUrl(urls);
    const form = { token: accessToken, token_type_hint: 'access_token' };
    const answer =
      introspectUrl !== null
        ? await postForm(options, dialect, { url: introspectUrl, client, form })
        : dialect.accountPath !== null && apiUrl !== null
          ? await getObject(options, dialect, { url: `${apiUrl}${dialect.accountPath}`, accessToken })
          : null;
    return answer?.status === 'answered' && answer.httpStatus === 200 ? answer.body : null;
  }
  return {
    ...{ vendor, client, loginUrl, hasPkce, mayRotate, neededScopes },
    consentUrl({ loginUrl: at, redirectUri, state, codeChallenge }) {
      const url = new URL(`${at}${dialect.authorizePath}`);
      const parameters = {
        response_type: 'code',
        client_id: client?.id ?? '',
        redirect_uri: redirectUri,
        ...dialect.scopeParameters,
        state,
        ...(codeChallenge === null ? {} : { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    exchangeCode: ({ loginUrl: at, code, redirectUri, codeVerifier }) =>
      request(at, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        ...(codeVerifier === null ? {} : { code_verifier: codeVerifier }),
      }),
    refresh: ({ loginUrl: at, refreshToken }) =>
      request(at, { grant_type: 'refresh_token', refresh_token: refreshToken }),
    async revoke({ loginUrl: at, refreshToken }) {
      const url = dialect.revokeUrl({ ...urls, loginUrl: at });
      const form = { token: refreshToken, token_type_hint: 'refresh_token' };
      const answer = await postForm(options, dialect, { url, client, form });
      return answer.status === 'answered' && answer.httpStatus >= 200 && answer.httpStatus < 300;
    },
    useClientCredentials: ({ loginUrl: at, client: own }) => request(at, { grant_type: 'client_credentials' }, own),
    useAssertion: ({ loginUrl: at, assertion }) =>
      request(at, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }, null),
    assertionAudience: audienceOf,
    async identify({ accessToken, apiUrl, organizationId, scopes }) {
      if (organizationId !== null) return { organizationId, scopes };
      const body = await describe(accessToken, apiUrl);
      if (body === null) return { organizationId, scopes };
      return { organizationId: dialect.readOrganizationId(body), scopes: scopes ?? readScopes(body, ' ') };
    },
    isOwnUrl(text) {
      const url = URL.parse(text);
      if (url === null || url.username !== '' || url.password !== '') return false;
      if (allowsLoopback && isLoopbackHost(url.host)) return true;
      // Paths are appended, so nothing but the host may come from the vendor.
      if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return false;
      const isOwn = dialect.hosts.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`));
      return isOwn && url.protocol === 'https:' && url.port === '';
    },
  };
}

function audienceOf(loginUrl: string): string {
  const { hostname } = new URL(loginUrl);
  if (isLoopbackHost(hostname)) return loginUrl;
  const isSandbox = hostname === 'test.salesforce.com' || hostname.includes('.sandbox.');
  return isSandbox ? 'https://test.salesforce.com' : 'https://login.salesforce.com';
}
