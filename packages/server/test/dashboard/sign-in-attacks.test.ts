/** Attacks on sign-in, sessions and the requests of other sites. Each must fail, and leave the user signed in as before. */
import { createHook } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { performAdmin } from '@svc/operations/perform';
import { hashPassword } from '../../src/dashboard/passwords.ts';
import { hashCheaply } from '../support/cheap-hashes.ts';
import { type DashboardUser, SAME_ORIGIN, send, signIn } from '../support/dashboard-user.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

const PASSWORD = 'correct horse battery';
const MINUTE = 60_000;

hashCheaply();

let server: TestServer;
let email: string;
let count = 0;
const logged: string[] = [];
/** Everything that must be nowhere but in the answer that gave it. */
const secrets = new Set<string>([PASSWORD]);

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
  // One proxy, so that tests can come from many addresses.
  server = await startTestServer(anyBackend, { log, env: { SVC_TRUST_PROXY: '1' } });
});
afterAll(() => server.close());
beforeEach(() => {
  count += 1;
  email = `victim${count}@example.com`;
});
afterEach(() => server.db.query('delete from rate_windows'));

const invite = async (role: 'admin' | 'viewer' = 'admin', address = email) => {
  const { link } = await performAdmin(server.running.ctx, 'users/invite', { email: address, role }, 'a test');
  const token = link.split('/').at(-1) ?? '';
  secrets.add(token);
  return token;
};
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  send(server.url, 'POST', path, body, headers);
const cookieOf = (headers: Headers) => {
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  secrets.add(tokenOf(cookie));
  return cookie;
};
const tokenOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);
const sessionOf = async (cookie: string) => (await send(server.url, 'GET', 'session', undefined, { cookie })).json.user;
const signedIn = async (role: 'admin' | 'viewer' = 'admin'): Promise<DashboardUser> => {
  const user = await signIn(server, { email, role });
  secrets.add(tokenOf(user.cookie));
  return user;
};
const codeOf = ({ status, json }: { status: number; json: { error?: { code: string } } }) =>
  json.error === undefined ? String(status) : `${status} ${json.error.code}`;
const setPassword = async () =>
  expect((await post('session/link', { token: await invite(), password: PASSWORD })).status).toBe(200);
/** @returns the requests for hashes of passwords while `work` runs */
async function countHashes(work: () => Promise<unknown>): Promise<number> {
  let hashes = 0;
  const hook = createHook({
    init(_id, type) {
      if (/^(ARGON2|SCRYPT)/i.test(type)) hashes += 1;
    },
  }).enable();
  await work();
  hook.disable();
  return hashes;
}

describe('fixation', () => {
  test('a token that the attacker chose is not taken over', async () => {
    const chosen = `svc_session=${'A'.repeat(43)}`;
    const answer = await post('session/link', { token: await invite() }, { cookie: chosen });
    expect(cookieOf(answer.headers)).not.toBe(chosen);
    expect(await sessionOf(chosen)).toBeNull();
  });

  test("the attacker's own session in the victim's browser ends with the victim's sign-in", async () => {
    const attacker = await signIn(server, { email: `attacker${count}@example.com`, role: 'viewer' });
    const answer = await post('session/link', { token: await invite() }, { cookie: attacker.cookie });
    expect(await sessionOf(cookieOf(answer.headers))).toMatchObject({ email });
    expect(await sessionOf(attacker.cookie)).toBeNull();
  });

  test('a password makes a new token, also where the user is signed in already', async () => {
    await setPassword();
    const first = cookieOf((await post('session/password', { email, password: PASSWORD })).headers);
    const second = cookieOf((await post('session/password', { email, password: PASSWORD }, { cookie: first })).headers);
    expect(second).not.toBe(first);
    expect([await sessionOf(first), (await sessionOf(second)).email]).toEqual([null, email]);
  });

  test('a stolen token ends with the confirmation of the victim', async () => {
    await setPassword();
    const stolen = cookieOf((await post('session/password', { email, password: PASSWORD })).headers);
    cookieOf((await post('session/confirm', { password: PASSWORD }, { cookie: stolen })).headers);
    expect(await sessionOf(stolen)).toBeNull();
  });
});

