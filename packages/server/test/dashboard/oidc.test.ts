/** Sign-in at a real OpenID Connect provider, over HTTP from the button to the session. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { performAdmin } from '@svc/operations/perform';
import { FakeBrowser } from '../support/browser.ts';
import { SAME_ORIGIN, send } from '../support/dashboard-user.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import type { RunningServer } from '../../src/main/server.ts';

let server: TestServer;
let idp: IdentityProvider;
/** The server that knows the provider. */
let running: RunningServer;
let email: string;
let count = 0;
const logged: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
  server = await startTestServer(anyBackend, { log });
  server.clock.advance(Date.now() - server.clock.now().getTime());
  idp = await startIdentityProvider();
  const { issuer, client } = idp;
  const oidc = { issuer, clientId: client.id, clientSecret: client.secret, name: 'Example ID' };
  running = await server.startAnother({ oidc });
  idp.register(`${running.url}/dashboard/api/oidc/callback`);
});
afterAll(async () => {
  await running.close();
  await idp.close();
  await server.close();
});
beforeEach(() => {
  count += 1;
  email = `kim${count}@example.com`;
  logged.length = 0;
});
const invite = (role: 'admin' | 'viewer' = 'viewer') =>
  performAdmin(running.ctx, 'users/invite', { email, role }, 'a test');

const who = (id: string, more: { email?: string; isVerified?: boolean } = { email, isVerified: true }) => {
  idp.user = { id, ...more };
  // By the clock of the server, which the tests move.
  idp.provedAt = Math.floor(server.clock.now().getTime() / 1_000);
};

/** A person in front of a browser of their own. */
class Person {
  readonly browser = new FakeBrowser();

  /** Presses the button, and returns where the browser arrives. */
  async signIn(confirm = false): Promise<string> {
    const page = await this.browser.open(`${running.url}/dashboard/api/oidc/start${confirm ? '?confirm=1' : ''}`);
    return page.url.pathname + page.url.search;
  }

  async session() {
    const { html } = await this.browser.open(`${running.url}/dashboard/api/session`);
    return JSON.parse(html).user;
  }

  async redeem(link: string): Promise<void> {
    const response = await fetch(`${running.url}/dashboard/api/session/link`, {
      method: 'POST',
      headers: { ...SAME_ORIGIN, 'content-type': 'application/json' },
      body: JSON.stringify({ token: link.split('/').at(-1) }),
    });
    expect(response.status).toBe(200);
    this.browser.keepCookies(new URL(running.url), response.headers.getSetCookie());
  }
}

const lastEntry = async () => {
  const { rows } = await server.db.query<object>(
    `select actor, operation, input, outcome from audit_log where operation like 'session/%' order by id desc limit 1`,
  );
  return rows[0];
};

test('the session says what the button shows', async () => {
  const { json } = await send(running.url, 'GET', 'session', undefined, {});
  expect(json.methods).toEqual({ password: true, oidc: 'Example ID' });
});

test('an invited and verified address signs in, and is known by the identity afterwards', async () => {
  const { user } = await invite('admin');
  who('id-1');
  const person = new Person();
  expect(await person.signIn()).toBe('/dashboard/');
  expect(await person.session()).toMatchObject({ id: user.id, email, role: 'admin', hasOidc: true, isRecent: true });
  expect(await lastEntry()).toEqual({
    ...{ actor: `user:${email}`, operation: 'session/sign-in', outcome: 'done' },
    input: { by: 'oidc', address: '127.0.0.1', bindsIdentity: true },
  });
  // The provider may give the person another address, or the address to another person.
  who('id-1', { email: 'renamed@example.com', isVerified: false });
  const again = new Person();
  expect(await again.signIn()).toBe('/dashboard/');
  expect(await again.session()).toMatchObject({ id: user.id });
  who('id-of-another');
  const other = new Person();
  expect(await other.signIn()).toBe('/dashboard/?problem=other-user');
  expect(await other.session()).toBeNull();
});

