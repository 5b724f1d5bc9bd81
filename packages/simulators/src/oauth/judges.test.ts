import { createHash, randomBytes } from 'node:crypto';
import { OAuth2 } from '@jsforce/jsforce-node';
import * as openid from 'openid-client';
import { OAuth2Configuration } from 'pipedrive/v1';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SimulatorServer, startSimulatorServer } from '../http/server.ts';
import { OauthSimulator, type OauthSimulatorOptions } from './oauth.ts';

/**
 * Clients that others wrote make the same calls, so that simulator and connector cannot agree on a wrong shape: the
 * vendors' own clients for Salesforce and Pipedrive, and a general client for HubSpot, because HubSpot's own still
 * calls endpoints that end.
 */

const REDIRECT_URI = 'http://127.0.0.1:9/callback';
const client = { id: 'app-1', secret: 'app-1-secret', redirectUris: [REDIRECT_URI] };

function simulate(crm: OauthSimulatorOptions['crm']): { oauth: () => OauthSimulator; url: () => string } {
  let server: SimulatorServer<never>;
  let oauth: OauthSimulator;
  beforeAll(async () => {
    const now = () => new Date();
    oauth = new OauthSimulator({ crm, now, clients: [client], apiUrl: () => server.url });
    server = await startSimulatorServer({
      now,
      answerFault: (status) => ({ status: Number(status) }),
      answer: async (request) => (await oauth.answer(request)) ?? { status: 404 },
      state: () => ({}),
    });
  });
  beforeEach(() => oauth.reset());
  afterAll(() => server.close());
  return { oauth: () => oauth, url: () => server.url };
}

