/** How users of the dashboard sign in with links and passwords, and what of it is recorded. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { performAdmin } from '@svc/operations/perform';
import { hashPassword } from '../../src/dashboard/passwords.ts';
import { hashCheaply } from '../support/cheap-hashes.ts';
import { type DashboardUser, send, signIn } from '../support/dashboard-user.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

const PASSWORD = 'correct horse battery';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

hashCheaply();

describe.each(backends.filter(({ isAvailable }) => isAvailable))('sign-in on $name', (backend) => {
  let server: TestServer;
  let email: string;
  let count = 0;
  beforeAll(async () => {
    server = await startTestServer(backend);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    count += 1;
    email = `user${count}@example.com`;
  });
  afterEach(() => server.db.query('delete from rate_windows'));

  const invite = async (role: 'admin' | 'viewer' = 'admin') => {
    const { link } = await performAdmin(server.running.ctx, 'users/invite', { email, role }, 'a test');
    return link.split('/').at(-1) ?? '';
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send(server.url, 'POST', path, body, headers);
  const userOf = async (user: DashboardUser) => (await user.call('GET', 'session')).json.user;
  /** The user with a password, in another browser. */
  const withPassword = async (password = PASSWORD) => {
    expect((await post('session/link', { token: await invite(), password })).status).toBe(200);
  };
  const inBrowser = async (password = PASSWORD): Promise<DashboardUser> => {
    const answer = await post('session/password', { email, password });
    expect([answer.status, answer.json]).toEqual([200, {}]);
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { email, cookie, call: (method, path, body) => send(server.url, method, path, body, { cookie }) };
  };
  const entries = async () => {
    const { rows } = await server.db.query<{ actor: string; operation: string; input: object; outcome: string }>(
      `select actor, operation, input, outcome from audit_log where operation like 'session/%' and actor in ($1, 'unknown user') order by id`,
      [`user:${email}`],
    );
    return rows;
  };

  test('nobody is signed in without a cookie', async () => {
    const { status, json, headers } = await send(server.url, 'GET', 'session', undefined, {});
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json).toEqual({
      user: null,
      methods: { password: true, oidc: null },
      version: expect.stringMatching(/^\d/),
      urls: { api: server.url, sync: server.url, docs: `${server.url}/docs` },
    });
  });

  test('a link signs in, and its cookie is for this path, this host and HTTP only', async () => {
    const answer = await post('session/link', { token: await invite('viewer') });
    expect([answer.status, answer.json]).toEqual([200, {}]);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_session=[\w-]{43}; Path=\/dashboard; Max-Age=604800; HttpOnly; SameSite=Lax$/),
    ]);
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { json } = await send(server.url, 'GET', 'session', undefined, { cookie });
    expect(json.user).toEqual({
      ...{ id: expect.any(Number), email, role: 'viewer', hasPassword: false, hasOidc: false },
      ...{ signedInAt: server.clock.now().toISOString(), isRecent: true },
    });
  });

  test('a link with a password sets it; both are in the audit log without secrets', async () => {
    await withPassword();
    const user = await inBrowser();
    expect(await userOf(user)).toMatchObject({ email, hasPassword: true });
    expect(await entries()).toEqual([
      {
        ...{ actor: `user:${email}`, operation: 'session/sign-in', outcome: 'done' },
        input: { by: 'link', setsPassword: true, address: '127.0.0.1' },
      },
      {
        ...{ actor: `user:${email}`, operation: 'session/sign-in', outcome: 'done' },
        input: { by: 'password', address: '127.0.0.1' },
      },
    ]);
  });

  test('a password that is refused does not use up the link', async () => {
    const token = await invite();
    const refused = await post('session/link', { token, password: 'too short' });
    expect([refused.status, refused.json.error]).toEqual([
      400,
      { code: 'invalid_input', message: 'password: must have at least 12 characters' },
    ]);
    expect((await post('session/link', { token, password: PASSWORD })).status).toBe(200);
  });

  test('the address is the same in any letter case', async () => {
    await withPassword();
    expect((await post('session/password', { email: email.toUpperCase(), password: PASSWORD })).status).toBe(200);
  });

  test('an unknown address, a user without a password and a wrong password get one answer', async () => {
    await invite();
    const wrong = { status: 403, code: 'forbidden', message: 'The address or the password is wrong.' };
    const answerTo = async (body: object) => {
      const { status, json } = await post('session/password', body);
      return { status, ...json.error };
    };
    expect(await answerTo({ email: 'nobody@example.com', password: PASSWORD })).toEqual(wrong);
    expect(await answerTo({ email, password: PASSWORD })).toEqual(wrong);
    await withPassword();
    expect(await answerTo({ email, password: `${PASSWORD}!` })).toEqual(wrong);
    const failures = (await entries()).filter(({ outcome }) => outcome === 'wrong_password').slice(-3);
    expect(failures.map(({ actor }) => actor)).toEqual(['unknown user', `user:${email}`, `user:${email}`]);
    // What was typed may be a password in the wrong field.
    expect(JSON.stringify(failures)).not.toContain('nobody@');
  });

  test('a session ends 12 hours after its last use', async () => {
    const user = await signIn(server, { email, role: 'admin' });
    for (let uses = 0; uses < 3; uses += 1) {
      server.clock.advance(11 * HOUR);
      expect(await userOf(user)).toMatchObject({ email });
    }
    server.clock.advance(12 * HOUR);
    expect(await userOf(user)).toBeNull();
  });

  test('a session ends 7 days after it began, however much it is used', async () => {
    const user = await signIn(server, { email, role: 'admin' });
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      server.clock.advance(8 * HOUR);
      expect(await userOf(user)).toMatchObject({ email });
    }
    server.clock.advance(8 * HOUR);
    expect(await userOf(user)).toBeNull();
  });

  test('uses are stored once a minute', async () => {
    const user = await signIn(server, { email, role: 'admin' });
    const begun = server.clock.now().getTime();
    const lastUse = async () => Date.parse((await user.call('GET', 'sessions')).json.sessions[0].lastUsedAt) - begun;
    server.clock.advance(59_000);
    expect(await lastUse()).toBe(0);
    server.clock.advance(1_000);
    expect(await lastUse()).toBe(MINUTE);
  });

  test('a sign-in is recent for 15 minutes, and a confirmation makes it recent with a new token', async () => {
    await withPassword();
    const user = await inBrowser();
    server.clock.advance(15 * MINUTE);
    expect(await userOf(user)).toMatchObject({ isRecent: false });
    expect((await user.call('POST', 'session/confirm', { password: 'wrong password' })).status).toBe(403);
    const confirmed = await user.call('POST', 'session/confirm', { password: PASSWORD });
    expect(confirmed.status).toBe(200);
    const cookie = confirmed.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect(await userOf(user)).toBeNull();
    const { json } = await send(server.url, 'GET', 'session', undefined, { cookie });
    expect(json.user).toMatchObject({ isRecent: true });
    expect((await entries()).slice(-2).map(({ operation, outcome }) => [operation, outcome])).toEqual([
      ['session/confirm', 'wrong_password'],
      ['session/confirm', 'done'],
    ]);
  });

  test('signing out ends the session and deletes the cookie', async () => {
    const user = await signIn(server, { email, role: 'admin' });
    const answer = await user.call('DELETE', 'session');
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_session=; Path=\/dashboard; Max-Age=0;/),
    ]);
    expect(await userOf(user)).toBeNull();
    expect((await entries()).at(-1)).toMatchObject({ operation: 'session/sign-out', outcome: 'done' });
  });

  test('users see their own sessions, and end them', async () => {
    const one = await signIn(server, { email, role: 'admin' });
    server.clock.advance(1_000);
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const other = await post('session/link', { token: await invite() }, { 'user-agent': firefox });
    const cookie = other.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { sessions } = (await one.call('GET', 'sessions')).json;
    expect(sessions).toEqual([
      {
        ...{ id: expect.any(Number), device: 'Firefox on Linux', address: '127.0.0.1', isThis: false },
        ...{ createdAt: server.clock.now().toISOString(), lastUsedAt: server.clock.now().toISOString() },
      },
      expect.objectContaining({ isThis: true }),
    ]);
    expect((await one.call('DELETE', `sessions/${sessions[0].id}`)).status).toBe(200);
    expect((await send(server.url, 'GET', 'session', undefined, { cookie })).json.user).toBeNull();
    expect((await one.call('DELETE', `sessions/${sessions[0].id}`)).status).toBe(404);
  });

  test('a new password ends all other sessions and links, and this session gets a new token', async () => {
    await withPassword();
    const [here, there] = [await inBrowser(), await inBrowser()];
    const token = await invite();
    const next = 'another horse battery';
    expect((await here.call('PUT', 'password', { password: next })).json.error).toEqual({
      code: 'invalid_input',
      message: 'current: is your present password',
    });
    expect((await here.call('PUT', 'password', { current: 'wrong password', password: next })).status).toBe(403);
    const changed = await here.call('PUT', 'password', { current: PASSWORD, password: next });
    expect(changed.status).toBe(200);
    const cookie = changed.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect((await send(server.url, 'GET', 'session', undefined, { cookie })).json.user).toMatchObject({ email });
    expect([await userOf(here), await userOf(there)]).toEqual([null, null]);
    expect((await post('session/link', { token })).status).toBe(403);
    expect((await post('session/password', { email, password: PASSWORD })).status).toBe(403);
    expect(
      (await entries()).find(({ operation, outcome }) => operation === 'session/password' && outcome === 'done'),
    ).toMatchObject(
      // The other browser, and the one that set the first password.
      { input: { endedSessions: 2 } },
    );
    await inBrowser(next);
  });

  test('who has no password chooses one soon after the sign-in', async () => {
    const user = await signIn(server, { email, role: 'viewer' });
    server.clock.advance(15 * MINUTE);
    expect((await user.call('PUT', 'password', { password: PASSWORD })).json.error.code).toBe('confirm_required');
    const again = await signIn(server, { email, role: 'viewer' });
    expect((await again.call('PUT', 'password', { password: PASSWORD })).status).toBe(200);
    await inBrowser();
  });

  test('a hash with other parameters is replaced at the next sign-in', async () => {
    await invite();
    const hashOf = async () => {
      const { rows } = await server.db.query<{ hash: string }>(
        'select password_hash as hash from users where email = $1',
        [email],
      );
      return rows[0]?.hash;
    };
    const old = await hashPassword(PASSWORD, 'scrypt');
    await server.db.query('update users set password_hash = $2 where email = $1', [email, old]);
    await inBrowser();
    expect(await hashOf()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await inBrowser();
  });

  test('with SVC_PASSWORD_SIGN_IN=off only links sign in', async () => {
    await withPassword();
    const other = await server.startAnother({ passwordSignIn: false });
    try {
      const there = (method: string, path: string, body?: object, headers = {}) =>
        send(other.url, method, path, body, headers);
      expect((await there('GET', 'session')).json.methods).toEqual({ password: false, oidc: null });
      expect((await there('POST', 'session/password', { email, password: PASSWORD })).json.error).toEqual({
        code: 'forbidden',
        message: 'Passwords are switched off here (SVC_PASSWORD_SIGN_IN).',
      });
      const token = await invite();
      expect((await there('POST', 'session/link', { token, password: PASSWORD })).status).toBe(403);
      expect((await there('POST', 'session/link', { token })).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  test('an https address below a prefix has a cookie of that path, one at the root a cookie of this host', async () => {
    for (const [dashboardUrl, cookie] of [
      [
        'https://svc.example.com/dashboard',
        /^__Host-svc=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
      ],
      [
        'https://example.com/tools/svc/dashboard',
        /^__Secure-svc=[\w-]{43}; Path=\/tools\/svc\/dashboard; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
      ],
    ] as const) {
      const other = await server.startAnother({ dashboardUrl });
      try {
        const answer = await send(other.url, 'POST', 'session/link', { token: await invite() }, {});
        expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(cookie)]);
      } finally {
        await other.close();
      }
    }
  });

  test('an address that is neither https nor on this machine signs nobody in', async () => {
    await withPassword();
    const other = await server.startAnother({ dashboardUrl: 'http://svc.example.com/dashboard' });
    try {
      const token = await invite();
      const answers = [
        await send(other.url, 'POST', 'session/link', { token }, {}),
        await send(other.url, 'POST', 'session/password', { email, password: PASSWORD }, {}),
      ];
      for (const { status, json } of answers) {
        expect([status, json.error.message]).toEqual([
          403,
          expect.stringContaining('set SVC_PUBLIC_URL or SVC_DASHBOARD_URL'),
        ]);
      }
    } finally {
      await other.close();
    }
  });

  describe('limits', () => {
    const wrong = (body: object = {}, headers = {}) =>
      post('session/password', { email, password: 'wrong password', ...body }, headers);
    const codes = async (times: number, body?: (index: number) => object) => {
      const seen: string[] = [];
      for (let index = 0; index < times; index += 1) seen.push((await wrong(body?.(index))).json.error.code);
      return seen;
    };

    test('10 wrong passwords of a user from an address close it for the rest of 15 minutes', async () => {
      await withPassword();
      expect(new Set(await codes(10))).toEqual(new Set(['forbidden']));
      const refused = await post('session/password', { email, password: PASSWORD });
      expect([refused.status, refused.json.error.code]).toEqual([429, 'too_many_requests']);
      expect(refused.headers.get('retry-after')).toBe('900');
      // A link is not limited.
      const user = await signIn(server, { email, role: 'admin' });
      expect(await userOf(user)).toMatchObject({ email });
      server.clock.advance(15 * MINUTE);
      await inBrowser();
    });

    test('unknown addresses are limited in the same way', async () => {
      expect(await codes(11, () => ({ email: 'nobody@example.com' }))).toEqual([
        ...Array(10).fill('forbidden'),
        'too_many_requests',
      ]);
    });

    test('right passwords are not counted', async () => {
      await withPassword();
      for (let times = 0; times < 12; times += 1) expect(await userOf(await inBrowser())).toMatchObject({ email });
    });

    test('attempts at the same time are counted too', async () => {
      await withPassword();
      const answers = await Promise.all(Array.from({ length: 15 }, () => wrong()));
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    });
  });
});