test.each([
  ['was not invited', () => ({ email: 'stranger@example.com', isVerified: true })],
  ['is not verified', () => ({ email, isVerified: false })],
  ['may be verified or not', () => ({ email })],
  ['is missing', () => ({})],
  [
    'has a letter whose lower case is that of another one',
    () => ({ email: email.replace('k', '\u212a'), isVerified: true }),
  ],
])('an address that %s does not sign in', async (_what, claims) => {
  await invite();
  who(`id-${count}`, claims());
  const person = new Person();
  expect(await person.signIn()).toBe('/dashboard/?problem=not-invited');
  expect(await person.session()).toBeNull();
  expect(await lastEntry()).toEqual({
    ...{ actor: 'unknown user', operation: 'session/sign-in', outcome: 'not_invited' },
    input: { by: 'oidc', address: '127.0.0.1' },
  });
});

test('a refusal at the provider comes back as one', async () => {
  idp.user = null;
  expect(await new Person().signIn()).toBe('/dashboard/?problem=refused');
});

test('a link lets a user with another address bind their identity', async () => {
  const person = new Person();
  await person.redeem((await invite()).link);
  who(`id-${count}`, { email: 'unlike@example.com', isVerified: false });
  expect(await person.signIn(true)).toBe('/dashboard/');
  expect(await person.session()).toMatchObject({ email, hasOidc: true });
  const other = new Person();
  expect(await other.signIn()).toBe('/dashboard/');
  expect(await other.session()).toMatchObject({ email });
});

test('a sign-in that is not recent binds no identity', async () => {
  const person = new Person();
  await person.redeem((await invite()).link);
  server.clock.advance(15 * 60_000);
  who(`id-${count}`);
  expect(await person.signIn(true)).toBe('/dashboard/?problem=other-user');
  expect(await person.session()).toMatchObject({ hasOidc: false, isRecent: false });
});

describe('confirmation', () => {
  const signedIn = async () => {
    await invite();
    who(`id-${count}`);
    const person = new Person();
    expect(await person.signIn()).toBe('/dashboard/');
    return person;
  };

  test('asks the user again, although the provider knows them', async () => {
    const person = await signedIn();
    const before = idp.asked;
    expect(await person.signIn()).toBe('/dashboard/');
    expect(idp.asked).toBe(before);
    server.clock.advance(15 * 60_000);
    expect(await person.session()).toMatchObject({ isRecent: false });
    expect(await person.signIn(true)).toBe('/dashboard/?problem=refused');
    who(`id-${count}`);
    expect(await person.signIn(true)).toBe('/dashboard/');
    expect(idp.asked).toBe(before + 2);
    expect(await person.session()).toMatchObject({ isRecent: true });
  });

  test('by another user is refused', async () => {
    await signedIn();
    const person = new Person();
    await person.redeem((await invite()).link);
    who('id-1');
    expect(await person.signIn(true)).toBe('/dashboard/?problem=other-user');
    expect(await person.session()).toMatchObject({ email });
  });

  test('without a session is refused', async () => {
    who('id-1');
    expect(await new Person().signIn(true)).toBe('/dashboard/?problem=expired');
  });
});

test('a sign-in at the provider of an hour ago is not recent here', async () => {
  await invite();
  who(`id-${count}`);
  idp.provedAt = Math.floor(server.clock.now().getTime() / 1_000) - 3_600;
  const person = new Person();
  expect(await person.signIn()).toBe('/dashboard/');
  expect(await person.session()).toMatchObject({ email, isRecent: false });
});