/** Allows the app on the consent page; returns the URL of the callback that the browser would open. */
async function consent(authorizeUrl: string): Promise<URL> {
  const page = await (await fetch(authorizeUrl)).text();
  const fields = [...page.matchAll(/name="([^"]*)" value="([^"]*)"/g)].filter(([, name]) => name !== 'decision');
  const form = new URLSearchParams(
    fields.map(([, name = '', value = '']): [string, string] => [name, value.replaceAll('&amp;', '&')]),
  );
  form.set('decision', 'allow');
  const { origin, pathname } = new URL(authorizeUrl);
  const answer = await fetch(`${origin}${pathname}`, { method: 'POST', body: form, redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '');
}

describe('HubSpot, by openid-client', () => {
  const { oauth, url } = simulate('hubspot');
  const configure = () => {
    const metadata = {
      issuer: url(),
      authorization_endpoint: `${url()}/oauth/authorize`,
      token_endpoint: `${url()}/oauth/2026-09/token`,
      introspection_endpoint: `${url()}/oauth/2026-09/token/introspect`,
      revocation_endpoint: `${url()}/oauth/2026-09/token/revoke`,
    };
    const configuration = new openid.Configuration(
      metadata,
      client.id,
      undefined,
      openid.ClientSecretPost(client.secret),
    );
    // The simulator speaks plain HTTP on loopback.
    openid.allowInsecureRequests(configuration);
    return configuration;
  };

  test('consent with PKCE, code, introspection, refresh, revocation', async () => {
    const configuration = configure();
    const verifier = openid.randomPKCECodeVerifier();
    const callback = await consent(
      openid.buildAuthorizationUrl(configuration, {
        redirect_uri: REDIRECT_URI,
        scope: 'oauth crm.objects.contacts.read',
        state: 's',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href,
    );
    const tokens = await openid.authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: verifier,
      expectedState: 's',
    });
    expect(tokens.expires_in).toBe(1_800);
    const granted = { hub_id: 1_000_001, user_id: 1_001, scopes: ['oauth', 'crm.objects.contacts.read'] };
    expect(tokens).toMatchObject({ ...granted, token_use: 'access_token' });
    expect(await openid.tokenIntrospection(configuration, tokens.access_token)).toMatchObject({
      ...granted,
      ...{ active: true, token: tokens.access_token, token_type: 'bearer', token_use: 'access_token' },
      ...{ client_id: client.id, app_id: expect.any(Number), expires_in: expect.any(Number) },
    });
    const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    expect(refreshed.access_token).not.toBe(tokens.access_token);
    expect(oauth().check(refreshed.access_token)).toMatchObject({ organizationId: '1000001' });
    await openid.tokenRevocation(configuration, tokens.refresh_token ?? '');
    // As HubSpot: the access tokens of a revoked refresh token live on.
    expect(oauth().check(refreshed.access_token)).toMatchObject({ organizationId: '1000001' });
    await expect(openid.refreshTokenGrant(configuration, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('Salesforce, by OAuth2 of jsforce', () => {
  const { oauth, url } = simulate('salesforce');
  const configure = (useVerifier: boolean) =>
    new OAuth2({
      loginUrl: url(),
      clientId: client.id,
      clientSecret: client.secret,
      redirectUri: REDIRECT_URI,
      useVerifier,
    });

  test('consent with PKCE, code, refresh without rotation', async () => {
    const judge = configure(true);
    const callback = await consent(judge.getAuthorizationUrl({ scope: 'api refresh_token id', state: 's' }));
    expect(callback.searchParams.get('state')).toBe('s');
    const tokens = await judge.requestToken(callback.searchParams.get('code') ?? '');
    expect(tokens).toMatchObject({ instance_url: url(), id: expect.stringContaining('/id/00D000000000001EAA/') });
    expect(tokens).not.toHaveProperty('expires_in');
    const refreshed = await judge.refreshToken(String(tokens.refresh_token));
    expect(refreshed).not.toHaveProperty('refresh_token');
    expect(oauth().check(refreshed.access_token)).toMatchObject({ userId: '005000000000001AAA' });
    await judge.revokeToken(String(tokens.refresh_token));
    expect(oauth().check(refreshed.access_token)).toBe('ended');
  });

  test('rotation: each refresh token works once, and using it again ends the whole grant', async () => {
    oauth().setRotation(true);
    const judge = configure(false);
    const { refreshToken } = oauth().issueGrant({ clientId: client.id });
    const next = await judge.refreshToken(refreshToken);
    expect(next.refresh_token).not.toBe(refreshToken);
    await expect(judge.refreshToken(refreshToken)).rejects.toMatchObject({
      name: 'invalid_grant',
      message: 'expired access/refresh token',
    });
    expect(oauth().check(next.access_token)).toBe('ended');
    await expect(judge.refreshToken(String(next.refresh_token))).rejects.toMatchObject({ name: 'invalid_grant' });
  });

  test('a second refresh with the same token while one runs', async () => {
    const judge = configure(false);
    const { refreshToken } = oauth().issueGrant({ clientId: client.id });
    const running = Promise.withResolvers<void>();
    oauth().setTokenWait(() => running.promise);
    const first = judge.refreshToken(refreshToken);
    await expect.poll(() => oauth().tokenCalls().length).toBe(1);
    await expect(judge.refreshToken(refreshToken)).rejects.toMatchObject({
      message: 'token request is already being processed',
    });
    running.resolve();
    expect((await first).access_token).toContain('sim_access');
  });

  test('the sixth grant of one user ends the oldest', async () => {
    const grants = Array.from({ length: 6 }, () => oauth().issueGrant({ clientId: client.id }));
    await expect(configure(false).refreshToken(grants[0]?.refreshToken ?? '')).rejects.toThrow('expired');
    expect(oauth().grantCount()).toBe(5);
  });
});

describe('Pipedrive, by OAuth2Configuration of pipedrive', () => {
  const { oauth, url } = simulate('pipedrive');
  const configure = () =>
    new OAuth2Configuration({
      clientId: client.id,
      clientSecret: client.secret,
      redirectUri: REDIRECT_URI,
      host: url(),
    });

  test('consent without state, code, refresh, revocation', async () => {
    const judge = configure();
    const callback = await consent(judge.authorizationUrl);
    expect(callback.searchParams.has('state')).toBe(false);
    const tokens = await judge.authorize(callback.searchParams.get('code') ?? '');
    expect(judge.basePath).toBe(`${url()}/api/v1`);
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: expect.stringContaining('base,contacts:full') });
    const { access_token: accessToken } = await judge.tokenRefresh();
    expect(accessToken).not.toBe(tokens.access_token);
    expect(oauth().check(accessToken)).toMatchObject({ organizationId: '7000001' });
    await judge.revokeToken('refresh_token');
    expect(oauth().check(accessToken)).toBe('ended');
  });

  test('the client proves who it is by Basic only', async () => {
    const { refreshToken } = oauth().issueGrant({ clientId: client.id });
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: client.id,
      client_secret: client.secret,
    });
    const answer = await fetch(`${url()}/oauth/token`, { method: 'POST', body });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_client' }]);
  });
});

describe('PKCE', () => {
  const { url } = simulate('salesforce');

  test('a wrong verifier gets no token, and the code is used up', async () => {
    const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client.id,
      redirect_uri: REDIRECT_URI,
      code_challenge: challenge,
    });
    const callback = await consent(`${url()}/services/oauth2/authorize?${query}`);
    const exchange = (verifier: string) =>
      fetch(`${url()}/services/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: callback.searchParams.get('code') ?? '',
          redirect_uri: REDIRECT_URI,
          client_id: client.id,
          client_secret: client.secret,
          code_verifier: verifier,
        }),
      }).then((answer) => answer.json());
    expect(await exchange('wrong')).toMatchObject({ error_description: 'invalid code verifier' });
    expect(await exchange('wrong')).toMatchObject({ error_description: 'expired authorization code' });
  });
});