describe('invitations', () => {
  const refused = '403 forbidden';

  test('a link works once', async () => {
    const token = await invite();
    expect(codeOf(await post('session/link', { token }))).toBe('200');
    expect(codeOf(await post('session/link', { token }))).toBe(refused);
  });

  test('a link works for 30 minutes', async () => {
    const [late, inTime] = [await invite(), await invite('viewer', `other${count}@example.com`)];
    server.clock.advance(30 * MINUTE - 1);
    expect(codeOf(await post('session/link', { token: inTime }))).toBe('200');
    server.clock.advance(1);
    expect(codeOf(await post('session/link', { token: late }))).toBe(refused);
  });

  test.each([2, 10])('%i redemptions at once give one session', async (times) => {
    const token = await invite();
    const answers = await Promise.all(Array.from({ length: times }, () => post('session/link', { token })));
    expect(answers.map(codeOf).sort()).toEqual(['200', ...Array(times - 1).fill(refused)]);
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toHaveLength(1);
  });

  test('of two redemptions at once with passwords, the one that wins sets its password', async () => {
    const token = await invite();
    const passwords = ['first horse battery', 'second horse battery'];
    const answers = await Promise.all(passwords.map((password) => post('session/link', { token, password })));
    expect(answers.map(codeOf).sort()).toEqual(['200', refused]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const tries = await Promise.all(passwords.map((password) => post('session/password', { email, password })));
    expect(tries.map(({ status }) => status === 200)).toEqual([winner === 0, winner === 1]);
  });

  test.each<[string, (token: string) => string]>([
    ['with another first character', (token) => (token.startsWith('A') ? 'B' : 'A') + token.slice(1)],
    ['that is cut', (token) => token.slice(0, -1)],
    ['that is continued', (token) => `${token}A`],
    ['in upper case', (token) => token.toUpperCase()],
    ['with a space', (token) => `${token} `],
    ['with a line break', (token) => `${token}\n`],
    ['with NUL', (token) => `${token}\0`],
    ['that is its stored hash', (token) => createHash('sha256').update(token).digest('base64url')],
    ['that is empty', () => ''],
    ['that is SQL', () => "' or true --"],
    ['that matches anything', () => '%'],
  ])('a token %s signs nobody in', async (_what, change) => {
    expect(codeOf(await post('session/link', { token: change(await invite()) }))).toBe(refused);
  });

  test('the link before the last one is invalid', async () => {
    const [first, second] = [await invite(), await invite()];
    expect(codeOf(await post('session/link', { token: first }))).toBe(refused);
    expect(codeOf(await post('session/link', { token: second }))).toBe('200');
  });

  test('the link of a removed user is invalid', async () => {
    const token = await invite('viewer');
    const { users } = await performAdmin(server.running.ctx, 'users/list', {}, 'a test');
    const id = users.find((user) => user.email === email)?.id ?? 0;
    await performAdmin(server.running.ctx, 'users/remove', { id, isConfirmed: true }, 'a test');
    expect(codeOf(await post('session/link', { token }))).toBe(refused);
  });

  test('a session is no link, and a link is no session', async () => {
    const user = await signedIn();
    expect(codeOf(await post('session/link', { token: tokenOf(user.cookie) }))).toBe(refused);
    expect(await sessionOf(`svc_session=${await invite()}`)).toBeNull();
  });

  test('a link in the address instead of the body signs nobody in', async () => {
    expect(codeOf(await post(`session/link?token=${await invite()}`, {}))).toBe('400 invalid_input');
    expect(codeOf(await send(server.url, 'GET', `session/link?token=${await invite()}`, undefined, {}))).toBe(
      '404 not_found',
    );
  });
});

describe('requests of other sites', () => {
  const routes: readonly [string, string, object | undefined][] = [
    ['POST', 'session/link', { token: 'x' }],
    ['POST', 'session/password', { email: 'kim@example.com', password: PASSWORD }],
    ['POST', 'session/confirm', { password: PASSWORD }],
    ['DELETE', 'session', undefined],
    ['PUT', 'password', { password: PASSWORD }],
    ['DELETE', 'sessions/1', undefined],
    ['POST', 'operations/accounts/create', { email: 'mallory@example.com' }],
    ['POST', 'accounts/1/api/v1/webhooks', { url: 'https://example.com' }],
    ['PATCH', 'accounts/1/api/v1/webhooks/1', {}],
    ['DELETE', 'accounts/1/api/v1/webhooks/1', undefined],
  ];
  const host = () => new URL(server.url).host;
  const origins: readonly [string, () => Record<string, string>][] = [
    ['without both headers', () => ({})],
    ['Sec-Fetch-Site: cross-site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['Sec-Fetch-Site: same-site', () => ({ 'sec-fetch-site': 'same-site' })],
    ['Sec-Fetch-Site: none', () => ({ 'sec-fetch-site': 'none' })],
    ['Sec-Fetch-Site in upper case', () => ({ 'sec-fetch-site': 'Same-Origin' })],
    ['Sec-Fetch-Site of two values', () => ({ 'sec-fetch-site': 'same-origin, cross-site' })],
    ['cross-site with the right Origin', () => ({ 'sec-fetch-site': 'cross-site', origin: server.url })],
    ['an empty Sec-Fetch-Site', () => ({ 'sec-fetch-site': '' })],
    ['Origin: null', () => ({ origin: 'null' })],
    ['the Origin of another host', () => ({ origin: 'https://evil.example' })],
    ['the Origin of another port', () => ({ origin: 'http://127.0.0.1:1' })],
    ['an Origin that begins with the right one', () => ({ origin: `${server.url}.evil.example` })],
    ['an Origin with the right one as user', () => ({ origin: `http://${host()}@evil.example` })],
    ['an Origin with the right one in its path', () => ({ origin: `https://evil.example/${host()}` })],
    ['a Referer only', () => ({ referer: `${server.url}/dashboard/` })],
    ['X-Forwarded-Host', () => ({ origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' })],
  ];
  let user: DashboardUser;
  beforeAll(async () => {
    email = 'surfer@example.com';
    user = await signedIn();
  });

  describe.each(origins)('%s', (_what, headersOf) => {
    test.each(routes)('%s %s', async (method, path, body) => {
      const response = await fetch(`${server.url}/dashboard/api/${path}`, {
        method,
        headers: { cookie: user.cookie, 'content-type': 'application/json', ...headersOf() },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      expect(codeOf({ status: response.status, json: JSON.parse(await response.text()) })).toBe('403 cross_site');
      expect(await sessionOf(user.cookie)).toMatchObject({ email: 'surfer@example.com' });
    });
  });

  test('the Origin of the Host or of the public address is enough where browsers send no Sec-Fetch-Site', async () => {
    const other = await server.startAnother({ dashboardUrl: 'https://svc.example.com/dashboard' });
    const from = async (origin: string) => {
      const response = await fetch(`${other.url}/dashboard/api/session`, { method: 'DELETE', headers: { origin } });
      await response.text();
      return response.status;
    };
    try {
      expect(await from('https://svc.example.com')).toBe(200);
      expect(await from(`https://${new URL(other.url).host}`)).toBe(200);
      // A page that others can change on its way.
      expect(await from(other.url)).toBe(403);
      expect(await from('http://svc.example.com')).toBe(403);
    } finally {
      await other.close();
    }
  });

  test.each(['OPTIONS', 'TRACE', 'HEAD', 'PUT', 'PATCH'])(
    '%s of a link is not answered like a POST',
    async (method) => {
      const status =
        method === 'TRACE'
          ? 404
          : (await fetch(`${server.url}/dashboard/api/session/link`, { method, headers: SAME_ORIGIN })).status;
      expect(status).toBe(404);
    },
  );

  test('no answer allows another site to read it', async () => {
    const { headers } = await send(server.url, 'GET', 'session', undefined, {
      cookie: user.cookie,
      origin: 'https://evil.example',
    });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });
});

describe('bodies', () => {
  const raw = async (body: string | Buffer, headers: Record<string, string>) => {
    const response = await fetch(`${server.url}/dashboard/api/session/link`, {
      method: 'POST',
      headers: { ...SAME_ORIGIN, ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    const text = await response.text();
    return { code: codeOf({ status: response.status, json: JSON.parse(text) }), text };
  };
  const json = { 'content-type': 'application/json' };

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/plain; application/json',
    'application/jsonx',
    'text/json',
    'application/x-www-form-urlencoded, application/json',
    '',
  ])('a body of the type %j is refused', async (type) => {
    const token = await invite();
    expect((await raw(JSON.stringify({ token }), { 'content-type': type })).code).toBe('400 invalid_input');
    expect(codeOf(await post('session/link', { token }))).toBe('200');
  });

  test.each<[string, () => string]>([
    ['no JSON', () => 'token=x'],
    ['cut', () => '{"token": "x"'],
    ['null', () => 'null'],
    ['text', () => '"x"'],
    ['a list', () => '["x"]'],
    ['a number as token', () => '{"token": 1}'],
    ['an object as token', () => '{"token": {"$ne": null}}'],
    ['a list as token', () => '{"token": ["x"]}'],
    ['a long token', () => `{"token": "${'x'.repeat(201)}"}`],
    ['an unknown field', () => '{"token": "x", "role": "admin"}'],
    ['a prototype', () => '{"token": "x", "__proto__": {"isAdmin": true}}'],
    ['deep', () => `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['an empty password', () => '{"token": "x", "password": ""}'],
    ['empty', () => ' '],
  ])('%s is refused', async (_what, body) => {
    expect((await raw(body(), json)).code).toBe('400 invalid_input');
  });

  test('a refusal repeats nothing of the body', async () => {
    const { text } = await raw(JSON.stringify({ token: 'x', 'the-secret-in-a-name': 'the-secret-in-a-value' }), json);
    expect(text).not.toContain('the-secret');
    expect((await raw('{"token": the-secret', json)).text).not.toContain('the-secret');
  });

  test.each<[string, () => Buffer, Record<string, string>]>([
    ['of 17 kB', () => Buffer.from(JSON.stringify({ token: 'x'.repeat(17 * 1_024) })), {}],
    ['of 5 MB', () => Buffer.from(JSON.stringify({ token: 'x'.repeat(5_000_000) })), {}],
    [
      'of 5 MB, compressed',
      () => gzipSync(JSON.stringify({ token: 'x'.repeat(5_000_000) })),
      { 'content-encoding': 'gzip' },
    ],
  ])('a body %s is refused unread', async (_what, body, headers) => {
    expect((await raw(body(), { ...json, ...headers })).code).toBe('413 invalid_input');
  });

  test('a password of 16 kB costs no more than the limit of the body', async () => {
    await setPassword();
    expect(codeOf(await post('session/password', { email, password: 'x'.repeat(20_000) }))).toBe('413 invalid_input');
    expect(codeOf(await post('session/password', { email, password: 'x'.repeat(15_000) }))).toBe('403 forbidden');
  });

  test.each([
    ['victim\0@example.com', '400 invalid_input'],
    ['\ud800@example.com', '400 invalid_input'],
    ['x'.repeat(255), '400 invalid_input'],
    ["' or true --", '403 forbidden'],
    ['%@example.com', '403 forbidden'],
    ['x'.repeat(254), '403 forbidden'],
  ])('the address %j is that of nobody', async (address, answer) => {
    expect(codeOf(await post('session/password', { email: address, password: PASSWORD }))).toBe(answer);
  });
});

describe('cookies and tokens', () => {
  let user: DashboardUser;
  let token: string;
  beforeEach(async () => {
    user = await signedIn();
    token = tokenOf(user.cookie);
  });

  test.each<[string, () => string]>([
    ['of the https name', () => `__Host-svc=${token}`],
    ['of the https name below a prefix', () => `__Secure-svc=${token}`],
    ['in upper case', () => `SVC_SESSION=${token}`],
    ['with a longer name', () => `xsvc_session=${token}`],
    ['of the consents', () => `svc_consent=${token}`],
    ['of OpenID Connect', () => `svc_oidc=${token}`],
    ['twice', () => `svc_session=${token}; svc_session=${token}`],
    ["behind another one's", () => `svc_session=${'A'.repeat(43)}; svc_session=${token}`],
    ["before another one's", () => `svc_session=${token}; svc_session=${'A'.repeat(43)}`],
    ['in quotes', () => `svc_session="${token}"`],
    ['encoded', () => `svc_session=%${token.charCodeAt(0).toString(16)}${token.slice(1)}`],
    ['that is empty', () => 'svc_session='],
    ['of the stored hash', () => `svc_session=${createHash('sha256').update(token).digest('base64url')}`],
    ['of the stored hash in hexadecimal', () => `svc_session=${createHash('sha256').update(token).digest('hex')}`],
    ['that is cut', () => `svc_session=${token.slice(0, -1)}`],
    ['that is continued', () => `svc_session=${token}A`],
    ['with another last bit', () => `svc_session=${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`],
    ['with another first character', () => `svc_session=${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`],
    ['behind 16 kB of others', () => `x=${'x'.repeat(15_000)}; y=${'y'.repeat(1_400)}; svc_session=${token}`],
    ['of an API key', () => 'svc_session=osapi_demo_write'],
  ])('a cookie %s is nobody', async (_what, cookie) => {
    const response = await fetch(`${server.url}/dashboard/api/session`, { headers: { cookie: cookie() } });
    // Node.js refuses very long headers itself.
    if (response.status !== 431) expect(JSON.parse(await response.text()).user).toBeNull();
    expect(await sessionOf(user.cookie)).toMatchObject({ email });
  });

  test.each<[string, (token: string) => { path?: string; headers?: Record<string, string> }]>([
    ['as a bearer token', () => ({ headers: { authorization: `Bearer ${token}` } })],
    ['as a user name', () => ({ headers: { authorization: `Basic ${btoa(`${token}:`)}` } })],
    ['in the address', () => ({ path: `sessions?svc_session=${token}` })],
    ['in another header', () => ({ headers: { 'x-svc-session': token } })],
  ])('a token %s is nobody', async (_what, at) => {
    const { path = 'sessions', headers = {} } = at(token);
    expect(codeOf(await send(server.url, 'GET', path, undefined, headers))).toBe('401 signed_out');
  });

  test('the public API takes no cookie, and the dashboard no API key', async () => {
    const api = await fetch(`${server.url}/api/v1/me`, { headers: { cookie: user.cookie } });
    await api.text();
    expect(api.status).toBe(401);
    const headers = { authorization: 'Bearer osapi_demo_write' };
    expect(codeOf(await send(server.url, 'GET', 'sessions', undefined, headers))).toBe('401 signed_out');
    expect(codeOf(await post('operations/accounts/list', {}, headers))).toBe('401 signed_out');
    expect(codeOf(await send(server.url, 'GET', 'accounts/1/api/v1/sources', undefined, headers))).toBe(
      '401 signed_out',
    );
  });

  test('a signed-out token is worth nothing at any route', async () => {
    await user.call('DELETE', 'session');
    const codes = [
      await user.call('GET', 'sessions'),
      await user.call('PUT', 'password', { password: PASSWORD }),
      await user.call('POST', 'session/confirm', { password: PASSWORD }),
      await user.call('DELETE', 'sessions/1'),
      await user.call('POST', 'operations/accounts/list', {}),
      await user.call('GET', 'accounts/1/api/v1/sources'),
      await user.call('GET', 'live'),
    ];
    expect(new Set(codes.map(codeOf))).toEqual(new Set(['401 signed_out']));
  });
});

describe('users who change while they are signed in', () => {
  const idOf = async (user: DashboardUser): Promise<number> => (await sessionOf(user.cookie)).id;
  const create = (user: DashboardUser) =>
    user.call('POST', 'operations/accounts/create', { email: `made-by-${email}` });

  test('a demoted admin only reads, from the next request on', async () => {
    const user = await signedIn('admin');
    const id = await idOf(user);
    await signIn(server, { email: `rest${count}@example.com`, role: 'admin' });
    await performAdmin(server.running.ctx, 'users/update', { id, role: 'viewer' }, 'a test');
    expect(codeOf(await create(user))).toBe('403 forbidden');
    expect(codeOf(await user.call('POST', 'operations/users/update', { id, role: 'admin' }))).toBe('403 forbidden');
    expect(codeOf(await user.call('POST', 'operations/users/invite', { email, role: 'admin' }))).toBe('403 forbidden');
    expect(codeOf(await user.call('POST', 'operations/accounts/list', {}))).toBe('200');
  });

  test('a removed user is signed out', async () => {
    const user = await signedIn('viewer');
    const id = await idOf(user);
    await performAdmin(server.running.ctx, 'users/remove', { id, isConfirmed: true }, 'a test');
    expect(await sessionOf(user.cookie)).toBeNull();
    expect(codeOf(await user.call('POST', 'operations/accounts/list', {}))).toBe('401 signed_out');
  });

  test('a removed user who is invited again has a new session only', async () => {
    const user = await signedIn('viewer');
    await performAdmin(server.running.ctx, 'users/remove', { id: await idOf(user), isConfirmed: true }, 'a test');
    const again = await signedIn('viewer');
    expect([await sessionOf(user.cookie), (await sessionOf(again.cookie)).email]).toEqual([null, email]);
  });

  test('sessions that an admin ends are signed out', async () => {
    const user = await signedIn('viewer');
    await performAdmin(server.running.ctx, 'users/end-sessions', { id: await idOf(user) }, 'a test');
    expect(await sessionOf(user.cookie)).toBeNull();
  });

  test('nobody sees or ends the sessions of others by the own ones', async () => {
    const user = await signedIn('admin');
    const other = await signIn(server, { email: `other${count}@example.com`, role: 'admin' });
    const { sessions } = (await other.call('GET', 'sessions')).json;
    expect(codeOf(await user.call('DELETE', `sessions/${sessions[0].id}`))).toBe('404 not_found');
    const own = (await user.call('GET', 'sessions')).json.sessions;
    expect(own.map(({ id }: { id: number }) => id)).not.toContain(sessions[0].id);
    expect(await sessionOf(other.cookie)).toMatchObject({ email: other.email });
  });

  test.each(['0', '-1', '1e3', '01', '9'.repeat(16), 'x', '%2e%2e%2fsession', '1%00'])(
    'there is no session %s',
    async (id) => {
      const user = await signedIn('viewer');
      expect(codeOf(await user.call('DELETE', `sessions/${id}`))).toBe('404 not_found');
    },
  );

  test.each([
    ['', false],
    [', also where its hash is replaced by a better one', true],
  ])('a sign-in with the old password at the time of its change leaves no session behind%s', async (_what, isOld) => {
    await setPassword();
    const owner = cookieOf((await post('session/password', { email, password: PASSWORD })).headers);
    // The owner is signed in already, so the hash is old when the others begin.
    const old = await hashPassword(PASSWORD, 'scrypt');
    if (isOld) await server.db.query('update users set password_hash = $2 where email = $1', [email, old]);
    const change = send(
      server.url,
      'PUT',
      'password',
      { current: PASSWORD, password: 'another horse battery' },
      { cookie: owner },
    );
    let isOver = false;
    const begun: string[] = [];
    const signInAgainAndAgain = async () => {
      while (!isOver) {
        const { status, headers } = await post('session/password', { email, password: PASSWORD });
        if (status === 200) begun.push(cookieOf(headers));
      }
    };
    const tries = Array.from({ length: 4 }, signInAgainAndAgain);
    const { status } = await change.finally(() => {
      isOver = true;
    });
    await Promise.all(tries);
    expect(status).toBe(200);
    expect(codeOf(await post('session/password', { email, password: 'another horse battery' }))).toBe('200');
    expect((await Promise.all(begun.map(sessionOf))).filter((user) => user !== null)).toEqual([]);
  });
});

test('of two changes of a password at once, one wins', async () => {
  await setPassword();
  const cookies: string[] = [];
  for (let times = 0; times < 2; times += 1) {
    cookies.push(cookieOf((await post('session/password', { email, password: PASSWORD })).headers));
  }
  const passwords = ['first horse battery', 'second horse battery'];
  const answers = await Promise.all(
    cookies.map((cookie, index) =>
      send(server.url, 'PUT', 'password', { current: PASSWORD, password: passwords[index] }, { cookie }),
    ),
  );
  // The other one meets the new password, or the end of its session.
  expect(answers.map(({ status }) => status === 200).sort()).toEqual([false, true]);
  const winner = answers.findIndex(({ status }) => status === 200);
  const tries = await Promise.all(passwords.map((password) => post('session/password', { email, password })));
  expect(tries.map(({ status }) => status === 200)).toEqual([winner === 0, winner === 1]);
});

describe('passwords', () => {
  const wrong = (address: string, typed = email, password = 'wrong password') =>
    post('session/password', { email: typed, password }, { 'x-forwarded-for': address });

  test('a hash is computed for an unknown address, for a user without a password and for a wrong one', async () => {
    await invite();
    expect(await countHashes(() => wrong('192.0.2.1', 'nobody@example.com'))).toBe(1);
    expect(await countHashes(() => wrong('192.0.2.1'))).toBe(1);
    await setPassword();
    expect(await countHashes(() => wrong('192.0.2.1'))).toBe(1);
  });

  test('no hash is computed once a limit is reached', async () => {
    for (let times = 0; times < 10; times += 1) await wrong('192.0.2.2');
    expect(await countHashes(() => wrong('192.0.2.2'))).toBe(0);
  });

  test('one password for many users: the address is closed after 50, also for the right one', async () => {
    await setPassword();
    for (let user = 0; user < 50; user += 1) {
      expect(codeOf(await wrong('192.0.2.3', `spray${user}@example.com`))).toBe('403 forbidden');
    }
    expect(codeOf(await wrong('192.0.2.3', 'spray50@example.com'))).toBe('429 too_many_requests');
    expect(codeOf(await wrong('192.0.2.3', email, PASSWORD))).toBe('429 too_many_requests');
    expect(codeOf(await wrong('192.0.2.4', email, PASSWORD))).toBe('200');
  });

  test('addresses of one IPv6 network count as one', async () => {
    for (let host = 1; host <= 10; host += 1) await wrong(`2001:db8::${host}`);
    expect(codeOf(await wrong('2001:db8::ffff'))).toBe('429 too_many_requests');
    expect(codeOf(await wrong('2001:db8:0:1::1'))).toBe('403 forbidden');
  });

  test('an address that the client claims itself does not help', async () => {
    // The proxy appends the true address.
    for (let times = 0; times < 10; times += 1) await wrong(`198.51.100.${times}, 192.0.2.5`);
    expect(codeOf(await wrong('198.51.100.99, 192.0.2.5'))).toBe('429 too_many_requests');
  });

  test('other spellings of the address count for the same user', async () => {
    const spellings = [email, email.toUpperCase(), ` ${email}`, `${email} `, email.replace('v', 'V')];
    for (let times = 0; times < 10; times += 1) await wrong('192.0.2.6', spellings[times % spellings.length]);
    expect(codeOf(await wrong('192.0.2.6'))).toBe('429 too_many_requests');
  });

  test('many addresses against one user: 100 tries, and the user still gets in where they are signed in, and by a link', async () => {
    await setPassword();
    const known = '203.0.113.7';
    expect(codeOf(await wrong(known, email, PASSWORD))).toBe('200');
    for (let times = 0; times < 100; times += 1) {
      expect(codeOf(await wrong(`192.0.2.${10 + (times % 20)}`))).toBe('403 forbidden');
    }
    expect(codeOf(await wrong('192.0.2.99'))).toBe('429 too_many_requests');
    expect(codeOf(await wrong('192.0.2.99', email, PASSWORD))).toBe('429 too_many_requests');
    expect(codeOf(await wrong(known, email, PASSWORD))).toBe('200');
    // Also there only 10.
    for (let times = 0; times < 10; times += 1) expect(codeOf(await wrong(known))).toBe('403 forbidden');
    expect(codeOf(await wrong(known))).toBe('429 too_many_requests');
    const { headers } = await post('session/link', { token: await invite() });
    expect(await sessionOf(cookieOf(headers))).toMatchObject({ email });
  });

  test('a stolen session cannot try passwords without end', async () => {
    await setPassword();
    const stolen = cookieOf((await post('session/password', { email, password: PASSWORD })).headers);
    const codes: string[] = [];
    for (let times = 0; times < 6; times += 1) {
      codes.push(codeOf(await post('session/confirm', { password: `wrong password ${times}` }, { cookie: stolen })));
      const change = { current: `wrong password ${times}`, password: 'another horse battery' };
      codes.push(codeOf(await send(server.url, 'PUT', 'password', change, { cookie: stolen })));
    }
    expect(codes).toEqual([...Array(10).fill('403 forbidden'), ...Array(2).fill('429 too_many_requests')]);
  });

  test('a stolen session that is not recent cannot replace a missing password', async () => {
    const user = await signedIn();
    server.clock.advance(15 * MINUTE);
    expect(codeOf(await user.call('PUT', 'password', { password: PASSWORD }))).toBe('403 confirm_required');
    expect(codeOf(await user.call('POST', 'operations/users/invite', { email }))).toBe('403 confirm_required');
    expect(codeOf(await user.call('POST', 'session/confirm', { password: PASSWORD }))).toBe('403 forbidden');
  });
});

test('no token and no password is in the log, in the audit log or readable in the database', async () => {
  const { rows } = await server.db.query<{ text: string }>(
    `select a::text as text from audit_log a union all select u::text from users u
      union all select s::text from user_sessions s union all select i::text from user_invitations i
      union all select w::text from rate_windows w`,
  );
  const kept = [...logged, ...rows.map(({ text }) => text)].join('\n');
  expect(secrets.size).toBeGreaterThan(50);
  expect(logged.length).toBeGreaterThan(500);
  expect([...secrets].filter((secret) => kept.includes(secret))).toEqual([]);
});
