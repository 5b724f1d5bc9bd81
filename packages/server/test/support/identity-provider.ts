/** A real OpenID Connect provider on this machine. Whoever comes is signed in as `user`, and asked for nothing. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Context } from 'oidc-provider';

export interface IdentityUser {
  id: string;
  email?: string;
  isVerified?: boolean;
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** Who sits at the browser; null refuses. */
  user: IdentityUser | null;
  /** How many times the provider asked who sits there. */
  readonly asked: number;
  /** When the user proves it, in seconds since 1970. Default: now */
  provedAt?: number;
  /** Lets the provider begin, with the redirect URI of the server that signs users in. */
  register(redirectUri: string): void;
  close(): Promise<void>;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const client = { id: 'svc', secret: 'secret-of-svc+/=%' };
  const users = new Map<string, IdentityUser>();
  let asked = 0;
  let provider: Provider | undefined;
  const http = createServer((request, response) => {
    if (provider === undefined || request.url?.startsWith('/interaction/') !== true) {
      provider?.callback()(request, response);
      return;
    }
    asked += 1;
    const { user, provedAt } = own;
    if (user !== null) users.set(user.id, user);
    const ts = provedAt === undefined ? {} : { ts: provedAt };
    const result = user === null ? { error: 'access_denied' } : { login: { accountId: user.id, ...ts } };
    provider.interactionFinished(request, response, result).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const configurationFor = (redirectUri: string) => ({
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['a key of the tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    jwks: { keys: [{ ...key, kid: '1', use: 'sig', alg: 'RS256' }] },
    pkce: { required: () => true },
    findAccount: (_ctx: unknown, id: string) => ({
      accountId: id,
      claims() {
        const { email, isVerified } = users.get(id) ?? {};
        return { sub: id, email, email_verified: isVerified };
      },
    }),
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
  });
  const own: IdentityProvider = {
    ...{ issuer, client, user: null },
    get asked() {
      return asked;
    },
    register(redirectUri) {
      provider = new Provider(issuer, configurationFor(redirectUri));
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return own;
}
