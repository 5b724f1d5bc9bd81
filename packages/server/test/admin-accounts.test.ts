/** Administration of accounts, keys and capabilities, and what holds for every operation. */
import { readFile } from 'node:fs/promises';
import { materializeWorld, parseWorld } from '@svc/domain/world';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashApiKey } from '../src/secrets.ts';
import { AdminError } from '../src/services/admin/admin-error.ts';
import { adminOperations, isAdminOperation } from '../src/services/admin/index.ts';
import { findKeyByHash } from '../src/store/api-keys.ts';
import { loadWorld } from '../src/world/load-world.ts';
import { type Administration, expectRefusal, makePipeline, NOW, openAdministration } from './admin-harness.ts';
import { backends } from './backends.ts';

describe.each(backends)('administration of accounts on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('does and refuses', () => {
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

      test('an email has one account, whatever its case, also when both are created at once', async () => {
        const create = (email: string) => run('accounts/create', { email });
        const results = await Promise.allSettled([create('twin@example.com'), create('TWIN@example.com')]);
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect(await expectRefusal('conflict', create('Twin@Example.com'))).toMatch(
          /^Account \d+ has the email twin@example\.com already/i,
        );
      });

      test.each(['', 'kim', 'kim@', '@example.com', 'kim@example.com\0', 'a b@example.com'])(
        'the email %j is refused',
        async (email) => {
          expect(await expectRefusal('invalid_input', run('accounts/create', { email }))).toContain(
            'email: must be an email address',
          );
        },
      );
    });

    describe('keys', () => {
      const tokenForm = /^osapi_[0-9a-z]{52}$/;

      test('create: the token works and only its hash is stored; list shows neither', async () => {
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
        });
        expect(await findKeyByHash(admin.ctx.db, hashApiKey(token))).toMatchObject({ id: key.id, scopes: ['read'] });
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

      test('create: write includes read, a connection makes it connection-scoped', async () => {
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

      test('create: a connection of another account is refused, and so is what is not there', async () => {
        const create = (accountId: number, connectionId: number | null) =>
          run('keys/create', { accountId, name: 'x', connectionId });
        expect(await expectRefusal('conflict', create(one.account.id, other.connection.id))).toBe(
          `Connection ${other.connection.id} belongs to account ${other.account.id}, not to account ${one.account.id}: svc-server connections list --account ${one.account.id} shows its own.`,
        );
        expect(await expectRefusal('not_found', create(999_999, null))).toBe(
          'There is no account 999999: svc-server accounts list shows those that are there.',
        );
        await expectRefusal('not_found', create(one.account.id, 999_999));
        expect((await run('keys/list', { accountId: other.account.id })).keys).toEqual([]);
      });

      test.each(['', ' \t', 'two\nlines', '\u001b[31mred', 'x'.repeat(101)])(
        'create: the name %j is refused',
        async (name) => {
          const call = run('keys/create', { accountId: one.account.id, name });
          expect(await expectRefusal('invalid_input', call)).toMatch(/^name: must /);
        },
      );

      test('create: says when the key will be answered 403', async () => {
        const { account } = await run('accounts/create', { email: 'bare@example.com' });
        const { notices } = await run('keys/create', { accountId: account.id, name: 'early' });
        expect(notices.join()).toContain('answered 403');
      });

      test('revoke: the token is not found any more; a second time changes nothing', async () => {
        const { key, token } = await run('keys/create', { accountId: one.account.id, name: 'short' });
        const first = await run('keys/revoke', { id: key.id });
        expect(first.key).toEqual({ ...key, revokedAt: NOW.toISOString() });
        expect(await findKeyByHash(admin.ctx.db, hashApiKey(token))).toBeNull();
        admin.clock.advance(60_000);
        expect(await run('keys/revoke', { id: key.id })).toEqual(first);
        await expectRefusal('not_found', run('keys/revoke', { id: 999_999 }));
      });

      test('rotate: name, scopes and connection stay, the old token is gone, and it can be rotated once', async () => {
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
        expect(await findKeyByHash(admin.ctx.db, hashApiKey(token))).toBeNull();
        expect(await findKeyByHash(admin.ctx.db, hashApiKey(rotated.token))).toMatchObject({ id: rotated.key.id });
        expect(await expectRefusal('conflict', run('keys/rotate', { id }))).toContain('was rotated already');
        await run('keys/revoke', { id: rotated.key.id });
        expect(await expectRefusal('conflict', run('keys/rotate', { id: rotated.key.id }))).toContain(
          'was revoked already',
        );
      });

      test('rotate: of two at once one wins, and one key is valid afterwards', async () => {
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
      test('set: only what is named changes, and only there', async () => {
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

      test('set: what is not there', async () => {
        await expectRefusal('not_found', run('capabilities/set', { connectionId: 999_999, sync: true }));
        await expectRefusal('not_found', run('capabilities/set', { accountId: 999_999, canUseWebhooks: true }));
      });
    });

    test('lists of an account or connection that is not there, or do not belong together', async () => {
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

    test('any input at all is done or refused by name, never a failure of ours', async () => {
      const names = Object.keys(adminOperations).filter(isAdminOperation);
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
        { numRuns: 400 },
      );
    });

    test('an account in a database that holds a world is told that the next world deletes it', async () => {
      const own = await openAdministration(backend);
      const file = new URL('../../../fixtures/minimal-world.json', import.meta.url);
      const world = parseWorld(JSON.parse(await readFile(file, 'utf8')));
      await loadWorld({ db: own.ctx.db, secrets: own.ctx.secrets, now: NOW }, materializeWorld(world, NOW));
      const { notices } = await own.run('accounts/create', { email: 'late@example.com' });
      await own.close();
      expect(notices).toEqual([expect.stringContaining(`holds the world "${world.name}"`)]);
    });
  });
});
