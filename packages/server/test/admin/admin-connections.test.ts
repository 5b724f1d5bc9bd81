/** Administration of connections and sources. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import { setCrmQuotas } from '@svc/engine/store/crm-quotas';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { anyBackend } from '@svc/engine/test/backends';

describe('administration of connections', () => {
  let admin: Administration;
  let run: Administration['run'];
  let one: Awaited<ReturnType<typeof makePipeline>>;
  let other: Awaited<ReturnType<typeof makePipeline>>;
  beforeAll(async () => {
    admin = await openAdministration(anyBackend);
    ({ run } = admin);
    one = await makePipeline(admin, 'one@example.com');
    other = await makePipeline(admin, 'other@example.com');
  });
  afterAll(async () => {
    await admin.close();
  });

  describe('connections', () => {
    const hubspot = (accountId: number) => ({
      accountId,
      crm: 'hubspot',
      organizationId: '4711',
      organizationDomain: 'second.example.com',
      crmToken: 'pat-first',
    });
    const storedToken = async (id: number) => {
      const { rows } = await admin.ctx.db.query<{ crm_token: string | null }>(
        'select crm_token from connections where id = $1',
        [id],
      );
      return rows[0]?.crm_token ?? null;
    };

    test('add: API access is on by default, and the token is encrypted', async () => {
      const { connection, isNew, notices } = await run('connections/add', hubspot(one.account.id));
      expect({ connection, isNew, notices }).toEqual({
        connection: {
          id: expect.any(Number),
          accountId: one.account.id,
          canUseApi: true,
          crm: 'HUBSPOT',
          status: 'ready',
          organizationId: '4711',
          organizationDomain: 'second.example.com',
          capabilities: { sync: true, destinations: false, blocklists: false },
          createdAt: expect.any(String),
        },
        isNew: true,
        notices: [],
      });
      const sealed = await storedToken(connection.id);
      expect(sealed).not.toContain('pat-first');
      expect(admin.ctx.secrets.decrypt(sealed ?? '', { kind: 'CRM token', id: connection.id })).toBe('pat-first');
    });

    test('add: both forms of a Salesforce id name one organization, and a token alone cannot connect it', async () => {
      const salesforce = { ...hubspot(one.account.id), crm: 'SALESFORCE', clientId: 'app', crmToken: 'secret' };
      const { connection } = await run('connections/add', { ...salesforce, organizationId: '00D5g00000AbCdEEAV' });
      const again = await run('connections/add', { ...salesforce, organizationId: '00D5g00000AbCdE' });
      expect(again).toMatchObject({ isNew: false, connection: { id: connection.id } });
      const other = await run('connections/add', { ...salesforce, organizationId: '00D5g00000AbCde' });
      expect(other).toMatchObject({ isNew: true });
      const alone = run('connections/add', { ...hubspot(one.account.id), crm: 'SALESFORCE' });
      expect(await expectRefusal('invalid_input', alone)).toContain('connections connect salesforce');
    });

    test('disconnect deletes the token; adding it again reconnects it and keeps unnamed settings', async () => {
      const { connection } = await run('connections/add', {
        ...hubspot(other.account.id),
        destinations: true,
        canUseApi: false,
      });
      const gone = await run('connections/disconnect', { id: connection.id });
      expect(gone.connection).toEqual({ ...connection, status: 'disconnected' });
      expect(await storedToken(connection.id)).toBeNull();
      await admin.ctx.db.query(`update connections set recorded_error = 'scope missing' where id = $1`, [
        connection.id,
      ]);
      const again = await run('connections/add', {
        ...hubspot(other.account.id),
        crmToken: ' pat-second\n',
        blocklists: true,
      });
      expect(again).toMatchObject({ isNew: false });
      expect(again.connection).toEqual({
        ...connection,
        capabilities: { sync: true, destinations: true, blocklists: true },
      });
      const place = { kind: 'CRM token', id: connection.id } as const;
      expect(admin.ctx.secrets.decrypt((await storedToken(connection.id)) ?? '', place)).toBe('pat-second');
      await expectRefusal('not_found', run('connections/disconnect', { id: 999_999 }));
    });

    test('the same organization of two accounts is two connections', async () => {
      const ids = (await run('connections/list', {})).connections.filter(
        ({ organizationId }) => organizationId === '4711',
      );
      expect(new Set(ids.map(({ accountId }) => accountId))).toEqual(new Set([one.account.id, other.account.id]));
      const own = await run('connections/list', { accountId: one.account.id });
      expect(own.connections.every(({ accountId }) => accountId === one.account.id)).toBe(true);
    });

    test('list: says how many calls are left, and which connections wait for a new day or a pause', async () => {
      const [first, second] = (await run('connections/list', { accountId: one.account.id })).connections;
      const now = admin.ctx.clock.now().getTime();
      const day = { limit: 250_000, used: 1_000, isTold: true, startedMs: now, stop: null };
      const states = [
        { window: null, search: null, day, pause: { untilMs: now + 30_000, lengthMs: 30_000 } },
        {
          window: null,
          search: null,
          day: { ...day, used: 249_000, stop: { sinceMs: now, lookMs: now + 3_600_000 } },
          pause: { untilMs: now - 1, lengthMs: 1_000 },
        },
      ];
      const ids = [first?.id ?? 0, second?.id ?? 0];
      const changes = states.map((state, index) => ({ connectionId: ids[index] ?? 0, before: 0, state }));
      await setCrmQuotas(admin.ctx.db, changes);
      const at = (ms: number) => new Date(now + ms).toISOString();
      const shared = { limit: 250_000, unit: 'calls', isReported: true };
      expect((await run('connections/list', { accountId: one.account.id })).quotas).toEqual([
        {
          ...shared,
          connectionId: ids[0],
          used: 1_000,
          stoppedSince: null,
          nextCallAt: null,
          pausedUntil: at(30_000),
        },
        {
          ...shared,
          connectionId: ids[1],
          used: 249_000,
          stoppedSince: at(0),
          nextCallAt: at(3_600_000),
          pausedUntil: null,
        },
      ]);
      expect((await run('connections/list', { accountId: other.account.id })).quotas).toEqual([]);
    });

    test('of two concurrent additions one is new', async () => {
      const input = { ...hubspot(one.account.id), organizationId: 'race' };
      const results = await Promise.all([run('connections/add', input), run('connections/add', input)]);
      expect(results.map(({ isNew }) => isNew).sort()).toEqual([false, true]);
      expect(new Set(results.map(({ connection }) => connection.id)).size).toBe(1);
    });

    test('warns of a CRM that this release cannot write to, and refuses an unknown one with the list', async () => {
      const { notices } = await run('connections/add', { ...hubspot(one.account.id), crm: 'PIPEDRIVE' });
      expect(notices.join()).toContain('cannot write to PIPEDRIVE');
      expect(
        await expectRefusal('invalid_input', run('connections/add', { ...hubspot(one.account.id), crm: 'zoho' })),
      ).toBe('crm: must be one of HUBSPOT, SALESFORCE, PIPEDRIVE');
    });

    test('a token must be one line, and the refusal does not repeat it', async () => {
      for (const crmToken of ['', ' \n ', 'two\nlines', 'pat-tücke', 'x'.repeat(8193)]) {
        const message = await expectRefusal(
          'invalid_input',
          run('connections/add', { ...hubspot(one.account.id), crmToken }),
        );
        expect(message).toMatch(/^crmToken: must /);
        expect(message).not.toContain(crmToken.trim() || '\0');
      }
    });
  });

  describe('sources', () => {
    test('add: creates a different unguessable URL below the inbound address each time', async () => {
      const urls = new Set<string>();
      for (let count = 0; count < 5; count += 1) {
        const { source } = await run('sources/add', { connectionId: one.connection.id, platform: 'instantly' });
        expect(source.url).toMatch(/^https:\/\/svc\.example\.com\/webhooks\/[0-9a-z]{32}$/);
        urls.add(source.url);
      }
      expect(urls.size).toBe(5);
    });

    test('add: stores the given config, with everything off by default', async () => {
      const config = { createOrUpdateCompany: true, assignContactOwner: true };
      const { source } = await run('sources/add', {
        connectionId: one.connection.id,
        platform: 'smartlead',
        ...config,
      });
      expect(source.config).toEqual({ ...SOURCE_CONFIG_DEFAULTS, ...config });
      expect((await run('sources/list', { connectionId: one.connection.id })).sources).toContainEqual(source);
      expect((await run('sources/list', { accountId: other.account.id })).sources).not.toContainEqual(source);
      expect(one.source.config.createOrUpdateCompany).toBe(false);
    });

    test('add and update: state fields are off by default, shown to operators, and no part of the API', async () => {
      expect(one.source.writeStateFields).toBe(false);
      const { source } = await run('sources/add', {
        connectionId: one.connection.id,
        platform: 'smartlead',
        writeStateFields: true,
      });
      expect(source.writeStateFields).toBe(true);
      expect(Object.keys(source.config)).not.toContain('writeStateFields');
      expect((await run('sources/update', { id: source.id, createOrUpdateTask: true })).source).toMatchObject({
        writeStateFields: true,
      });
      const off = await run('sources/update', { id: source.id, writeStateFields: false });
      expect(off.source).toEqual({
        ...source,
        config: { ...source.config, createOrUpdateTask: true },
        writeStateFields: false,
      });
    });

    test('add, list: say that a platform is read in part; add refuses other spellings', async () => {
      const { source, notices } = await run('sources/add', { connectionId: one.connection.id, platform: 'heyreach' });
      expect(notices.join()).toContain('only a part of the events of heyreach');
      const full = await run('sources/add', { connectionId: one.connection.id, platform: 'instantly' });
      expect(full.notices).toEqual([]);
      const { sources } = await run('sources/list', { connectionId: one.connection.id });
      const coverageOf = (id: number) => sources.find((row) => row.id === id)?.eventCoverage;
      expect([coverageOf(source.id), coverageOf(full.source.id)]).toEqual(['partial', 'full']);
      const unknown = admin.runUnchecked('sources/add', { connectionId: one.connection.id, platform: 'Smartlead' });
      expect(await expectRefusal('invalid_input', unknown)).toContain('must be 2 to 40 lower-case');
    });

    test('add: accepts a Salesforce object type only for Salesforce', async () => {
      const { connection } = await run('connections/add', {
        accountId: one.account.id,
        crm: 'SALESFORCE',
        organizationId: 'sf',
        organizationDomain: 'sf.example.com',
        ...{ crmToken: 'secret', clientId: 'app' },
      });
      const add = (connectionId: number) =>
        run('sources/add', { connectionId, platform: 'smartlead', salesforceObjectType: 'Lead' });
      const { source } = await add(connection.id);
      expect(source.config.salesforceObjectType).toBe('Lead');
      expect(await expectRefusal('invalid_input', add(one.connection.id))).toContain('only SALESFORCE');
      for (const salesforceObjectType of ['Account', 'lead', '']) {
        const asOther = admin.runUnchecked('sources/update', { id: source.id, salesforceObjectType });
        expect(await expectRefusal('invalid_input', asOther)).toContain('must be Contact or Lead');
      }
    });
  });

  test('sources list: pages, and searches names, ids and URLs', async () => {
    const { connection } = await makePipeline(admin, 'many@example.com');
    const added = [];
    for (const platform of ['smartlead', 'instantly', 'smartlead', 'my-dialer']) {
      const { source } = await run('sources/add', { connectionId: connection.id, platform, isConfirmed: true });
      added.push(source);
    }
    const list = (input: object) => run('sources/list', { connectionId: connection.id, ...input });
    const all = await list({});
    const ids = all.sources.map((source) => source.id);
    expect({ isSorted: ids.join() === ids.toSorted((a, b) => a - b).join(), next: all.next }).toEqual({
      isSorted: true,
      next: null,
    });
    const first = await list({ limit: 2 });
    expect(first).toMatchObject({ sources: all.sources.slice(0, 2), next: ids[1] });
    const rest = await list({ limit: ids.length, after: first.next ?? 0 });
    expect(rest).toMatchObject({ sources: all.sources.slice(2), next: null });
    const found = async (search: string) => (await list({ search })).sources.map((source) => source.id);
    const [, instantly, , dialer] = added;
    expect(await found('Dialer')).toEqual([dialer?.id]);
    expect(await found(String(instantly?.id))).toEqual([instantly?.id]);
    expect(await found(` ${instantly?.url} `)).toEqual([instantly?.id]);
    expect(await found('%')).toEqual([]);
    expect(await found('https://example.com/')).toEqual([]);
  });

  test('sources show: the same as in the list, with its account', async () => {
    const { source } = await run('sources/add', { connectionId: one.connection.id, platform: 'smartlead' });
    expect((await run('sources/show', { id: source.id })).source).toEqual({ ...source, accountId: one.account.id });
    await expectRefusal('not_found', run('sources/show', { id: 999_999 }));
  });

  test('sources update: keeps unnamed settings, and accepts an object type only for Salesforce', async () => {
    const { source } = await run('sources/add', { connectionId: one.connection.id, platform: 'smartlead' });
    const update = (changes: object) => run('sources/update', { id: source.id, ...changes });
    expect((await update({ createOrUpdateCompany: true })).source.config).toEqual({
      ...source.config,
      createOrUpdateCompany: true,
    });
    expect((await update({ createOrUpdateTask: true, createOrUpdateCompany: false })).source.config).toEqual({
      ...source.config,
      createOrUpdateTask: true,
    });
    expect(await expectRefusal('invalid_input', update({ salesforceObjectType: 'Lead' }))).toContain('only SALESFORCE');
    await expectRefusal('invalid_input', update({}));
    await expectRefusal('not_found', run('sources/update', { id: 999_999, createOrUpdateTask: true }));
  });

  test('refuses to encrypt with a key that the servers do not have', async () => {
    const { secrets } = admin.ctx;
    admin.ctx.secrets = createSecretBox([generateEncryptionKey()]);
    const call = run('connections/add', {
      accountId: one.account.id,
      crm: 'HUBSPOT',
      organizationId: 'foreign',
      organizationDomain: 'foreign.example.com',
      crmToken: 't',
    });
    const message = await expectRefusal('conflict', call);
    admin.ctx.secrets = secrets;
    expect(message).toContain('set SVC_ENCRYPTION_KEY to the value that the server has');
  });
});
