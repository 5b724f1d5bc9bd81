/** Configuration as code: what is exported is what is planned, and what is applied is what is exported. */
import * as fc from 'fast-check';
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import type { CrmConnector } from '@svc/crm';
import { backends } from '@svc/engine/test/backends';
import { performAdmin } from '@svc/operations/perform';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';

interface Named {
  name: string;
}
interface Client extends Named {
  email: string;
  [field: string]: unknown;
}

const TOKENS = {
  ...{ 'env:ONE': 'token-one', 'env:TWO': 'token-two' },
  ...{ 'env:SIGN': 'token-that-signs-the-posts', 'env:OTHER': 'token-that-signs-the-others' },
};
const eventTypes = fc.uniqueArray(fc.constantFrom(...Object.keys(SEQUENCER_EVENT_TYPES)), {
  minLength: 1,
  maxLength: 3,
});
const word = fc.constantFrom('', 'a text', 'with "quotes" and: colons', '- dashes');
const token = fc.constantFrom('env:ONE', 'env:TWO');

/** A connection with these sources. What it names exists in the other worlds too, for the law without removals. */
const connectionOf = (account: string) =>
  fc
    .record({
      organizationDomain: fc.constantFrom('one.example.com', 'two.example.com'),
      token,
      api: fc.boolean(),
      forwards: fc.boolean(),
      policy: fc.constantFrom(undefined, { create: 'never' }, { create: { onCategory: ['Interested'] } }),
      company: fc.boolean(),
      secret: fc.constantFrom(
        undefined,
        { value: 'env:ONE', header: 'x-one' },
        { value: 'env:TWO', hmacHeader: 'x-two' },
        { value: 'env:TWO', timedHmacHeader: 'x-two', tolerance: '600s' },
      ),
      destination: fc.record({
        description: word,
        url: fc.constantFrom('https://a.example.com/in', 'https://b.example.com'),
      }),
      bindings: fc.subarray(['first', 'second']),
      events: eventTypes,
      delayed: fc.boolean(),
      relay: fc.record({ ccEmail: fc.constantFrom('kim@example.com', 'lee@example.com'), delayMinutes: fc.nat(60) }),
      routes: fc.constantFrom(null, ['crm-owner'], [{ campaigns: [{ campaign: 'Q*', to: 'lee@example.com' }] }]),
      relayed: fc.subarray(['first', 'second']),
      bodyTemplates: fc.constantFrom([], ['Hello {{leadName}}']),
      listName: fc.constantFrom('Customers', 'Do not contact'),
      key: fc.constantFrom(null, 'main'),
      remove: fc.boolean(),
      suppress: fc.subarray(['bounces', 'opt-outs', 'category:Not now']),
      every: fc.constantFrom(undefined, '15m', '1d', '2h'),
    })
    .map((of) => ({
      name: 'main',
      ...{
        crm: 'HUBSPOT',
        organizationId: `of ${account}`,
        organizationDomain: of.organizationDomain,
        token: of.token,
      },
      capabilities: { api: of.api, destinations: of.forwards },
      ...(of.policy === undefined ? {} : { policy: of.policy }),
      sources: [
        {
          name: 'first',
          platform: 'smartlead',
          createOrUpdateCompany: of.company,
          ...(of.secret && { secret: of.secret }),
        },
        { name: 'second', platform: 'my-dialer' },
      ],
      destinations: [
        {
          ...{ name: 'hook', ...of.destination },
          sources: of.bindings.map((source) => ({ source, events: of.events, delayed: of.delayed })),
        },
      ],
      relays: [{ name: 'rep', ...of.relay, routes: of.routes, bodyTemplates: of.bodyTemplates, sources: of.relayed }],
      blocklists: [
        {
          ...{ name: 'customers', listName: of.listName, platform: 'smartlead', type: 'ADDRESS' },
          ...(of.key === null ? { token: 'env:ONE' } : { key: of.key }),
          ...{ remove: of.remove, suppress: of.suppress, ...(of.every && { every: of.every }) },
        },
      ],
    }));

const endpoint = fc.record({
  url: fc.constantFrom('https://a.example.com/hook', 'https://b.example.com/hook'),
  description: word,
  events: fc.subarray(['sync.failed', 'sync.recovered']),
  active: fc.boolean(),
  secret: fc.constantFrom('env:SIGN', 'env:OTHER'),
});

