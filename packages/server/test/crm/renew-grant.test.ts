import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { Grant } from '@svc/engine/crm/grants';
import { type Database, DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { CLIENT, createHurryingClock, createRenewalWorld, START, tokenOf } from '../support/renewals.ts';

describe.each(backends.filter(({ isAvailable }) => isAvailable))('renewal of access tokens on $name', (backend) => {
  let db: Database;
  const open = async () => {
    db = await backend.open();
    return db;
  };
  afterEach(() => db.close());
  const salesforce = async (options: { rotates?: boolean } = {}) => {
    const clock = createHurryingClock();
    const world = await createRenewalWorld(await open(), 'salesforce', { clock, rotates: true, ...options });
    return { world, clock };
  };

  test('the new tokens are stored encrypted, and keep the refresh token where the answer has none', async () => {
    const { world } = await salesforce({ rotates: false });
    const { accessToken, refreshToken } = await world.grant();
    const renewed = tokenOf(await world.renew(accessToken));
    expect(renewed).not.toBe(accessToken);
    expect(world.oauth.check(renewed ?? '')).toMatchObject({ organizationId: '00D000000000001EAA' });
    expect(await world.stored()).toMatchObject({ grant: { accessToken: renewed, refreshToken, rotates: false } });
    expect(await world.column()).toMatch(/^[0-9a-f]{8}\.v2\./);
    expect(await world.column()).not.toContain('sim_');
  });

  test('with rotation, 8 that were refused at once make one call', async () => {
    const { world } = await salesforce();
    const { accessToken } = await world.grant();
    const results = await Promise.all(Array.from({ length: 8 }, () => world.renew(accessToken, world.process())));
    expect(new Set(results.map(tokenOf)).size).toBe(1);
    expect(world.oauth.tokenCalls()).toMatchObject([{ grantType: 'refresh_token', status: 200 }]);
    expect(await world.stored()).toMatchObject({ grant: { rotates: true } });
  });

  test('a newer stored token is used without a call', async () => {
    const { world } = await salesforce();
    const { accessToken } = await world.grant();
    expect(tokenOf(await world.renew('an older one'))).toBe(accessToken);
    expect(world.oauth.tokenCalls()).toEqual([]);
  });

  // The statements are the same as above, so one database shows the rest; `renewal-interleavings.long.test.ts` runs them in all orders on both.
  if (backend !== anyBackend) return;

  test('`token request is already being processed` is tried again after a second', async () => {
    const { world, clock } = await salesforce();
    const { accessToken } = await world.grant();
    world.oauth.failNextToken(2, 'already_processing');
    expect(tokenOf(await world.renew(accessToken))).not.toBe(accessToken);
    expect(world.oauth.tokenCalls().map(({ status }) => status)).toEqual([400, 400, 200]);
    expect(clock.now().getTime() - START.getTime()).toBe(2_000);
  });

  test('a final refusal disconnects', async () => {
    const { world } = await salesforce();
    const { accessToken } = await world.grant();
    world.oauth.removeApp('00D000000000001EAA');
    expect(await world.renew(accessToken)).toMatchObject({
      status: 'error',
      disconnected: true,
      retry: 'never',
      error: { code: 'disconnected', message: expect.stringContaining('connect it again') },
    });
    expect(await world.column()).toBeNull();
  });

  test('a final refusal of a grant that was replaced meanwhile does not disconnect', async () => {
    const { world } = await salesforce();
    const old = await world.grant();
    let fresh: Grant | null = null;
    const ctx = world.process({
      fetch: async (input, init) => {
        world.oauth.removeApp('00D000000000001EAA');
        fresh = await world.grant();
        return world.fetch(input, init);
      },
    });
    expect(await world.renew(old.accessToken, ctx)).toMatchObject({ grant: fresh });
    expect(world.oauth.tokenCalls()).toMatchObject([{ status: 400 }]);
  });

  test.each([
    ['no connection', () => Promise.reject(new TypeError('fetch failed', { cause: networkError('ECONNREFUSED') }))],
    ['a 429', async () => new Response('{"error":"rate_limit"}', { status: 429, headers: { 'retry-after': '3' } })],
    ['a 503', async () => new Response('{"error":"invalid_grant"}', { status: 503 })],
    ['a page of a gateway', async () => new Response('<html>', { status: 400 })],
    ['a refused app', async () => new Response('{"error":"invalid_client"}', { status: 400 })],
    ['a redirect', async () => new Response('', { status: 302, headers: { location: 'https://example.com' } })],
  ])('%s is not a disconnect, however often', async (_name, fetch) => {
    const { world } = await salesforce();
    const { accessToken } = await world.grant();
    const ctx = world.process({ fetch });
    for (let round = 0; round < 4; round += 1) {
      const failed = await world.renew(accessToken, ctx);
      expect(failed).toMatchObject({
        status: 'error',
        disconnected: false,
        retry: { afterMs: expect.toBeOneOf([null, 3_000]) },
      });
      expect(JSON.stringify(failed)).not.toContain('sim_');
    }
    expect(tokenOf(await world.renew(accessToken))).not.toBe(accessToken);
  });

  test('a lost answer is repeated once with the same refresh token, and then the connection is disconnected', async () => {
    const { world } = await salesforce();
    const { accessToken, refreshToken } = await world.grant();
    let sent = 0;
    const ctx = world.process({
      fetch: async () => {
        sent += 1;
        throw new TypeError('fetch failed', { cause: networkError('UND_ERR_SOCKET') });
      },
    });
    expect(await world.renew(accessToken, ctx)).toMatchObject({ disconnected: false });
    expect(await world.renew(accessToken, ctx)).toMatchObject({ disconnected: false });
    expect(await world.stored()).toMatchObject({ grant: { refreshToken } });
    expect(await world.renew(accessToken, ctx)).toMatchObject({ disconnected: true });
    expect([sent, await world.column()]).toEqual([2, null]);
  });

  test('one lost answer, and the repeated request is answered', async () => {
    const { world } = await salesforce({ rotates: false });
    const { accessToken } = await world.grant();
    const lost = world.process({
      fetch: async (input, init) => {
        await world.fetch(input, init);
        throw new TypeError('fetch failed', { cause: networkError('ECONNRESET') });
      },
    });
    expect(await world.renew(accessToken, lost)).toMatchObject({ disconnected: false });
    expect(tokenOf(await world.renew(accessToken))).not.toBe(accessToken);
  });

  test('HubSpot does not replace refresh tokens, so a request is repeated as often as its answer is lost', async () => {
    const world = await createRenewalWorld(await open(), 'hubspot', { clock: createHurryingClock() });
    const { accessToken } = await world.grant(60);
    const ctx = world.process({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
    for (let round = 0; round < 5; round += 1) {
      expect(await world.renew(accessToken, ctx)).toMatchObject({ disconnected: false });
    }
    const renewed = await world.renew(accessToken);
    expect(renewed).toMatchObject({ grant: { expiresAt: new Date(START.getTime() + 1_800_000).toISOString() } });
  });

  test('a process that was killed in mid-call blocks the others until its lease ends, then they repeat its request', async () => {
    const { world, clock } = await salesforce({ rotates: false });
    const { accessToken } = await world.grant();
    const called = Promise.withResolvers<void>();
    const killed = world.process({
      fetch: () => {
        called.resolve();
        return new Promise(() => {});
      },
    });
    void world.renew(accessToken, killed);
    await called.promise;
    const blocked = await world.renew(accessToken);
    expect(blocked).toMatchObject({ error: { code: 'token_busy' }, retry: { afterMs: 2_000 }, disconnected: false });
    clock.skip(60_000);
    expect(tokenOf(await world.renew(accessToken))).not.toBe(accessToken);
    expect(world.oauth.tokenCalls()).toHaveLength(1);
  });

  test('a process that was stopped before its request sends nothing once its lease has ended', async () => {
    const { world, clock } = await salesforce();
    const { accessToken } = await world.grant();
    const atSend = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<void>();
    const query: Database['query'] = async (statement, values) => {
      const result = await db.query(statement, values);
      // The statement that counts the request that is about to be sent.
      if (typeof statement === 'string' && statement.includes('sent_count + 1')) {
        atSend.resolve();
        await resumed.promise;
      }
      return result as never;
    };
    const stopped = world.renew(accessToken, world.process({ db: { ...db, query } }));
    await atSend.promise;
    clock.skip(61_000);
    const winner = tokenOf(await world.renew(accessToken));
    resumed.resolve();
    expect(tokenOf(await stopped)).toBe(winner);
    expect(world.oauth.tokenCalls()).toHaveLength(1);
    expect(world.oauth.check(winner ?? '')).toMatchObject({ clientId: CLIENT.id });
  });

  test('a request that was not sent, because the process was stopped before it, does not count', async () => {
    const { world, clock } = await salesforce({ rotates: false });
    const { accessToken } = await world.grant();
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: networkError('ECONNRESET') });
    };
    expect(await world.renew(accessToken, world.process({ fetch }))).toMatchObject({ disconnected: false });
    let stops = 1;
    const query: Database['query'] = async (statement, values) => {
      const result = await db.query(statement, values);
      if (typeof statement === 'string' && statement.includes('sent_count + 1') && stops-- > 0) clock.skip(25_000);
      return result as never;
    };
    const renewed = await world.renew(accessToken, world.process({ db: { ...db, query } }));
    expect(tokenOf(renewed)).not.toBe(accessToken);
    expect(world.oauth.tokenCalls()).toHaveLength(1);
  });

  test('a grant that is encrypted again during the call is replaced all the same', async () => {
    const { world } = await salesforce();
    const old = await world.grant();
    const ctx = world.process({
      fetch: async (input, init) => {
        await world.store(old);
        return world.fetch(input, init);
      },
    });
    const renewed = tokenOf(await world.renew(old.accessToken, ctx));
    expect(await world.stored()).toMatchObject({ grant: { accessToken: renewed } });
  });

  test('a connection that was disconnected during the call stays so', async () => {
    const { world } = await salesforce();
    const { accessToken } = await world.grant();
    const ctx = world.process({
      fetch: async (input, init) => {
        await db.query('update connections set crm_token = null');
        return world.fetch(input, init);
      },
    });
    expect(await world.renew(accessToken, ctx)).toMatchObject({ disconnected: true });
    expect(await world.column()).toBeNull();
  });

  test('while the database is away, new tokens are kept until they can be stored', async () => {
    const { world } = await salesforce();
    const { accessToken } = await world.grant();
    let failures = 5;
    const transaction: Database['transaction'] = async (work, options) => {
      failures -= 1;
      if (failures >= 0) throw new DatabaseUnavailableError('away');
      return db.transaction(work, options);
    };
    const renewed = tokenOf(await world.renew(accessToken, world.process({ db: { ...db, transaction } })));
    expect(await world.stored()).toMatchObject({ grant: { accessToken: renewed } });
    expect(world.oauth.tokenCalls()).toHaveLength(1);
  });

  test('an API host of a refresh is taken over, a foreign one is not', async () => {
    const world = await createRenewalWorld(await open(), 'pipedrive', { clock: createHurryingClock() });
    const answer = (host: string, name: string) => async () =>
      Response.json({ access_token: name, refresh_token: 'r', expires_in: 3_600, api_domain: host });
    const { accessToken } = await world.grant(60);
    const moved = world.process({ fetch: answer('https://acme-2.pipedrive.com', 'second') });
    expect(await world.renew(accessToken, moved)).toMatchObject({ grant: { apiUrl: 'https://acme-2.pipedrive.com' } });
    const foreign = world.process({ fetch: answer('https://pipedrive.com.example.org', 'third') });
    expect(await world.renew('second', foreign)).toMatchObject({
      grant: { accessToken: 'third', apiUrl: 'https://acme-2.pipedrive.com' },
    });
  });

  test('client credentials: tokens of the app itself, by its own id and secret', async () => {
    const { world } = await salesforce();
    const kind = { accessToken: null, expiresAt: null, apiUrl: null, loginUrl: 'http://127.0.0.1:9' };
    await world.store({ type: 'client_credentials', ...kind, clientId: 'app', clientSecret: 'app-secret' });
    const token = tokenOf(await world.renew(null));
    expect(world.oauth.check(token ?? '')).toMatchObject({ organizationId: '00D000000000001EAA' });
    expect(world.oauth.tokenCalls()).toMatchObject([{ grantType: 'client_credentials', status: 200 }]);
    expect(await world.stored()).toMatchObject({ grant: { clientSecret: 'app-secret', apiUrl: 'http://127.0.0.1:9' } });
  });

  test('JWT bearer: each token by a new assertion; a refusal of the user keeps the key, which works once approved', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const client = { ...CLIENT, jwtPublicKey: publicKey, approvedUsers: ['sync@example.com'] };
    const clock = createHurryingClock();
    const world = await createRenewalWorld(await open(), 'salesforce', { clock, client });
    const kind = { accessToken: null, expiresAt: null, apiUrl: null, loginUrl: 'http://127.0.0.1:9' };
    const grant = { type: 'jwt_bearer', ...kind, clientId: 'app', privateKey } as const;
    await world.store({ ...grant, username: 'sync@example.com' });
    const first = tokenOf(await world.renew(null));
    expect(world.oauth.check(first ?? '')).toMatchObject({ clientId: 'app' });
    clock.skip(3_600_000);
    expect(tokenOf(await world.renew(first))).not.toBe(first);
    await world.store({ ...grant, username: 'other@example.com' });
    expect(await world.renew(null)).toMatchObject({
      error: { code: 'token_refused' },
      retry: { afterMs: null },
      disconnected: false,
    });
    expect(await world.stored()).toMatchObject({ grant: { privateKey } });
    client.approvedUsers.push('other@example.com');
    expect(tokenOf(await world.renew(null))).toEqual(expect.any(String));
  });
});

function networkError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
