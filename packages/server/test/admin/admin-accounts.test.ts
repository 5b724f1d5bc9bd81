/** Administration of accounts, keys and capabilities, and rules for all operations. */
import * as fc from 'fast-check';
import * as z from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashApiKey } from '@svc/engine/secrets/secret-box';
import { AdminError } from '@svc/operations/implemented/admin-error';
import { NOUNS } from '@svc/operations/declared/index';
import { type AdminOperationName, performAdmin } from '@svc/operations/perform';
import { findKeyByHash } from '@svc/engine/store/api-keys';
import { type Administration, expectRefusal, makePipeline, NOW, openAdministration } from '../support/admin-harness.ts';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

describe.each(backends)('administration of accounts on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('operations', () => {
    let admin: Administration;
    let run: Administration['run'];
    let one: Awaited<ReturnType<typeof makePipeline>>;
    let other: Awaited<ReturnType<typeof makePipeline>>;
    beforeAll(async () => {
      admin = await openAdministration(backend);
      ({ run } = admin);
      one = await makePipeline(admin, 'one@example.com');
      other = await makePipeline(admin, 'other@example.com');
    });
    afterAll(async () => {
      await admin.close();
    });

    describe('accounts', () => {
      test('create and list', async () => {
        const { account, notices } = await run('accounts/create', { email: 'lin@example.com', canUseWebhooks: true });
        expect(account).toEqual({
          id: expect.any(Number),
          email: 'lin@example.com',
          canUseWebhooks: true,
          createdAt: NOW.toISOString(),
        });
        expect(notices).toEqual([]);
        expect((await run('accounts/list', {})).accounts).toContainEqual(account);
      });

      test('an email has one account in any letter case, also with concurrent calls', async () => {
        const create = (email: string) => run('accounts/create', { email });
        const results = await Promise.allSettled([create('twin@example.com'), create('TWIN@example.com')]);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect(await expectRefusal('conflict', create('Twin@Example.com'))).toMatch(
          /^Account \d+ already has the email twin@example\.com/i,
        );
      });

      test.each(['', 'kim', 'kim@', '@example.com', 'kim@example.com\0', 'a b@example.com'])(
        'refuses the email %j',
        async (email) => {
          expect(await expectRefusal('invalid_input', run('accounts/create', { email }))).toContain(
            'email: must be an email address',
          );
        },
      );
    });

    describe('keys', () => {
      const tokenForm = /^osapi_[0-9a-z]{52}$/;

      test('create: the token works, only its hash is stored, and list shows neither', async () => {
        const { key, token, notices } = await run('keys/create', { accountId: one.account.id, name: ' reporting ' });
        expect(token).toMatch(tokenForm);
        expect(notices).toEqual([]);
        expect(key).toEqual({
          id: expect.any(Number),
          accountId: one.account.id,
          name: 'reporting',
          scopes: ['read'],
          connectionScope: 'account',
          connectionId: null,
          createdAt: NOW.toISOString(),
          revokedAt: null,
          rotatedAt: null,
          expiresAt: null,
          lastUsedAt: null,
          state: 'valid',
        });
        expect(await findKeyByHash(admin.ctx.db, hashApiKey(token), admin.clock.now())).toMatchObject({
          id: key.id,
          scopes: ['read'],
        });
        const listed = await run('keys/list', { accountId: one.account.id });
        expect(listed.keys).toContainEqual(key);
        expect(JSON.stringify(listed)).not.toContain(token);
        const { rows } = await admin.ctx.db.query<{ row: string }>(
          'select row_to_json(k)::text as row from api_keys k',
        );
        const stored = rows.map(({ row }) => row).join('\n');
        expect(stored).not.toContain(token);
        expect(stored).toContain(hashApiKey(token).toString('hex'));
      });

      test('create: write includes read, and a connection makes the key connection-scoped', async () => {
        const { key } = await run('keys/create', {
          accountId: one.account.id,
          name: 'writer',
          scopes: ['write'],
          connectionId: one.connection.id,
        });
        expect(key).toMatchObject({
          scopes: ['read', 'write'],
          connectionScope: 'connection',
          connectionId: one.connection.id,
        });
        expect((await run('keys/list', { connectionId: one.connection.id })).keys).toEqual([key]);
      });

      test('create: refuses a connection of another account and unknown ids', async () => {
        const create = (accountId: number, connectionId: number | null) =>
          run('keys/create', { accountId, name: 'x', connectionId });
        expect(await expectRefusal('conflict', create(one.account.id, other.connection.id))).toBe(
          `Connection ${other.connection.id} belongs to account ${other.account.id}, not to account ${one.account.id}: svc-server connections list --account ${one.account.id} shows its connections.`,
        );
        expect(await expectRefusal('not_found', create(999_999, null))).toBe(
          'There is no account 999999: svc-server accounts list shows the existing ones.',
        );
        await expectRefusal('not_found', create(one.account.id, 999_999));
        expect((await run('keys/list', { accountId: other.account.id })).keys).toEqual([]);
      });

      test.each(['', ' \t', 'two\nlines', '\u001b[31mred', 'x'.repeat(101)])(
        'create: refuses the name %j',
        async (name) => {
          const call = run('keys/create', { accountId: one.account.id, name });
          expect(await expectRefusal('invalid_input', call)).toMatch(/^name: must /);
        },
      );

      test('create: says when the key will see nothing', async () => {
        const { account } = await run('accounts/create', { email: 'bare@example.com' });
        const { notices } = await run('keys/create', { accountId: account.id, name: 'early' });
        expect(notices.join()).toContain('sees nothing until');
      });

      test('revoke: the token is no longer found, and repeating it changes nothing', async () => {
        const { key, token } = await run('keys/create', { accountId: one.account.id, name: 'short' });
        const first = await run('keys/revoke', { id: key.id });
        expect(first.key).toEqual({ ...key, revokedAt: NOW.toISOString(), state: 'revoked' });
        expect(await findKeyByHash(admin.ctx.db, hashApiKey(token), admin.clock.now())).toBeNull();
        admin.clock.advance(60_000);
        expect(await run('keys/revoke', { id: key.id })).toEqual(first);
        await expectRefusal('not_found', run('keys/revoke', { id: 999_999 }));
      });

      test('create: an expiry must be in the future, is exact, survives rotation, and ends the key', async () => {
        const create = (expires: string) => run('keys/create', { accountId: one.account.id, name: 'guest', expires });
        const inDays = (days: number) => new Date(admin.clock.now().getTime() + days * 86_400_000);
        const { key } = await create('90d');
        expect(key).toMatchObject({ expiresAt: inDays(90).toISOString(), state: 'valid' });
        expect((await create('2099-01-31')).key.expiresAt).toBe('2099-01-31T00:00:00.000Z');
        expect((await create('2099-01-31 08:30')).key.expiresAt).toBe('2099-01-31T08:30:00.000Z');
        expect((await create('2d12h')).key.expiresAt).toBe(inDays(2.5).toISOString());
        const rotated = await run('keys/rotate', { id: key.id });
        expect(rotated.key.expiresAt).toBe(key.expiresAt);
        const find = (now: Date) => findKeyByHash(admin.ctx.db, hashApiKey(rotated.token), now);
        expect(await find(new Date(inDays(90).getTime() - 1))).toMatchObject({ id: rotated.key.id });
        expect(await find(inDays(90))).toBeNull();
        const { key: short } = await create('1m');
        admin.clock.advance(60_000);
        const { keys } = await run('keys/list', { accountId: one.account.id });
        expect(keys.find(({ id }) => id === short.id)?.state).toBe('expired');
        expect(await expectRefusal('conflict', run('keys/rotate', { id: short.id }))).toContain('has expired');
        for (const expires of ['', 'soon', '0d', '-1d', '2020-01-01', '2027-02-30', '9999999d', 'yesterday']) {
          expect(`${expires}: ${await expectRefusal('invalid_input', create(expires))}`).toContain(': expires');
        }
      });

      test('rotate: keeps name, scopes and connection, ends the old token, and works once per key', async () => {
        const { key, token } = await run('keys/create', {
          accountId: one.account.id,
          name: 'turning',
          scopes: ['write'],
          connectionId: one.connection.id,
        });
        const rotated = await run('keys/rotate', { id: key.id });
        expect(rotated.token).toMatch(tokenForm);
        expect(rotated.token).not.toBe(token);
        expect(rotated.replacedKeyId).toBe(key.id);
        const { id, createdAt: _createdAt, ...kept } = key;
        expect(rotated.key).toMatchObject(kept);
        expect(rotated.key.id).toBeGreaterThan(id);
        expect(await findKeyByHash(admin.ctx.db, hashApiKey(token), admin.clock.now())).toBeNull();
        expect(await findKeyByHash(admin.ctx.db, hashApiKey(rotated.token), admin.clock.now())).toMatchObject({
          id: rotated.key.id,
        });
        expect(await expectRefusal('conflict', run('keys/rotate', { id }))).toContain('was already rotated');
        await run('keys/revoke', { id: rotated.key.id });
        expect(await expectRefusal('conflict', run('keys/rotate', { id: rotated.key.id }))).toContain(
          'was already revoked',
        );
      });

      test('rotate: of two concurrent calls one succeeds, and one key is valid afterwards', async () => {
        const { key } = await run('keys/create', { accountId: one.account.id, name: 'race' });
        const results = await Promise.allSettled([
          run('keys/rotate', { id: key.id }),
          run('keys/rotate', { id: key.id }),
        ]);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        const { keys } = await run('keys/list', { accountId: one.account.id });
        expect(keys.filter(({ name, rotatedAt }) => name === 'race' && rotatedAt === null)).toHaveLength(1);
      });
    });

    describe('capabilities', () => {
      test('set: changes only the named capabilities of the named connection or account', async () => {
        const connectionId = one.connection.id;
        const before = await run('connections/list', {});
        const result = await run('capabilities/set', { connectionId, canUseApi: false, destinations: true });
        expect(result).toMatchObject({
          connection: {
            id: connectionId,
            canUseApi: false,
            capabilities: { sync: true, destinations: true, blocklists: false },
          },
        });
        await run('capabilities/set', { connectionId, canUseApi: true, destinations: false });
        expect(await run('connections/list', {})).toEqual(before);
        const account = await run('capabilities/set', { accountId: one.account.id, canUseWebhooks: true });
        expect(account).toMatchObject({ account: { id: one.account.id, canUseWebhooks: true } });
        const { accounts } = await run('accounts/list', {});
        expect(accounts.find(({ id }) => id === other.account.id)?.canUseWebhooks).toBe(false);
      });

      test.each([
        {},
        { connectionId: 1 },
        { accountId: 1 },
        { sync: true },
        { accountId: 1, connectionId: 1, sync: true },
        { accountId: 1, sync: true },
        { connectionId: 1, canUseWebhooks: true },
        { accountId: 1, canUseWebhooks: true, sync: false },
      ])('set: %j is refused', async (input) => {
        expect(await expectRefusal('invalid_input', run('capabilities/set', input))).toContain(
          'Name either a connection',
        );
      });

      test('set: unknown ids', async () => {
        await expectRefusal('not_found', run('capabilities/set', { connectionId: 999_999, sync: true }));
        await expectRefusal('not_found', run('capabilities/set', { accountId: 999_999, canUseWebhooks: true }));
      });
    });

    describe('audit log', () => {
      const newest = async (limit: number) => (await run('audit/list', { limit })).entries;

      test('shows actor, change and outcome, newest first, without reads', async () => {
        const at = admin.clock.now().toISOString();
        const { key } = await run('keys/create', { accountId: one.account.id, name: 'audited' });
        await run('keys/list', {});
        await run('doctor/check', {});
        await expectRefusal('not_found', run('keys/revoke', { id: 999_999 }));
        await expectRefusal('invalid_input', admin.runUnchecked('keys/revoke', { id: 'osapi_pasted' }));
        expect(await newest(3)).toEqual([
          {
            id: expect.any(Number),
            at,
            actor: 'a test',
            operation: 'keys/revoke',
            input: null,
            outcome: 'invalid_input',
          },
          {
            ...{ id: expect.any(Number), at, actor: 'a test', operation: 'keys/revoke' },
            ...{ input: { id: 999_999 }, outcome: 'not_found' },
          },
          {
            ...{ id: expect.any(Number), at, actor: 'a test', operation: 'keys/create', outcome: 'done' },
            input: { accountId: key.accountId, name: 'audited', scopes: ['read'], connectionId: null, expires: null },
          },
        ]);
      });

      test('filters by since', async () => {
        admin.clock.advance(3_600_000);
        await run('capabilities/set', { connectionId: one.connection.id, sync: true });
        const { entries } = await run('audit/list', { since: '30m' });
        expect(entries.map(({ operation }) => operation)).toEqual(['capabilities/set']);
        expect(await expectRefusal('invalid_input', run('audit/list', { since: 'soon' }))).toContain('since');
      });

      test('is in the order in which the changes began, whatever the clocks of the machines say', async () => {
        const { ctx, clock } = admin;
        const createAt = (aheadMs: number, name: string) => {
          const now = () => new Date(clock.now().getTime() + aheadMs);
          const input = { accountId: one.account.id, name };
          return performAdmin({ ...ctx, clock: { ...clock, now } }, 'keys/create', input, 'a test');
        };
        const hours = [0, 2, -3, 1, -1];
        for (const hour of hours) await createAt(hour * 3_600_000, `key ${hour}`);
        const entries = await newest(hours.length);
        expect(entries.map(({ input }) => input)).toMatchObject(
          hours.toReversed().map((hour) => ({ name: `key ${hour}` })),
        );
      });

      test('contains no secret of any operation', async () => {
        const marker = 'pat-never-to-be-seen';
        const { connection } = await run('connections/add', {
          ...{
            accountId: one.account.id,
            crm: 'HUBSPOT',
            organizationId: 'audit',
            organizationDomain: 'a.example.com',
          },
          crmToken: marker,
        });
        const { blocklist } = await run('blocklists/add', {
          ...{ connectionId: connection.id, listName: 'x', platform: 'smartlead', blockType: 'DOMAIN' },
          sequencerToken: marker,
        });
        await run('blocklists/set-token', { blocklistId: blocklist.id, sequencerToken: marker });
        const { token } = await run('keys/create', { accountId: one.account.id, name: 'x' });
        const { rows } = await admin.ctx.db.query<{ text: string }>(
          'select row_to_json(a)::text as text from audit_log a',
        );
        const stored = rows.map(({ text }) => text).join();
        expect(stored).toContain('blocklists/set-token');
        for (const secret of [marker, token]) expect(stored).not.toContain(secret);
      });
    });

    test('lists refuse unknown accounts and connections, and pairs that do not belong together', async () => {
      for (const name of [
        'keys/list',
        'sources/list',
        'destinations/list',
        'relays/list',
        'blocklists/list',
      ] as const) {
        await expectRefusal('not_found', run(name, { accountId: 999_999 }));
        await expectRefusal('not_found', run(name, { connectionId: 999_999 }));
        await expectRefusal('conflict', run(name, { accountId: one.account.id, connectionId: other.connection.id }));
      }
    });

    // What an input must be does not depend on the database.
    test.runIf(backend === anyBackend)('property: any input is accepted or refused with a code', async () => {
      const names = NOUNS.flatMap((noun): AdminOperationName[] => noun.operations.map((each) => each.name));
      const ids = fc.constantFrom(one.account.id, other.connection.id, one.source.id, 0, -1, 2 ** 53, 1.5, 'x', null);
      const fields = fc.record(
        {
          id: ids,
          accountId: ids,
          connectionId: ids,
          sourceId: ids,
          destinationId: ids,
          relayId: ids,
          name: fc.string({ unit: 'binary' }),
          email: fc.oneof(fc.emailAddress(), fc.string()),
          isConfirmed: fc.constant(false),
          url: fc.oneof(fc.webUrl(), fc.string()),
          description: fc.string({ unit: 'binary' }),
          eventTypes: fc.array(fc.oneof(fc.constant('EMAIL_SENT'), fc.anything())),
          crmToken: fc.anything(),
        },
        { requiredKeys: [] },
      );
      const input = fc.oneof(fc.jsonValue(), fields, fc.anything({ withNullPrototype: true }));
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...names), input, async (name, value) => {
          const error = await admin.runUnchecked(name, value).then(
            () => null,
            (reason: unknown) => reason,
          );
          if (error !== null) expect(error).toBeInstanceOf(AdminError);
        }),
        { numRuns: 200 },
      );
    });

    describe('in a server with a loaded world', () => {
      let server: TestServer;
      let query: TestServer['db']['query'];
      beforeAll(async () => {
        server = await startTestServer(backend);
        ({ query } = server.db);
      });
      afterAll(async () => {
        await server.close();
      });

      const operate = (name: AdminOperationName, input: unknown): Promise<unknown> =>
        performAdmin(server.running.ctx, name, input, 'a test');
      const confirm = (name: AdminOperationName, id: number) => operate(name, { id, isConfirmed: true });
      const event = (changes: object) => ({ event_type: 'EMAIL_REPLY', to_email: 'a@example.org', ...changes });
      const month = () => {
        const to = server.clock.now();
        return `from=${new Date(to.getTime() - 30 * 86_400_000).toISOString()}&to=${to.toISOString()}`;
      };
      test('accounts activity: its hours add up to the metrics of the API', async () => {
        const { hours } = await performAdmin(server.running.ctx, 'accounts/activity', { id: 1 }, 'a test');
        const now = server.clock.now();
        const from = new Date(now.getTime() - 23 * 3_600_000);
        expect([hours.length, hours[0]?.hour, hours.at(-1)?.hour]).toEqual([24, from.toISOString(), now.toISOString()]);
        const { json } = await server.get(
          'getAccountMetrics',
          `/api/v1/account/metrics?from=${from.toISOString()}&to=${now.toISOString()}`,
        );
        const sum = (field: 'received' | 'written' | 'warnings' | 'errors') =>
          hours.reduce((total, hour) => total + hour[field], 0);
        expect([sum('received'), sum('written'), sum('warnings'), sum('errors')]).toEqual([
          json.requests.count,
          json.syncs.success,
          json.syncs.warning,
          json.syncs.error,
        ]);
        expect(hours.filter(({ received }) => received > 0).length).toBeGreaterThan(3);
        await expectRefusal(
          'not_found',
          performAdmin(server.running.ctx, 'accounts/activity', { id: 999_999 }, 'a test'),
        );
      });

      /** Counts the rows of every table that refer to the row by this column. */
      const rowsNaming = async (column: string, id: number) => {
        const { rows: tables } = await query<{ name: string }>(
          `select table_name as name from information_schema.columns
            where table_schema = 'public' and column_name = $1
              and table_name in (select relname from pg_class where not relispartition) order by table_name`,
          [column],
        );
        const found: Record<string, number> = {};
        for (const { name } of tables) {
          const { rowCount } = await query(`select from ${name} where ${column} = $1`, [id]);
          if (rowCount > 0) found[name] = rowCount;
        }
        return found;
      };
      /** Runs all jobs, including those of the next day; none may fail. */
      const expectQuietQueue = async () => {
        for (let hour = 0; hour < 26; hour += 1) {
          await server.running.runner.runDue();
          server.clock.advance(3_600_000);
        }
        const { rows } = await query('select kind, ref, last_error from jobs where due_at < $1', [server.clock.now()]);
        expect(rows).toEqual([]);
        const { values } = await server.running.ctx.metrics.jobs.get();
        const failed = values.filter(({ labels, value }) => labels['result'] === 'failed' && value > 0);
        expect(failed).toEqual([]);
      };

      test('keys list: shows the last use of a key, written for many requests at once', async () => {
        const lastUsed = async () => {
          const { rows } = await query<{ at: Date | null }>(
            `select last_used_at as at from api_keys where name = 'Dashboard'`,
          );
          return rows[0]?.at ?? null;
        };
        await server.get('getMe', '/api/v1/me');
        server.clock.advance(10_000);
        await server.get('getMe', '/api/v1/me');
        const usedAt = server.clock.now();
        expect(await lastUsed()).toBeNull();
        server.clock.advance(50_000);
        await expect.poll(lastUsed).toEqual(usedAt);
        expect(await operate('keys/list', { accountId: 1 })).toMatchObject({
          keys: expect.arrayContaining([
            expect.objectContaining({ name: 'Dashboard', lastUsedAt: usedAt.toISOString() }),
            expect.objectContaining({ name: 'Operations', lastUsedAt: null }),
          ]),
        });
      });

      test('401 for an expired key, as for an unknown one', async () => {
        const made = await operate('keys/create', { accountId: 1, name: 'guest', expires: '1h' });
        const { token } = z.object({ token: z.string() }).parse(made);
        expect((await server.get('getMe', '/api/v1/me', token)).status).toBe(200);
        server.clock.advance(3_600_000);
        const { status, json } = await server.get('getMe', '/api/v1/me', token);
        const unknown = await server.get('getMe', '/api/v1/me', 'osapi_unknown');
        expect([status, json]).toEqual([401, unknown.json]);
      });

      test('a new account comes with the notice that the next world deletes it', async () => {
        const made = await operate('accounts/create', { email: 'late@example.com' });
        expect(made).toMatchObject({ notices: [expect.stringContaining(`contains the world "${server.world.name}"`)] });
      });

      test('sources remove: removes its URL, keeps its logs, and its queued jobs end without errors', async () => {
        await query('truncate jobs');
        await server.post('/webhooks/demo-smartlead', event({ stats_id: 'forwarded later' }));
        await server.running.runner.runDue();
        const { json: receipt } = await server.post('/webhooks/demo-smartlead', event({ stats_id: 'not processed' }));
        await query(
          `insert into jobs (kind, ref, fairness_key, due_at, created_at)
            select 'retry-sync', min(id)::text, 'connection:1', $1, $1 from syncs where source_id = 1`,
          [server.clock.now()],
        );
        const before = await rowsNaming('source_id', 1);
        const message = await expectRefusal('not_confirmed', operate('sources/remove', { id: 1 }));
        expect(message).toBe(
          `Removing source 1 deletes ${before['destination_bindings']} destination bindings, ${before['reply_relay_bindings']} relay binding, ${before['inbound_events']} received event, and keeps ${before['syncs']} syncs, ${before['deliveries']} deliveries, ${before['requests']} requests without it. Nothing is removed yet: confirm with --yes.`,
        );
        expect(await rowsNaming('source_id', 1)).toEqual(before);
        const { syncs, deliveries, requests } = before;
        expect(await confirm('sources/remove', 1)).toMatchObject({ id: 1, kept: { syncs, deliveries, requests } });
        // Past events keep their data.
        expect(Object.keys(await rowsNaming('source_id', 1))).toEqual(['events']);
        await expectRefusal('not_found', confirm('sources/remove', 1));
        expect((await server.post('/webhooks/demo-smartlead', event({}))).status).toBe(404);
        const { json } = await server.get('listRequests', `/api/v1/requests?limit=1&${month()}`);
        expect(json.data).toEqual([
          expect.objectContaining({
            id: receipt.requestId,
            sourceId: null,
            connectionId: null,
            path: 'demo-smartlead',
          }),
        ]);
        const { json: page } = await server.get('listSyncs', `/api/v1/syncs?connectionId=1&limit=1&${month()}`);
        expect(page.data).toMatchObject([{ sourceId: null, connectionId: 1, toEmail: 'a@example.org' }]);
        expect((await server.get('listSyncs', `/api/v1/syncs?sourceId=1&${month()}`)).status).toBe(404);
        const failed = server.world.syncs.find((sync) => sync.sourceId === 1 && sync.status === 'error')?.id;
        const retried = await server.post(`/api/v1/syncs/${failed}/retry`, '', {
          authorization: 'Bearer osapi_demo_write',
        });
        expect([retried.status, retried.json.message]).toEqual([409, 'Sync is not eligible for retry']);
        await expectQuietQueue();
      });

      test('a receipt that arrived while its source was removed is kept without a source', async () => {
        const { json } = await server.post('/webhooks/demo-instantly', {});
        await query('update requests set source_id = 999999 where id = $1', [json.requestId]);
        await expectQuietQueue();
        const { rows } = await query('select connection_id, source_id, outcome from requests where id = $1', [
          json.requestId,
        ]);
        expect(rows).toEqual([{ connection_id: null, source_id: null, outcome: 'ignored' }]);
      });

      test('destinations remove: deletes its queued jobs and keeps its deliveries', async () => {
        const reply = { event_type: 'reply_received', lead_email: 'b@example.org', timestamp: '2026-03-31T12:00:00Z' };
        await server.post('/webhooks/demo-instantly', reply);
        await server.running.runner.runDue();
        expect(
          (await query(`select from jobs where fairness_key = 'account:1/destination:3'`)).rowCount,
        ).toBeGreaterThan(0);
        const before = (await rowsNaming('destination_id', 3))['deliveries'];
        expect(await confirm('destinations/remove', 3)).toMatchObject({ kept: { deliveries: before } });
        expect(await rowsNaming('destination_id', 3)).toEqual({ deliveries: before });
        await expectQuietQueue();
        const last = server.world.deliveries.findLast((row) => row.destinationId === 3);
        const from = last?.createdAt.toISOString();
        const { json } = await server.get('listDeliveries', `/api/v1/deliveries?from=${from}&to=${from}`);
        expect(json.data).toContainEqual(
          expect.objectContaining({ destinationId: 3, destinationUrl: last?.destinationUrl }),
        );
        expect((await server.get('listDeliveries', `/api/v1/deliveries?destinationId=3&${month()}`)).status).toBe(404);
        // Without any destination that the key sees, the list and its counts are empty, whatever rows are kept.
        const visible = await server.get('listDestinations', '/api/v1/destinations');
        for (const { id } of visible.json.destinations) await confirm('destinations/remove', id);
        expect((await server.get('listDeliveries', `/api/v1/deliveries?${month()}`)).json.data).toEqual([]);
        const metrics = await server.get('getAccountMetrics', `/api/v1/account/metrics?${month()}`);
        expect(metrics.json.destinationDeliveries).toEqual({ success: 0, error: 0, http2xx: 0 });
      });

      test('connections remove: deletes settings, keys and logs, and keeps requests for the account', async () => {
        const unread = await server.post('/webhooks/demo-lemlist', event({ _id: 'not read' }));
        const requests = (await rowsNaming('connection_id', 2))['requests'];
        const orphans = (await query('select from requests where account_id = 1 and connection_id is null')).rowCount;
        await operate('blocklists/update', { id: 4, listName: 'Renamed' });
        await query(
          `insert into service_meta (key, value) values ('policies_compared_2', '{}'), ('policies_compared_22', '{}')`,
        );
        // While its logs are deleted, no new work arrives that could block the removal; an interrupted removal can be
        // repeated.
        const { db } = server.running.ctx;
        let hasClosed = false;
        const transaction: typeof db.transaction = async (work, options) => {
          if (hasClosed) throw new Error('interrupted');
          const result = await db.transaction(work, options);
          hasClosed = true;
          return result;
        };
        const interrupted = { ...server.running.ctx, db: { ...db, transaction } };
        await expect(
          performAdmin(interrupted, 'connections/remove', { id: 2, isConfirmed: true }, 'a test'),
        ).rejects.toThrow('interrupted');
        expect((await server.post('/webhooks/demo-lemlist', event({}))).status).toBe(404);
        expect((await server.get('getMe', '/api/v1/me', 'osapi_demo_connection_salesforce')).status).toBe(401);
        expect((await rowsNaming('connection_id', 2))['requests']).toBe(requests);
        // No worker will read this receipt, because its source is gone: it must not keep the outcome that it was stored with.
        expect((await query('select outcome from requests where id = $1', [unread.json.requestId])).rows).toEqual([
          { outcome: 'ignored' },
        ]);
        expect(await confirm('connections/remove', 2)).toMatchObject({ kept: { requests } });
        expect(await rowsNaming('connection_id', 2)).toEqual({});
        const { rows: compared } = await query(
          `delete from service_meta where key like 'policies_compared_%' returning key`,
        );
        expect(compared).toEqual([{ key: 'policies_compared_22' }]);
        expect((await query('select from requests where account_id = 1 and connection_id is null')).rowCount).toBe(
          orphans + (requests ?? 0),
        );
        expect((await server.get('getMe', '/api/v1/me', 'osapi_demo_connection_salesforce')).status).toBe(401);
        const { json } = await server.get('getMe', '/api/v1/me');
        expect(json.connections.map(({ id }: { id: number }) => id)).not.toContain(2);
        await expectQuietQueue();
      });

      test('deletes receipts with source and connection when the API is off, because no key could see them', async () => {
        const { connection } = z.object({ connection: z.object({ id: z.number() }) }).parse(
          await operate('connections/add', {
            accountId: 1,
            crm: 'HUBSPOT',
            organizationId: 'closed',
            organizationDomain: 'closed.example.com',
            crmToken: 'closed',
            canUseApi: false,
          }),
        );
        const addSource = async () => {
          const added = await operate('sources/add', { connectionId: connection.id, platform: 'smartlead' });
          const { source } = z.object({ source: z.object({ id: z.number(), url: z.string() }) }).parse(added);
          return { id: source.id, path: new URL(source.url).pathname };
        };
        const isKept = async (requestId: number) =>
          (await query('select from requests where id = $1', [requestId])).rowCount > 0;
        const [first, second] = [await addSource(), await addSource()];
        const { json: late } = await server.post(first.path, event({}));
        await query('update requests set source_id = 999999 where id = $1', [late.requestId]);
        await server.running.runner.runDue();
        expect(await isKept(late.requestId)).toBe(false);
        const { json: ofSource } = await server.post(first.path, event({}));
        const { json: ofConnection } = await server.post(second.path, event({}));
        expect(await confirm('sources/remove', first.id)).toMatchObject({ deleted: { requests: 1 }, kept: {} });
        expect([await isKept(ofSource.requestId), await isKept(ofConnection.requestId)]).toEqual([false, true]);
        expect(await confirm('connections/remove', connection.id)).toMatchObject({
          deleted: { requests: 1 },
          kept: {},
        });
        expect(await isKept(ofConnection.requestId)).toBe(false);
      });

      test('accounts remove: deletes everything of the account and nothing of another', async () => {
        const others = async () => {
          const { rows } = await query<{ count: number }>(
            `select (select count(*) from syncs where account_id <> 1) + (select count(*) from requests where account_id <> 1)
              + (select count(*) from events where account_id <> 1) + (select count(*) from sources) as count`,
          );
          return rows[0]?.count ?? 0;
        };
        const sourcesOfOne = (
          await query('select from sources s join connections c on c.id = s.connection_id where c.account_id = 1')
        ).rowCount;
        const before = await others();
        await server.post('/webhooks/demo-instantly', { event_type: 'email_sent', lead_email: 'c@example.org' });
        await query(
          `insert into last_values (connection_id, identity, state, updated_at) values (1, 'c@example.org', '{}', now())`,
        );
        expect(await confirm('accounts/remove', 1)).toMatchObject({ kept: {}, deleted: { connections: 3 } });
        expect(await rowsNaming('account_id', 1)).toEqual({});
        for (const connectionId of [1, 3, 4]) expect(await rowsNaming('connection_id', connectionId)).toEqual({});
        expect(await others()).toBe(before - sourcesOfOne);
        const { rows } = await query(
          `select fairness_key from jobs where fairness_key ~ '^(account:1/|connection:[134]$)'`,
        );
        expect(rows).toEqual([]);
        expect((await server.get('getMe', '/api/v1/me')).status).toBe(401);
        expect((await server.get('getMe', '/api/v1/me', 'osapi_demo_other')).status).toBe(200);
        await expectQuietQueue();
      });
    });
  });
});