const clientNamed = (name: string) =>
  fc.record({ webhooks: fc.boolean(), connection: connectionOf(name), token, endpoint }).map(
    (of): Client => ({
      ...{ name, email: `${name}@example.com`, webhooks: of.webhooks },
      webhookEndpoints: [{ name: 'crm-errors', ...of.endpoint }],
      sequencerKeys: [{ name: 'main', platform: 'smartlead', token: of.token }],
      connections: [of.connection],
    }),
  );
const world = fc.tuple(clientNamed('acme'), clientNamed('globex'));

/** What a world may lack when what a file does not name is removed. The whole connection is one of them. */
const PARTS = ['destinations', 'relays', 'blocklists', 'connections'] as const;
const pruned = fc
  .tuple(world, fc.subarray([...PARTS]))
  .map(([clients, missing]) => clients.map((client, index) => (index === 0 ? without(client, missing) : client)));

function without(client: Client, missing: readonly (typeof PARTS)[number][]): Client {
  if (missing.includes('connections')) return { ...client, connections: [], sequencerKeys: [], webhookEndpoints: [] };
  const connections = client['connections'] as object[];
  const empty = Object.fromEntries(missing.map((part) => [part, []]));
  return { ...client, connections: connections.map((connection) => ({ ...connection, ...empty })) };
}

