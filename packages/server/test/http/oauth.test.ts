import {
  startHubspotSimulator,
  startPipedriveSimulator,
  startSalesforceSimulator,
  type HubspotSimulator,
  type PipedriveSimulator,
  type SalesforceSimulator,
} from '@svc/simulators';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import { readGrant } from '@svc/engine/crm/grants';
import { deleteOldConsents, findLoginUrl } from '@svc/engine/store/oauth-consents';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { FakeBrowser, type Page } from '../support/browser.ts';
import type { Clock } from '@svc/engine/runtime/clock';
import { NOW, startTestServer, type TestServer } from '../support/harness.ts';

const CLIENT = { id: 'app-1', secret: 'app-1-secret', requiresPkce: true, hasRunAsUser: true };
const HUBSPOT_APP = { ...CLIENT, requiresPkce: false };
const SCOPES = ['base', 'contacts:full', 'activities:full'];
const { HUBSPOT, SALESFORCE, PIPEDRIVE } = { HUBSPOT: 'HUBSPOT', SALESFORCE: 'SALESFORCE', PIPEDRIVE: 'PIPEDRIVE' };

describe.each(backends.filter(({ isAvailable }) => isAvailable))('consents at CRMs on $name', (backend) => {
  let server: TestServer;
  let hubspot: HubspotSimulator;
  let salesforce: SalesforceSimulator;
  let pipedrive: PipedriveSimulator;
  const logged: string[] = [];
  let accountId: number;

  beforeAll(async () => {
    let clock: Clock | null = null;
    const now = () => clock?.now() ?? NOW;
    hubspot = await startHubspotSimulator({ now, oauth: { clients: [HUBSPOT_APP] } });
    salesforce = await startSalesforceSimulator({ now, oauth: { clients: [CLIENT], rotates: true } });
    pipedrive = await startPipedriveSimulator({ now, oauth: { clients: [{ ...HUBSPOT_APP, scopes: SCOPES }] } });
    const client = { id: CLIENT.id, secret: CLIENT.secret };
    server = await startTestServer(backend, {
      log: pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }),
      config: {
        crmUrls: { HUBSPOT: hubspot.url, PIPEDRIVE: pipedrive.url },
        oauthClients: { HUBSPOT: client, SALESFORCE: client, PIPEDRIVE: client },
        oauthLoginUrls: { HUBSPOT: hubspot.url, SALESFORCE: salesforce.url, PIPEDRIVE: pipedrive.url },
      },
    });
    clock = server.clock;
  });
  beforeEach(async () => {
    for (const { oauth } of [hubspot, salesforce, pipedrive]) oauth.reset();
    const { account } = (await admin('accounts/create', { email: `${crypto.randomUUID()}@example.com` })) as {
      account: { id: number };
    };
    accountId = account.id;
  });
  afterAll(async () => {
    await Promise.all([hubspot, salesforce, pipedrive, server].map((part) => part.close()));
  });

  type Operation = Parameters<typeof performAdmin>[1];
  const admin = (name: Operation, input: object) => performAdmin(server.running.ctx, name, input, 'a test');

  async function connect(crm: string, input: object = {}): Promise<{ id: number; url: string; redirectUrl: string }> {
    const begun = await admin('connections/connect', { accountId, crm, ...input });
    return (begun as { consent: { id: number; url: string; redirectUrl: string } }).consent;
  }

  /** Allows access on the consent page. */
  async function allow(crm: string, input: object = {}): Promise<Page> {
    const { url } = await connect(crm, input);
    const browser = new FakeBrowser();
    return browser.press(await browser.open(url), 'allow');
  }

  async function rowsOf(id: number) {
    const { rows } = await server.db.query<{
      id: number;
      crm: string;
      organizationId: string;
      domain: string;
      token: string | null;
    }>(
      `select id, crm, organization_id as "organizationId", organization_domain as domain, crm_token as token
        from connections where account_id = $1 order by id`,
      [id],
    );
    return rows;
  }

  async function grantOf(id: number) {
    const { rows } = await server.db.query<{ token: string }>(
      'select crm_token as token from connections where id = $1',
      [id],
    );
    return readGrant(server.running.ctx.secrets.decrypt(rows[0]?.token ?? '', { kind: 'CRM token', id }));
  }

  test.each([
    [HUBSPOT, { organizationId: '1000001', apiUrl: null, expires: 1_800, domain: 'app.hubspot.com' }],
    [
      SALESFORCE,
      { organizationId: '00D000000000001EAA', apiUrl: () => salesforce.url, expires: null, domain: '127.0.0.1' },
    ],
  ] as const)('%s: a new connection', async (crm, { organizationId, apiUrl, expires, domain }) => {
    const consent = await connect(crm);
    expect(consent.redirectUrl).toBe(`${server.url}/oauth/${crm.toLowerCase()}/callback`);
    const browser = new FakeBrowser();
    expect(await admin('connections/connect-result', { id: consent.id })).toMatchObject({ state: 'pending' });
    const page = await browser.press(await browser.open(consent.url), 'allow');
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('is connected')]);
    const [connection] = await rowsOf(accountId);
    expect(connection).toMatchObject({ crm, organizationId, domain });
    expect(await admin('connections/connect-result', { id: consent.id })).toMatchObject({
      state: 'connected',
      connectionId: connection?.id,
    });
    expect(await grantOf(connection?.id ?? 0)).toMatchObject({
      type: 'refresh_token',
      apiUrl: apiUrl === null ? null : apiUrl(),
      expiresAt: expires === null ? null : new Date(server.clock.now().getTime() + expires * 1_000).toISOString(),
    });
  });

  test('the same organization again reconnects its connection, with an organization domain and switches as given', async () => {
    await allow(HUBSPOT, { organizationDomain: 'northwind.example.com', sync: false });
    const page = await allow(HUBSPOT);
    expect(page.html).toContain('is connected again');
    expect(await rowsOf(accountId)).toMatchObject([{ domain: 'northwind.example.com' }]);
  });

  // The statements are the same as above, so one database shows the rest.
  if (backend !== anyBackend) return;

  test('a disconnected connection is reconnected in the browser by somebody who is not signed in', async () => {
    await allow(SALESFORCE);
    const [connection] = await rowsOf(accountId);
    const id = connection?.id ?? 0;
    const browser = new FakeBrowser();
    const start = `${server.url}/oauth/connections/${id}/start`;
    expect((await browser.open(start)).status).toBe(404);
    await admin('connections/disconnect', { id });
    const page = await browser.press(await browser.open(start), 'allow');
    expect(page.html).toContain(`Connection ${id} is connected again`);
    expect((await grantOf(id)).type).toBe('refresh_token');
  });

  test('a consent that a page began is refused in another browser, and still works in the first', async () => {
    await allow(SALESFORCE);
    const [connection] = await rowsOf(accountId);
    await admin('connections/disconnect', { id: connection?.id });
    const first = new FakeBrowser();
    const consentPage = await first.open(`${server.url}/oauth/connections/${connection?.id}/start`);
    const stolen = await new FakeBrowser().press(consentPage, 'allow');
    expect([stolen.status, stolen.html]).toEqual([400, expect.stringContaining('begun in another browser')]);
    expect((await first.press(consentPage, 'allow')).status).toBe(200);
  });

  test('a state is used once, and for ten minutes', async () => {
    const page = await allow(HUBSPOT);
    const again = await new FakeBrowser().open(page.url.href);
    expect([again.status, again.html]).toEqual([400, expect.stringContaining('has expired or was already used')]);
    const { url } = await connect(HUBSPOT);
    server.clock.advance(10 * 60_000);
    const browser = new FakeBrowser();
    expect((await browser.press(await browser.open(url), 'allow')).status).toBe(400);
  });

  test('a consent of another organization is refused and revoked, and the connection keeps its grant', async () => {
    await allow(HUBSPOT);
    const [connection] = await rowsOf(accountId);
    hubspot.oauth.signIn({ organizationId: '2000002', userId: '9' });
    const page = await allow(HUBSPOT, { connectionId: connection?.id });
    expect([page.status, page.html]).toEqual([400, expect.stringContaining('another HubSpot account')]);
    expect(await rowsOf(accountId)).toEqual([connection]);
    expect(hubspot.requests().at(-1)).toMatchObject({ path: '/oauth/2026-09/token/revoke', status: 200 });
  });

  test.each([
    [SALESFORCE, '00D000000000002EAA', '00D000000000003EAA'],
    [PIPEDRIVE, '7000002', '7000003'],
  ])('%s: a refused consent is revoked, but not one of an organization that is connected', async (crm, own, other) => {
    const { oauth } = crm === SALESFORCE ? salesforce : pipedrive;
    oauth.signIn({ organizationId: own, userId: '9' });
    await allow(crm);
    const [connection] = await rowsOf(accountId);
    oauth.signIn({ organizationId: other, userId: '9' });
    const refused = async () => (await allow(crm, { connectionId: connection?.id })).status;
    expect(await refused()).toBe(400);
    expect(oauth.grantCount()).toBe(1);
    expect((await allow(crm)).status).toBe(200);
    expect(await refused()).toBe(400);
    expect(oauth.grantCount()).toBe(3);
  });

  test('a revocation that fails changes nothing else', async () => {
    hubspot.failNext(1, 503, { match: /revoke/ });
    await allow(HUBSPOT);
    const [connection] = await rowsOf(accountId);
    hubspot.oauth.signIn({ organizationId: '2000002', userId: '9' });
    const page = await allow(HUBSPOT, { connectionId: connection?.id });
    expect([page.status, page.html]).toEqual([400, expect.stringContaining('another HubSpot account')]);
  });

  test('access that is not allowed connects nothing, and the waiting command learns why', async () => {
    const { id, url } = await connect(HUBSPOT);
    const browser = new FakeBrowser();
    const page = await browser.press(await browser.open(url), 'deny');
    expect([page.status, page.html]).toEqual([400, expect.stringContaining('was not allowed')]);
    expect(await admin('connections/connect-result', { id })).toMatchObject({
      state: 'failed',
      error: page.html.match(/<p>(.*)<\/p>/)?.[1],
    });
    expect(await rowsOf(accountId)).toEqual([]);
  });

  test('scopes that were not granted are named', async () => {
    const { url } = await connect(SALESFORCE);
    const narrowed = new URL(url);
    narrowed.searchParams.set('scope', 'refresh_token id');
    const browser = new FakeBrowser();
    const page = await browser.press(await browser.open(narrowed.href), 'allow');
    expect([page.status, page.html]).toEqual([400, expect.stringContaining('needed: api.')]);
  });

  test('a token endpoint that does not answer connects nothing', async () => {
    hubspot.failNext(1, 'lost-answer', { match: /POST \/oauth\/2026-09\/token/ });
    const page = await allow(HUBSPOT);
    expect([page.status, page.html]).toEqual([503, expect.stringContaining('gave no usable answer')]);
  });

  test('pages repeat nothing of the request, load nothing, and are not kept; nothing secret is logged', async () => {
    logged.length = 0;
    const { url } = await connect(HUBSPOT);
    const state = new URL(url).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ state, error: '<script>evil</script>', error_description: '<img src=x>' });
    const page = await new FakeBrowser().open(`${server.url}/oauth/hubspot/callback?${query}`);
    expect(page.status).toBe(400);
    expect(page.html).not.toMatch(/evil|<img|src=x/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const done = await allow(SALESFORCE);
    const code = done.url.searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    for (const secret of [state, code, CLIENT.secret, 'sim_access', 'sim_refresh', 'evil']) {
      expect(logged.join('')).not.toContain(secret);
    }
  });

  test('a HEAD uses up no state', async () => {
    const { url } = await connect(HUBSPOT);
    const state = new URL(url).searchParams.get('state') ?? '';
    const answer = await fetch(`${server.url}/oauth/hubspot/callback?code=x&state=${state}`, { method: 'HEAD' });
    expect(answer.status).toBe(404);
    const browser = new FakeBrowser();
    expect((await browser.press(await browser.open(url), 'allow')).status).toBe(200);
  });

  test("Pipedrive: an installation from the Marketplace, without a state, leads to a consent of the server's own", async () => {
    await admin('connections/add', {
      ...{ accountId, crm: PIPEDRIVE, organizationId: '7000001', organizationDomain: 'acme.example.com' },
      crmToken: 'private-token',
    });
    const [connection] = await rowsOf(accountId);
    await admin('connections/disconnect', { id: connection?.id });
    const browser = new FakeBrowser();
    const consentPage = await browser.open(`${server.url}/oauth/pipedrive/callback?code=from-the-marketplace`);
    expect(consentPage.url.origin).toBe(pipedrive.url);
    const page = await browser.press(consentPage, 'allow');
    expect(page.html).toContain(`Connection ${connection?.id} is connected again`);
    expect(pipedrive.oauth.tokenCalls()).toMatchObject([{ grantType: 'authorization_code', status: 200 }]);
  });

  test('Pipedrive: installations that strangers begin are stored up to a limit', async () => {
    const begin = () =>
      fetch(`${server.url}/oauth/pipedrive/callback?code=from-the-marketplace`, { redirect: 'manual' });
    expect((await begin()).status).toBe(303);
    await server.db.query(
      `insert into oauth_consents (state_hash, crm, is_public, login_url, redirect_uri, settings, created_at, expires_at)
        select sha256(n::text::bytea), crm, is_public, login_url, redirect_uri, settings, created_at, expires_at
        from generate_series(1, 199) n,
          (select * from oauth_consents where connection_id is null order by id desc limit 1) last`,
    );
    const refused = await begin();
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('Try again in ten minutes')]);
    server.clock.advance(3_600_000);
    expect((await begin()).status).toBe(303);
  });

  test('Pipedrive: the removal of the app disconnects, with proof of the client only', async () => {
    await allow(PIPEDRIVE);
    const [connection] = await rowsOf(accountId);
    expect(connection).toMatchObject({ organizationId: '7000001' });
    const remove = (secret: string) =>
      fetch(`${server.url}/oauth/pipedrive/callback`, {
        method: 'DELETE',
        headers: { authorization: `Basic ${btoa(`${CLIENT.id}:${secret}`)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: CLIENT.id, company_id: 7_000_001, user_id: 7_101 }),
      });
    expect((await remove('wrong')).status).toBe(401);
    expect((await rowsOf(accountId))[0]?.token).not.toBeNull();
    expect((await remove(CLIENT.secret)).status).toBe(204);
    expect((await rowsOf(accountId))[0]?.token).toBeNull();
  });

  test('Salesforce by client credentials: asked for its organization, and stored for later tokens', async () => {
    const input = {
      ...{ accountId, crm: SALESFORCE, organizationDomain: 'acme.example.com', checksToken: true },
      ...{ clientId: CLIENT.id, crmToken: CLIENT.secret, myDomain: salesforce.url },
    };
    await expect(admin('connections/add', { ...input, organizationId: '00D000000000009EAA' })).rejects.toThrow(
      'belongs to Salesforce organization 00D000000000001EAA',
    );
    await admin('connections/add', { ...input, organizationId: '00D000000000001EAA' });
    const [connection] = await rowsOf(accountId);
    expect(await grantOf(connection?.id ?? 0)).toMatchObject({
      ...{ type: 'client_credentials', clientSecret: CLIENT.secret, apiUrl: salesforce.url },
      accessToken: expect.stringContaining('sim_access'),
    });
    await expect(
      admin('connections/add', { ...input, organizationId: '00D000000000001EAA', crmToken: 'wrong' }),
    ).rejects.toThrow('Nothing was stored');
  });

  test('the short and the long form of a Salesforce id are one organization', async () => {
    const input = {
      ...{ accountId, crm: SALESFORCE, organizationDomain: 'acme.example.com', checksToken: true },
      ...{ clientId: CLIENT.id, crmToken: CLIENT.secret, myDomain: salesforce.url },
    };
    expect(await admin('connections/add', { ...input, organizationId: '00D000000000001' })).toMatchObject({
      isNew: true,
    });
    expect(await admin('connections/add', { ...input, organizationId: '00D000000000001EAA' })).toMatchObject({
      isNew: false,
    });
    const [connection] = await rowsOf(accountId);
    const { checks } = (await admin('doctor/check', {})) as { checks: { name: string; message: string }[] };
    const tokens = checks.filter(({ name }) => name === 'CRM tokens').map(({ message }) => message);
    expect(tokens.join()).not.toContain(`connection ${connection?.id} `);
  });

  test.each([HUBSPOT, PIPEDRIVE])('%s: the doctor names the command that allows access again', async (crm) => {
    await allow(crm);
    const [connection] = await rowsOf(accountId);
    const id = connection?.id ?? 0;
    await server.db.query('update connections set crm_token = null where id <> $1', [id]);
    // The consent stays, but the connection now stands for another account of the CRM.
    await server.db.query("update connections set organization_id = '4711' where id = $1", [id]);
    const { checks } = (await admin('doctor/check', {})) as { checks: { message: string; fix?: string }[] };
    const check = checks.find(({ message }) => message.startsWith(`connection ${id} (${crm} 4711): the token belongs`));
    expect(check?.fix).toBe(
      `Allow access as a user of account 4711: svc-server connections connect ${crm.toLowerCase()} --account ${accountId} --connection ${id}`,
    );
  });

  test('of expired consents, the latest of each connection is kept, because it tells where its users sign in', async () => {
    await allow(SALESFORCE);
    await allow(SALESFORCE);
    await connect(SALESFORCE);
    const [connection] = await rowsOf(accountId);
    await deleteOldConsents(server.db, new Date(server.clock.now().getTime() + 3_600_000));
    const { rows } = await server.db.query(
      'select result_connection_id as id from oauth_consents where account_id = $1',
      [accountId],
    );
    expect(rows).toEqual([{ id: connection?.id }]);
    expect(await findLoginUrl(server.db, connection?.id ?? 0)).toBe(salesforce.url);
  });

  test.each([
    [{ crm: SALESFORCE, myDomain: 'acme' }, 'https://acme.my.salesforce.com/services/oauth2/authorize'],
    [
      { crm: SALESFORCE, myDomain: 'acme--dev.sandbox.my.salesforce.com' },
      'https://acme--dev.sandbox.my.salesforce.com/',
    ],
    [{ crm: SALESFORCE, sandbox: true }, 'https://test.salesforce.com/'],
  ])('%j: the consent page is %s', async ({ crm, ...input }, start) => {
    expect((await connect(crm, input)).url.startsWith(start)).toBe(true);
  });

  test.each([
    [{ crm: SALESFORCE, myDomain: 'acme.lightning.force.com' }, 'give --my-domain acme.'],
    [{ crm: SALESFORCE, myDomain: 'acme.my.salesforce.com.example.org' }, '--my-domain must be'],
    [{ crm: SALESFORCE, myDomain: 'https://kim@acme.my.salesforce.com:99' }, '--my-domain must be'],
    [{ crm: HUBSPOT, sandbox: true }, 'are for Salesforce'],
    [{ crm: HUBSPOT, connectionId: 999_999 }, 'no connection 999999'],
  ])('%j is refused', async ({ crm, ...input }, message) => {
    await expect(connect(crm, input)).rejects.toThrow(message);
  });
});
