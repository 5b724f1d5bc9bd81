/** The way to the OpenID Connect provider and back, bound to the browser by a cookie that only this way reads. */
import { isLoopbackHost } from '@svc/domain/network/loopback';
import type { OidcConfig } from '@svc/engine/config/config';
import type { PublicUrls } from '@svc/engine/config/public-urls';
import { loadOnce } from '@svc/engine/runtime/load-once';
import type { Configuration, IDToken } from 'openid-client';
import { readCookie, writeCookie } from './cookies.ts';

/** How long a user may take at the provider. */
const FLOW_MS = 10 * 60_000;
const TIMEOUT_SECONDS = 10;
/** How old a sign-in at the provider may be, in seconds. The provider asks the user again for an older one. */
const MAX_AGE_SECONDS = 7 * 24 * 60 * 60;
const EMAIL = /^[\x21-\x7e]{3,254}$/;

/** One way to the provider and back. */
export interface Flow {
  /** The user proves again who they are. */
  isConfirmation: boolean;
  begunAt: Date;
  state: string;
  nonce: string;
  verifier: string;
}

export interface Identity {
  issuer: string;
  subject: string;
  /** When the user proved to the provider who they are; null when the provider does not say. */
  provedAt: Date | null;
  /** Null when the provider gives none, or one that it has not verified. */
  verifiedEmail(): Promise<string | null>;
}

export interface Provider {
  /** Returns where the browser goes. */
  begin(isConfirmation: boolean, now: Date): Promise<{ url: URL; flow: Flow }>;
  /** @throws Error when the provider or its answer cannot be trusted */
  finish(flow: Flow, query: string): Promise<Identity>;
}

/** The library is loaded and the provider asked at the first use. */
export function createProvider(config: OidcConfig, { dashboard }: PublicUrls): Provider {
  const redirectUri = `${dashboard}/api/oidc/callback`;
  const load = loadOnce(() => discover(config));
  return {
    async begin(isConfirmation, now) {
      const { client, provider } = await load();
      const flow: Flow = {
        ...{ isConfirmation, begunAt: now, state: client.randomState(), nonce: client.randomNonce() },
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(provider, {
        ...{ redirect_uri: redirectUri, scope: 'openid email', state: flow.state, nonce: flow.nonce },
        ...{ code_challenge: await client.calculatePKCECodeChallenge(flow.verifier), code_challenge_method: 'S256' },
        ...(isConfirmation ? { prompt: 'login', max_age: '0' } : { max_age: String(MAX_AGE_SECONDS) }),
      });
      return { url, flow };
    },
    async finish(flow, query) {
      const { client, provider } = await load();
      const tokens = await client.authorizationCodeGrant(provider, new URL(`${redirectUri}${query}`), {
        ...{ pkceCodeVerifier: flow.verifier, expectedState: flow.state, expectedNonce: flow.nonce },
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('The provider sent no ID token.');
      return {
        issuer: config.issuer,
        subject: claims.sub,
        provedAt: typeof claims.auth_time === 'number' ? new Date(claims.auth_time * 1_000) : null,
        async verifiedEmail() {
          const said =
            claims['email'] === undefined
              ? await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
              : claims;
          return emailOf(said);
        },
      };
    },
  };
}

/** Only ASCII, because databases take some other letters for the lower case of an ASCII one. */
function emailOf(claims: Pick<IDToken, string>): string | null {
  const { email, email_verified: isVerified } = claims;
  return isVerified === true && typeof email === 'string' && EMAIL.test(email) ? email : null;
}

async function discover({ issuer, clientId, clientSecret }: OidcConfig) {
  const client = await import('openid-client');
  const isLocal = isLoopbackHost(new URL(issuer).host);
  const provider: Configuration = await client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    (as, ...rest) => {
      // The default of the specification, and of providers that do not say.
      const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const authenticate = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
      authenticate(clientSecret)(as, ...rest);
    },
    {
      timeout: TIMEOUT_SECONDS,
      // The configuration allows http on this machine only.
      execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
    },
  );
  return { client, provider };
}

const COOKIE = { name: 'oidc', folder: '/api/oidc' };

/** @param flow null deletes the cookie */
export function flowCookie(urls: PublicUrls, flow: Flow | null): string {
  const value =
    flow === null
      ? null
      : [Number(flow.isConfirmation), flow.begunAt.getTime(), flow.state, flow.nonce, flow.verifier].join('.');
  return writeCookie(urls, { ...COOKIE, value, maxAgeSeconds: FLOW_MS / 1_000 });
}

/** Returns the flow of this browser; null when there is none or it took too long. */
export function readFlow(urls: PublicUrls, header: string | undefined, now: Date): Flow | null {
  const match = /^([01])\.(\d{1,15})\.([\w-]{43})\.([\w-]{43})\.([\w-]{43})$/.exec(
    readCookie(urls, COOKIE, header) ?? '',
  );
  if (match === null) return null;
  const [, confirmation, begunMs, state = '', nonce = '', verifier = ''] = match;
  const begunAt = new Date(Number(begunMs));
  const ageMs = now.getTime() - begunAt.getTime();
  if (Number.isNaN(ageMs) || ageMs < 0 || ageMs > FLOW_MS) return null;
  return { isConfirmation: confirmation === '1', begunAt, state, nonce, verifier };
}