describe.each(backends)('configuration on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('operations', () => {
    let admin: Administration;
    beforeAll(async () => {
      admin = await openAdministration(backend);
    });
    afterAll(() => admin.close());

    const plan = (accounts: unknown, prunes = false) =>
      admin.runUnchecked('config/plan', { accounts, secrets: TOKENS, prunes }) as ReturnType<
        typeof admin.run<'config/plan'>
      >;
    const apply = async (accounts: unknown, prunes = false) => {
      const { planId } = await plan(accounts, prunes);
      return admin.runUnchecked('config/apply', { accounts, secrets: TOKENS, planId, prunes });
    };
    const exported = async () => (await admin.run('config/export', {})).accounts as unknown as Client[];
    const audited = async () =>
      (await admin.ctx.db.query<{ text: string }>('select input::text as text from audit_log')).rows
        .map(({ text }) => text)
        .join();

    test('an export plans nothing, and A after B equals A', async () => {
      await fc.assert(
        fc.asyncProperty(world, world, async (a, b) => {
          await apply(a);
          const first = await exported();
          expect((await plan(first)).steps).toEqual([]);
          expect((await plan(a)).steps).toEqual([]);
          await apply(b);
          expect((await plan(b)).steps).toEqual([]);
          await apply(a);
          expect(await exported()).toEqual(first);
          expect((await plan(a)).steps).toEqual([]);
        }),
        { numRuns: 4, endOnFailure: true },
      );
      expect(await audited()).not.toContain('token-');
    });

    test('with --prune a file is all that is stored of its accounts, and A after B equals A', async () => {
      await fc.assert(
        fc.asyncProperty(pruned, pruned, async (a, b) => {
          await apply(a, true);
          const first = await exported();
          expect(await plan(first, true)).toMatchObject({ steps: [], unlisted: [] });
          await apply(b, true);
          expect(await plan(b, true)).toMatchObject({ steps: [], unlisted: [] });
          await apply(a, true);
          expect(await exported()).toEqual(first);
        }),
        { numRuns: 3, endOnFailure: true },
      );
      await apply(fc.sample(world, 1)[0], true);
    });

    test('CRMs and resolvers are asked before the transaction, and what they refuse is named in order and not written', async () => {
      const INSIDE = 'https://inside.example.com/b';
      const asked: string[] = [];
      const outside = async (what: string) => {
        // A statement of the database in an open transaction is an error.
        await admin.ctx.db.query('select 1');
        asked.push(what);
      };
      const { outbound } = admin.ctx;
      const checkAccess: CrmConnector['checkAccess'] = async ({ accessToken }) => {
        await outside(accessToken);
        return { status: 'accepted', organizationId: accessToken === 'token-one' ? '601' : '602', missing: [] };
      };
      const ctx = {
        ...admin.ctx,
        outbound: {
          ...outbound,
          isAllowed: async (url: string) => {
            await outside(url);
            // Of these two, the second is answered first.
            const isSlow = url === INSIDE && asked.indexOf(INSIDE) === asked.length - 1;
            if (isSlow) await vi.waitUntil(() => asked.indexOf(INSIDE) !== asked.lastIndexOf(INSIDE));
            return outbound.isAllowed(url);
          },
        },
        crmConnector: () => ({ checkAccess }) as unknown as CrmConnector,
      };
      const run = async (name: 'config/plan' | 'config/apply', input: object) =>
        performAdmin(ctx, name, input, 'a test');
      const file = (tokens: readonly [string, string], url: string) => [
        {
          ...{ name: 'cyberdyne', email: 'cyberdyne@example.com' },
          webhookEndpoints: [{ name: 'errors', url: 'https://hooks.example.com/a', secret: 'env:SIGN' }],
          connections: tokens.map((reference, index) => ({
            ...{ name: `crm-${index}`, crm: 'HUBSPOT', organizationId: `60${index + 1}`, token: reference },
            ...{ organizationDomain: 'cyberdyne.example.com', destinations: [{ name: 'hook', url }] },
          })),
        },
      ];
      const applyChecked = async (accounts: object[]) => {
        const input = { accounts, secrets: TOKENS };
        const { planId } = (await run('config/plan', input)) as { planId: string };
        return run('config/apply', { ...input, planId, checksTokens: true });
      };
      const url = 'https://hooks.example.com/b';
      const wrong = await expectRefusal('invalid_input', applyChecked(file(['env:TWO', 'env:TWO'], INSIDE)));
      expect(wrong.split('\n')).toEqual([
        expect.stringContaining('cyberdyne/crm-0: This token belongs to HUBSPOT account 602, not 601'),
        expect.stringMatching(/^cyberdyne\/crm-0\/hook: .*private/),
        expect.stringMatching(/^cyberdyne\/crm-1\/hook: .*private/),
      ]);
      expect(wrong).not.toContain('token-');
      expect((await exported()).map(({ name }) => name)).not.toContain('cyberdyne');
      asked.length = 0;
      expect(await applyChecked(file(['env:ONE', 'env:TWO'], url))).toMatchObject({ applied: 6 });
      expect(asked.sort()).toEqual(['https://hooks.example.com/a', url, url, 'token-one', 'token-two']);
    });

    test('rows of other commands are exported by their kind and id, and can be renamed', async () => {
      const { account, connection, source } = await makePipeline(admin, 'kim@example.com', '4711');
      const file = (await exported()).filter(({ email }) => email === 'kim@example.com');
      expect(file).toEqual([
        {
          ...{ name: `account-${account.id}`, email: 'kim@example.com' },
          connections: [
            {
              ...{ name: `hubspot-${connection.id}`, crm: 'HUBSPOT', organizationId: '4711' },
              organizationDomain: 'northwind.example.com',
              sources: [{ name: `smartlead-${source.id}`, platform: 'smartlead' }],
            },
          ],
        },
      ]);
      expect((await plan(file)).steps).toEqual([]);
      const rename = (kind: 'account' | 'source' | 'webhook', id: number | string, name: string) =>
        admin.run('config/rename', { kind, id, name });
      expect((await rename('source', source.id, 'germany')).path).toBe(
        `account-${account.id}/hubspot-${connection.id}/germany`,
      );
      expect(await expectRefusal('conflict', rename('account', account.id, 'acme'))).toContain('called acme already');
    });

    test('webhooks of the API have names too, and their secret signs what is posted', async () => {
      const endpoint = { name: 'errors', url: 'https://hooks.example.com/errors', events: ['sync.failed'] };
      const file = (...webhookEndpoints: object[]) => [
        { name: 'tyrell', email: 'tyrell@example.com', webhooks: true, webhookEndpoints },
      ];
      const signed = { ...endpoint, secret: 'env:SIGN' };
      expect(await expectRefusal('invalid_input', plan(file(endpoint)))).toContain('a new webhook needs its secret');
      expect(await expectRefusal('invalid_input', plan(file({ ...endpoint, secret: 'env:ONE' })))).toContain(
        'at least 24 characters',
      );
      expect(await apply(file(signed))).toMatchObject({ applied: 2 });
      const stored = async () => {
        const { rows } = await admin.ctx.db.query<{ id: string; secret: string; isActive: boolean }>(
          `select w.id, secret, is_active as "isActive" from webhooks w join accounts a on a.id = w.account_id
            where a.name = 'tyrell' and w.deleted_at is null`,
        );
        return rows;
      };
      const [row] = await stored();
      const place = { kind: 'webhook signing secret', id: row?.id ?? '' } as const;
      expect(admin.ctx.secrets.decrypt(row?.secret ?? '', place)).toBe(TOKENS['env:SIGN']);
      // As twenty failed deliveries leave it.
      await admin.ctx.db.query('update webhooks set is_active = false, auto_disabled_at = now() where id = $1', [
        row?.id,
      ]);
      expect((await plan(file(endpoint))).steps).toMatchObject([
        { changes: [{ field: 'active', from: false, to: true }] },
      ]);
      await apply(file(endpoint));
      expect(await stored()).toMatchObject([{ isActive: true }]);
      await admin.run('config/rename', { kind: 'webhook', id: row?.id ?? '', name: 'failures' });
      expect(await plan(file({ ...endpoint, name: 'failures' }))).toMatchObject({ steps: [], unlisted: [] });
      const many = Array.from({ length: 20 }, (_, index) => ({ ...signed, name: `hook-${index}` }));
      expect(await expectRefusal('invalid_input', apply(file(...many)))).toContain('20');
      expect(await apply(file(...many), true)).toMatchObject({ applied: 21 });
      expect((await stored()).map(({ id }) => id)).not.toContain(row?.id);
      expect(await apply(file(), true)).toMatchObject({ applied: 20 });
    });

    test('a plan that is no longer true is refused, and a done one is done', async () => {
      const file = (email: string) => [{ name: 'initech', email }];
      const { planId, steps } = await plan(file('one@initech.example.com'));
      expect(steps).toMatchObject([{ action: 'create', kind: 'account', path: 'initech' }]);
      const run = (email: string) => admin.runUnchecked('config/apply', { accounts: file(email), planId });
      expect(await expectRefusal('conflict', run('two@initech.example.com'))).toContain('nothing was done');
      expect(await run('one@initech.example.com')).toMatchObject({ applied: 1 });
      expect(await run('one@initech.example.com')).toMatchObject({ applied: 0 });
    });

    test('a step that fails undoes the others', async () => {
      const file = [
        { name: 'hooli', email: 'hooli@example.com' },
        { name: 'other', email: 'ACME@example.com' },
      ];
      expect(await expectRefusal('conflict', apply(file))).toContain('already has the email');
      expect((await exported()).map(({ name }) => name)).not.toContain('hooli');
    });

    test('a connection without a token waits for a user, and is found by its organization', async () => {
      const connection = {
        name: 'main',
        crm: 'HUBSPOT',
        organizationId: '9',
        organizationDomain: 'umbrella.example.com',
      };
      const file = [
        {
          ...{ name: 'umbrella', email: 'umbrella@example.com' },
          connections: [{ ...connection, sources: [{ name: 'first', platform: 'smartlead' }] }],
        },
      ];
      expect(await apply(file)).toMatchObject({ applied: 1, manual: [{ path: 'umbrella/main' }] });
      const { accounts } = await admin.run('accounts/list', {});
      const accountId = accounts.find(({ email }) => email === 'umbrella@example.com')?.id ?? 0;
      const { crm, organizationId, organizationDomain } = connection;
      await admin.run('connections/add', { accountId, crm, organizationId, organizationDomain, crmToken: 'consent' });
      expect((await plan(file)).steps).toMatchObject([
        { action: 'update', path: 'umbrella/main', changes: [{ field: 'name', to: 'main' }] },
        { action: 'create', path: 'umbrella/main/first' },
      ]);
      await apply(file);
      expect(await plan(file)).toMatchObject({ steps: [], manual: [] });
    });

    test('what the file names no more stays, without its bindings to what the file has', async () => {
      const url = 'https://a.example.com/in';
      const file = (sources: string[], bound: string[]) => [
        {
          ...{ name: 'soylent', email: 'soylent@example.com' },
          connections: [
            {
              ...{ name: 'main', crm: 'HUBSPOT', organizationId: '77', organizationDomain: 'soylent.example.com' },
              token: 'env:ONE',
              sources: sources.map((name) => ({ name, platform: 'smartlead' })),
              destinations: [
                { name: 'hook', url, sources: bound.map((source) => ({ source, events: ['EMAIL_REPLY'] })) },
              ],
              relays: [{ name: 'rep', ccEmail: 'rep@example.com', sources: bound }],
            },
          ],
        },
      ];
      await apply(file(['first', 'second'], ['first', 'second']));
      const shorter = file(['first'], ['first']);
      expect(await apply(shorter)).toMatchObject({
        applied: 2,
        unlisted: [{ kind: 'source', path: 'soylent/main/second' }],
      });
      expect((await plan(shorter)).steps).toEqual([]);
      expect((await exported()).find(({ name }) => name === 'soylent')).toMatchObject({
        connections: [{ sources: [{ name: 'first' }, { name: 'second' }], relays: [{ sources: ['first'] }] }],
      });
    });

    test('--prune removes what the file names no more, after the rest, and never an account', async () => {
      const connectionNamed = (name: string, organizationId: string) => ({
        ...{ name, crm: 'HUBSPOT', organizationId, organizationDomain: 'wayne.example.com', token: 'env:ONE' },
        sources: ['first', 'second'].map((source) => ({ name: source, platform: 'smartlead' })),
        relays: [{ name: 'rep', ccEmail: 'rep@example.com', sources: ['second'] }],
      });
      const wayne = {
        ...{ name: 'wayne', email: 'wayne@example.com' },
        sequencerKeys: [{ name: 'main', platform: 'smartlead', token: 'env:ONE' }],
        connections: [connectionNamed('main', '501'), connectionNamed('old', '502')],
      };
      const list = { name: 'customers', listName: 'Customers', platform: 'smartlead', type: 'ADDRESS', key: 'main' };
      const [main, old] = wayne.connections;
      await apply([{ ...wayne, connections: [{ ...main, blocklists: [list] }, old] }]);
      const shorter = [
        {
          ...{ name: 'wayne', email: 'wayne@example.com' },
          connections: [
            { ...main, organizationDomain: 'new.example.com', sources: main?.sources.slice(0, 1), relays: [] },
          ],
        },
      ];
      expect((await plan(shorter)).steps.map(({ action }) => action)).toEqual(['update']);
      expect((await plan(shorter)).unlisted).toHaveLength(8);
      const { planId, steps, unlisted } = await plan(shorter, true);
      expect(unlisted).toEqual([]);
      expect(steps).toMatchObject([
        { action: 'update', path: 'wayne/main' },
        { action: 'remove', kind: 'blocklist', path: 'wayne/main/customers' },
        { action: 'remove', kind: 'relay', path: 'wayne/main/rep' },
        { action: 'remove', kind: 'source', path: 'wayne/main/second' },
        {
          ...{ action: 'remove', kind: 'connection', path: 'wayne/old' },
          changes: [
            { field: 'sources', from: 2 },
            { field: 'relays', from: 1 },
          ],
        },
        {
          ...{ action: 'remove', kind: 'sequencer-key', path: 'wayne/main' },
          changes: [{ field: 'block lists', from: 1 }],
        },
      ]);
      const run = (prunes: boolean) =>
        admin.runUnchecked('config/apply', { accounts: shorter, secrets: TOKENS, planId, prunes });
      expect(await expectRefusal('conflict', run(false))).toContain('nothing was done');
      expect(await run(true)).toMatchObject({ applied: 6 });
      expect(await run(true)).toMatchObject({ applied: 0 });
      expect((await plan(shorter, true)).steps).toEqual([]);
      const audit = await admin.run('audit/list', {});
      const removals = audit.entries.filter(
        ({ actor, operation }) => `${actor} ${operation}` === 'config apply sources/remove',
      );
      expect(removals).toMatchObject([{ outcome: 'done' }]);
      // An account that no file names is never removed.
      await apply([{ name: 'acme', email: 'acme@example.com' }], true);
      expect((await exported()).map(({ name }) => name)).toEqual(expect.arrayContaining(['acme', 'wayne']));
    });

    test.each([
      ['a changed organization', { organizationId: 'another' }, 'organizationId of a connection never changes'],
      [
        'an unknown source',
        { relays: [{ name: 'rep', ccEmail: 'kim@example.com', sources: ['none'] }] },
        'no source none',
      ],
    ])('refuses %s', async (_what, changes, message) => {
      const [soylent] = (await exported()).filter(({ name }) => name === 'soylent');
      const [connection] = (soylent?.['connections'] ?? []) as object[];
      const file = [{ ...soylent, connections: [{ ...connection, destinations: [], ...changes }] }];
      expect(String(await plan(file).catch((error: unknown) => error))).toContain(message);
    });
  });
});