describe('attacks', () => {
  const isCallback = ({ pathname }: URL) => pathname.endsWith('/callback');
  /** Goes to the provider and back, and returns the address of the callback without opening it. */
  const stopBeforeCallback = async (person: Person) =>
    (await person.browser.open(`${running.url}/dashboard/api/oidc/start`, {}, isCallback)).url;
  const openIn = async (person: Person, url: URL) => {
    const page = await person.browser.open(url.href);
    return page.url.pathname + page.url.search;
  };
  let victim: Person;
  beforeEach(async () => {
    await invite();
    who(`id-${count}`);
    victim = new Person();
  });

  test("the callback of the attacker in the victim's browser", async () => {
    const url = await stopBeforeCallback(new Person());
    expect(await openIn(victim, url)).toBe('/dashboard/?problem=expired');
    expect(await victim.session()).toBeNull();
  });

  test('the callback of the attacker in the browser of a victim who signs in just now', async () => {
    const url = await stopBeforeCallback(new Person());
    await stopBeforeCallback(victim);
    expect(await openIn(victim, url)).toBe('/dashboard/?problem=expired');
  });

  test('the code of the attacker with the state of the victim', async () => {
    const [of, own] = [await stopBeforeCallback(victim), await stopBeforeCallback(new Person())];
    of.searchParams.set('code', own.searchParams.get('code') ?? '');
    expect(await openIn(victim, of)).toBe('/dashboard/?problem=failed');
    expect(await victim.session()).toBeNull();
    expect(logged.join('')).toContain('a sign-in with OpenID Connect failed');
    expect(logged.join('')).not.toContain(idp.client.secret);
    expect(logged.join('')).not.toContain(of.searchParams.get('code') ?? '');
  });

  test('a callback that is opened again', async () => {
    const url = await stopBeforeCallback(victim);
    expect(await openIn(victim, url)).toBe('/dashboard/');
    expect(await openIn(victim, url)).toBe('/dashboard/?problem=expired');
  });

  test('a callback after ten minutes', async () => {
    const url = await stopBeforeCallback(victim);
    server.clock.advance(10 * 60_000 + 1);
    expect(await openIn(victim, url)).toBe('/dashboard/?problem=expired');
  });

  test.each<[string, (url: URL) => void, string]>([
    ['without a state', (url) => url.searchParams.delete('state'), 'expired'],
    ['with another state', (url) => url.searchParams.set('state', 'A'.repeat(43)), 'expired'],
    ['with two states', (url) => url.searchParams.append('state', 'A'.repeat(43)), 'failed'],
    ['without a code', (url) => url.searchParams.delete('code'), 'failed'],
    ['with another code', (url) => url.searchParams.set('code', 'A'.repeat(43)), 'failed'],
    ['of another issuer', (url) => url.searchParams.set('iss', 'https://evil.example'), 'failed'],
    ['without an issuer', (url) => url.searchParams.delete('iss'), 'failed'],
    ['with an error', (url) => url.searchParams.set('error', 'access_denied'), 'refused'],
  ])('a callback %s', async (_what, change, problem) => {
    const url = await stopBeforeCallback(victim);
    change(url);
    expect(await openIn(victim, url)).toBe(`/dashboard/?problem=${problem}`);
    expect(await victim.session()).toBeNull();
  });

  test('a HEAD, as of a link preview, does not use up the code', async () => {
    const url = await stopBeforeCallback(victim);
    expect((await fetch(url, { method: 'HEAD', redirect: 'manual' })).status).toBe(404);
    expect(await openIn(victim, url)).toBe('/dashboard/');
  });

  test('a sign-in of a user who is removed meanwhile', async () => {
    expect(await victim.signIn()).toBe('/dashboard/');
    const { id } = await victim.session();
    const url = await stopBeforeCallback(victim);
    await performAdmin(running.ctx, 'users/remove', { id, isConfirmed: true }, 'a test');
    expect(await openIn(victim, url)).toBe('/dashboard/?problem=not-invited');
  });
});

test('a provider that does not answer is a problem of the page, and is asked again', async () => {
  const oidc = { issuer: 'http://127.0.0.1:9', clientId: 'svc', clientSecret: 'hunter2', name: 'Gone' };
  const other = await server.startAnother({ oidc });
  try {
    const { url } = await new FakeBrowser().open(`${other.url}/dashboard/api/oidc/start`);
    expect(url.pathname + url.search).toBe('/dashboard/?problem=failed');
  } finally {
    await other.close();
  }
});

test('without a provider there are no such routes', async () => {
  expect((await fetch(`${server.url}/dashboard/api/oidc/start`)).status).toBe(404);
});
