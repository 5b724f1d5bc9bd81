/** Administration of destinations, relays and block lists. */
import { LIMITS } from '@svc/contract/limits';
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { anyBackend } from '@svc/engine/test/backends';

describe('administration of destinations', () => {
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

  describe('destinations', () => {
    const add = (connectionId: number, url = 'https://hooks.example.com/a') =>
      run('destinations/add', { connectionId, url });

    test('add, bind, rebind, unbind and list', async () => {
      const { destination, notices } = await add(one.connection.id);
      expect(destination).toEqual({
        id: expect.any(Number),
        url: 'https://hooks.example.com/a',
        description: '',
        connectionId: one.connection.id,
        eventTypes: [],
        isDelayed: false,
        sourceIds: [],
        bindings: [],
        createdAt: expect.any(String),
      });
      expect(notices.join()).toContain(`capabilities set --connection ${one.connection.id} --destinations on`);
      const binding = { destinationId: destination.id, sourceId: one.source.id };
      const bound = await run('destinations/bind', {
        ...binding,
        eventTypes: ['EMAIL_SENT', 'EMAIL_REPLY', 'EMAIL_SENT'],
        isDelayed: true,
      });
      expect(bound.destination).toMatchObject({
        eventTypes: ['EMAIL_REPLY', 'EMAIL_SENT'],
        isDelayed: true,
        bindings: [{ sourceId: one.source.id, eventTypes: ['EMAIL_REPLY', 'EMAIL_SENT'], isDelayed: true }],
      });
      const rebound = await run('destinations/bind', { ...binding, eventTypes: ['EMAIL_OPEN'] });
      expect(rebound.destination.bindings).toEqual([
        { sourceId: one.source.id, eventTypes: ['EMAIL_OPEN'], isDelayed: false },
      ]);
      expect((await run('destinations/list', { accountId: one.account.id })).destinations).toContainEqual(
        rebound.destination,
      );
      const unbound = await run('destinations/unbind', binding);
      expect(unbound.destination.bindings).toEqual([]);
      expect(await expectRefusal('conflict', run('destinations/unbind', binding))).toContain('is not bound to source');
    });

    test('add: accepts only https at a public address, also after resolving the name', async () => {
      const urls = [
        'http://hooks.example.com/',
        'https://127.0.0.1/',
        'https://[::ffff:10.0.0.1]/',
        'https://0x7f.1/',
        'https://localhost/',
        'https://metadata.internal/',
        'https://inside.example.com/',
        'https://kim:pw@hooks.example.com/',
        'ftp://hooks.example.com/',
        'hooks.example.com',
      ];
      for (const url of urls)
        expect(`${url} ${await expectRefusal('invalid_input', add(one.connection.id, url))}`).toMatch(/^\S+ url must/);
      expect((await run('destinations/list', { connectionId: one.connection.id })).destinations).toHaveLength(1);
    });

    test('add: accepts a private address that the operator has allowed', async () => {
      const { outbound } = admin.ctx;
      admin.ctx.outbound = { ...outbound, allowedCidrs: ['10.0.0.0/8'], isAllowed: async () => true };
      const { destination } = await add(one.connection.id, 'https://10.1.2.3/hook');
      admin.ctx.outbound = outbound;
      expect(destination.url).toBe('https://10.1.2.3/hook');
    });

    test('update: checks the URL like a new one, keeps unnamed settings, and needs at least one change', async () => {
      const { destination } = await add(one.connection.id);
      const update = (changes: object) => run('destinations/update', { id: destination.id, ...changes });
      expect((await update({ url: 'https://hooks.example.com/b' })).destination).toEqual({
        ...destination,
        url: 'https://hooks.example.com/b',
      });
      expect((await update({ description: 'Warehouse' })).destination).toMatchObject({
        url: 'https://hooks.example.com/b',
        description: 'Warehouse',
      });
      await expectRefusal('invalid_input', update({ url: 'https://inside.example.com/' }));
      expect(await expectRefusal('invalid_input', update({}))).toContain('at least one thing to change');
      await expectRefusal('not_found', run('destinations/update', { id: 999_999, description: 'x' }));
    });

    test('remove: says what would be deleted, and deletes it only when confirmed', async () => {
      const { destination } = await add(one.connection.id);
      await run('destinations/bind', {
        destinationId: destination.id,
        sourceId: one.source.id,
        eventTypes: ['EMAIL_SENT'],
      });
      const { id } = destination;
      expect(await expectRefusal('not_confirmed', run('destinations/remove', { id }))).toBe(
        `Removing destination ${id} deletes 1 source binding. Nothing is removed yet: confirm with --yes.`,
      );
      expect((await run('destinations/list', {})).destinations.map((row) => row.id)).toContain(id);
      expect(await run('destinations/remove', { id, isConfirmed: true })).toEqual({
        id,
        deleted: { 'source bindings': 1 },
        kept: {},
      });
      expect((await run('destinations/list', {})).destinations.map((row) => row.id)).not.toContain(id);
      for (const isConfirmed of [false, true])
        await expectRefusal('not_found', run('destinations/remove', { id, isConfirmed }));
    });

    test('bind: refuses a source of another account or of another connection', async () => {
      const { destination } = await add(one.connection.id);
      const { connection } = await run('connections/add', {
        accountId: one.account.id,
        crm: 'HUBSPOT',
        organizationId: 'sibling',
        organizationDomain: 'sibling.example.com',
        crmToken: 't',
      });
      const { source: sibling } = await run('sources/add', { connectionId: connection.id, platform: 'smartlead' });
      for (const sourceId of [other.source.id, sibling.id]) {
        const binding = { destinationId: destination.id, sourceId };
        const message = await expectRefusal(
          'conflict',
          run('destinations/bind', { ...binding, eventTypes: ['EMAIL_SENT'] }),
        );
        expect(message).toContain(`Source ${sourceId} belongs to connection`);
        await expectRefusal('conflict', run('destinations/unbind', binding));
      }
      const { rows } = await admin.ctx.db.query('select from destination_bindings where destination_id = $1', [
        destination.id,
      ]);
      expect(rows).toEqual([]);
      await expectRefusal(
        'not_found',
        run('destinations/bind', { destinationId: 999_999, sourceId: one.source.id, eventTypes: ['EMAIL_SENT'] }),
      );
      await expectRefusal(
        'not_found',
        run('destinations/bind', { destinationId: destination.id, sourceId: 999_999, eventTypes: ['EMAIL_SENT'] }),
      );
    });

    test('bind: refuses unknown event types with the list, and an empty list', async () => {
      const bind = (eventTypes: string[]) =>
        run('destinations/bind', { destinationId: 1, sourceId: one.source.id, eventTypes });
      const message = await expectRefusal('invalid_input', bind(['EMAIL_SENT', 'email.sent']));
      expect(message).toContain('Event type "email.sent" is unknown');
      for (const type of Object.keys(SEQUENCER_EVENT_TYPES)) expect(message).toContain(type);
      expect(await expectRefusal('invalid_input', bind([]))).toContain('at least one event type');
    });
  });

  describe('relays', () => {
    const relay = (connectionId: number) => ({ connectionId, ccEmail: 'rep@example.com' });

    test("add, bind and list; a new binding replaces the source's relay", async () => {
      const { replyRelay } = await run('relays/add', {
        ...relay(one.connection.id),
        delayMinutes: 15,
        description: 'Copies Kim',
        bodyTemplates: ['Hi {{firstName}}', 'Hello'],
        categoryAllowlist: [{ id: '7', name: 'Interested' }],
      });
      expect(replyRelay).toEqual({
        id: expect.any(Number),
        connectionId: one.connection.id,
        description: 'Copies Kim',
        ccEmail: 'rep@example.com',
        delayMinutes: 15,
        bodyTemplates: ['Hi {{firstName}}', 'Hello'],
        categoryAllowlist: [{ id: '7', name: 'Interested' }],
        sourceIds: [],
        createdAt: expect.any(String),
        routes: null,
      });
      const first = await run('relays/bind', { relayId: replyRelay.id, sourceId: one.source.id });
      expect(first.replyRelay.sourceIds).toEqual([one.source.id]);
      expect(first.notices.join()).not.toContain('before');
      const { replyRelay: second } = await run('relays/add', relay(one.connection.id));
      const replaced = await run('relays/bind', { relayId: second.id, sourceId: one.source.id });
      expect(replaced.notices).toContain(`Source ${one.source.id} had relay ${replyRelay.id} before.`);
      const { replyRelays } = await run('relays/list', { connectionId: one.connection.id });
      expect(replyRelays.map(({ id, sourceIds }) => [id, sourceIds])).toEqual([
        [replyRelay.id, []],
        [second.id, [one.source.id]],
      ]);
    });

    test('update, unbind and remove', async () => {
      const { replyRelay } = await run('relays/add', {
        ...relay(one.connection.id),
        bodyTemplates: ['Hi'],
        categoryAllowlist: [{ id: '7', name: 'Interested' }],
      });
      const { id } = replyRelay;
      const changed = await run('relays/update', { id, delayMinutes: 5, categoryAllowlist: [] });
      expect(changed.replyRelay).toEqual({ ...replyRelay, delayMinutes: 5, categoryAllowlist: [] });
      await expectRefusal('invalid_input', run('relays/update', { id }));
      await expectRefusal('invalid_input', run('relays/update', { id, ccEmail: 'nobody' }));
      const binding = { relayId: id, sourceId: one.source.id };
      await run('relays/bind', binding);
      expect((await run('relays/unbind', binding)).replyRelay.sourceIds).toEqual([]);
      expect(await expectRefusal('conflict', run('relays/unbind', binding))).toContain('is not bound to source');
      await expectRefusal('conflict', run('relays/unbind', { relayId: id, sourceId: other.source.id }));
      await run('relays/bind', binding);
      const removed = await run('relays/remove', { id, isConfirmed: true });
      expect(removed).toEqual({ id, deleted: { 'source bindings': 1 }, kept: {} });
      await expectRefusal('not_found', run('relays/update', { id, delayMinutes: 5 }));
      await expectRefusal('not_found', run('relays/remove', { id, isConfirmed: true }));
    });

    test('bind: refuses a source of another account', async () => {
      const { replyRelay } = await run('relays/add', relay(one.connection.id));
      const message = await expectRefusal(
        'conflict',
        run('relays/bind', { relayId: replyRelay.id, sourceId: other.source.id }),
      );
      expect(message).toContain('both must belong to the same connection');
      const { rows } = await admin.ctx.db.query('select from reply_relay_bindings where source_id = $1', [
        other.source.id,
      ]);
      expect(rows).toEqual([]);
      await expectRefusal('not_found', run('relays/bind', { relayId: 999_999, sourceId: one.source.id }));
    });

    test('add: accepts as many categories as the limit, and no more', async () => {
      const categories = (count: number) =>
        Array.from({ length: count }, (_, index) => ({ id: String(index), name: 'x' }));
      const add = (count: number) =>
        run('relays/add', { ...relay(one.connection.id), categoryAllowlist: categories(count) });
      const { replyRelay } = await add(LIMITS.relayCategoryAllowlistMax);
      expect(replyRelay.categoryAllowlist).toEqual(categories(50));
      expect(await expectRefusal('invalid_input', add(LIMITS.relayCategoryAllowlistMax + 1))).toContain(
        'at most 50 entries',
      );
    });

    test('add and update: refuse a template with an unknown field, and name the known ones', async () => {
      const bodyTemplates = ['Hi', 'Hi {{first_name}}'];
      const added = run('relays/add', { ...relay(one.connection.id), bodyTemplates });
      expect(await expectRefusal('invalid_input', added)).toContain(
        'names the unknown field {{first_name}}: use leadName, leadEmail,',
      );
      const { replyRelay } = await run('relays/add', relay(one.connection.id));
      await expectRefusal('invalid_input', run('relays/update', { id: replyRelay.id, bodyTemplates }));
      const { replyRelay: changed } = await run('relays/update', {
        id: replyRelay.id,
        bodyTemplates: ['{{leadName}}'],
      });
      expect(changed.bodyTemplates).toEqual(['{{leadName}}']);
    });

    test.each([-1, 1.5, 43_201])('refuses a delay of %d minutes', async (delayMinutes) => {
      const call = run('relays/add', { ...relay(one.connection.id), delayMinutes });
      expect(await expectRefusal('invalid_input', call)).toContain('delayMinutes: ');
    });
  });

  describe('blocklists', () => {
    const list = () => ({
      connectionId: one.connection.id,
      listName: 'Do not contact',
      crmListId: '88',
      platform: 'smartlead' as const,
      blockType: 'ADDRESS' as const,
      clientId: '12',
      sequencerToken: 'sl-key-1',
    });
    const jobsOf = async (id: number) => {
      const { rows } = await admin.ctx.db.query<{ kind: string }>('select kind from jobs where ref = $1', [String(id)]);
      return rows.map(({ kind }) => kind);
    };

    test('add and update: refuse a list id of a form that the CRM does not have', async () => {
      const { account } = await run('accounts/create', { email: 'lists@example.com' });
      for (const [crm, right, wrong, form] of [
        ['HUBSPOT', '88', '7015g000000AbCdEAK', /is HUBSPOT, so it must be a number/],
        ['SALESFORCE', '00B5g000000AbCd', '0015g000000AbCd', /begins with 701 \(campaign\) or 00B/],
        ['PIPEDRIVE', '17', 'people', /the number of a filter/],
      ] as const) {
        const { connection } = await run('connections/add', {
          ...{ accountId: account.id, crm, organizationId: `of-${crm}`, organizationDomain: 'x.example.com' },
          crmToken: 't',
          ...(crm === 'SALESFORCE' ? { clientId: 'app' } : {}),
        });
        const ofCrm = { ...list(), connectionId: connection.id };
        const refused = run('blocklists/add', { ...ofCrm, crmListId: wrong });
        expect(await expectRefusal('invalid_input', refused)).toMatch(form);
        const { blocklist } = await run('blocklists/add', { ...ofCrm, crmListId: right });
        await expectRefusal('invalid_input', run('blocklists/update', { id: blocklist.id, crmListId: wrong }));
      }
    });

    test('add: creates an enabled list with an encrypted token; without the capability nothing begins', async () => {
      const { blocklist, notices } = await run('blocklists/add', list());
      expect(blocklist).toMatchObject({
        connectionId: one.connection.id,
        listName: 'Do not contact',
        crm: 'HUBSPOT',
        platform: 'smartlead',
        blockType: 'ADDRESS',
        status: 'CREATED',
        isEnabled: true,
        clientId: '12',
        syncedCount: 0,
        pendingCount: 0,
        lastFetchedAt: null,
        lastError: null,
      });
      expect(notices.join()).toContain('lacks the');
      expect(await jobsOf(blocklist.id)).toEqual([]);
      const { rows } = await admin.ctx.db.query<{ sequencer_token: string }>(
        'select sequencer_token from blocklists where id = $1',
        [blocklist.id],
      );
      expect(rows[0]?.sequencer_token).not.toContain('sl-key-1');
      const place = { kind: 'sequencer token', id: blocklist.id } as const;
      expect(admin.ctx.secrets.decrypt(rows[0]?.sequencer_token ?? '', place)).toBe('sl-key-1');
      expect((await run('blocklists/list', { accountId: one.account.id })).blocklists).toEqual([blocklist]);
      expect((await run('blocklists/list', { accountId: other.account.id })).blocklists).toEqual([]);
    });

    test('add: enqueues the first fetch with the capability and a CRM list', async () => {
      const connectionId = other.connection.id;
      await run('capabilities/set', { connectionId, blocklists: true });
      const { blocklist, notices } = await run('blocklists/add', { ...list(), connectionId });
      expect(notices).toEqual([]);
      expect(await jobsOf(blocklist.id)).toEqual(['fetch-blocklist']);
      const empty = await run('blocklists/add', { ...list(), connectionId, crmListId: null });
      expect(empty.blocklist.crm).toBeNull();
      expect(empty.notices.join()).toContain('no CRM source');
      expect(await jobsOf(empty.blocklist.id)).toEqual([]);
    });

    test('set-token: replaces the encrypted key of one list, and refuses an unknown list', async () => {
      const { blocklist } = await run('blocklists/add', list());
      const { blocklist: kept } = await run('blocklists/add', list());
      const changed = await run('blocklists/set-token', { blocklistId: blocklist.id, sequencerToken: 'sl-key-2' });
      expect(changed.blocklist).toEqual(blocklist);
      const { rows } = await admin.ctx.db.query<{ id: number; sequencer_token: string }>(
        'select id, sequencer_token from blocklists where id = any($1) order by id',
        [[blocklist.id, kept.id]],
      );
      const open = ({ id, sequencer_token: sealed }: (typeof rows)[number]) =>
        admin.ctx.secrets.decrypt(sealed, { kind: 'sequencer token', id });
      expect(rows.map(open)).toEqual(['sl-key-2', 'sl-key-1']);
      const unknown = { blocklistId: 999_999, sequencerToken: 'sl-key-2' };
      await expectRefusal('not_found', admin.runUnchecked('blocklists/set-token', unknown));
    });

    test('update: a new name changes nothing else; a new CRM list or client begins a resync where allowed', async () => {
      const { blocklist } = await run('blocklists/add', list());
      const { id } = blocklist;
      const update = (changes: object) => run('blocklists/update', { id, ...changes });
      const renamed = await update({ listName: 'Competitors' });
      expect(renamed).toEqual({ blocklist: { ...blocklist, listName: 'Competitors' }, notices: [] });
      await run('capabilities/set', { connectionId: one.connection.id, blocklists: false });
      const waiting = await update({ crmListId: '99' });
      expect(waiting.notices).toEqual([expect.stringContaining('resync the list')]);
      expect(await jobsOf(id)).toEqual([]);
      await run('capabilities/set', { connectionId: one.connection.id, blocklists: true });
      const moved = await update({ clientId: null });
      expect(moved).toMatchObject({ blocklist: { status: 'FETCHING', clientId: null }, notices: [] });
      expect(await jobsOf(id)).toEqual(['fetch-blocklist']);
      expect(await expectRefusal('conflict', update({ clientId: '13' }))).toContain('in progress');
      await expectRefusal('invalid_input', update({}));
      await expectRefusal('not_found', run('blocklists/update', { id: 999_999, listName: 'x' }));
    });

    test('remove: deletes its entries and jobs', async () => {
      await run('capabilities/set', { connectionId: one.connection.id, blocklists: true });
      const { blocklist } = await run('blocklists/add', list());
      const { id } = blocklist;
      await admin.ctx.db.query(
        `insert into blocklist_entries values ($1, 0, 'a@example.com'), ($1, 0, 'b@example.com')`,
        [id],
      );
      await admin.ctx.db.query(
        `insert into jobs (kind, ref, fairness_key, due_at, created_at) values ('top-up-blocklist', $1 || '/0', 'x', $2, $2)`,
        [String(id), admin.clock.now()],
      );
      expect(await expectRefusal('not_confirmed', run('blocklists/remove', { id }))).toContain('deletes 2 entries');
      expect(await run('blocklists/remove', { id, isConfirmed: true })).toMatchObject({ deleted: { entries: 2 } });
      const { rows } = await admin.ctx.db.query(`select ref from jobs where split_part(ref, '/', 1) = $1`, [
        String(id),
      ]);
      expect(rows).toEqual([]);
    });

    test('add: refuses what cannot be filled, with what can', async () => {
      const heyreach = { ...list(), platform: 'heyreach' as const };
      expect(await expectRefusal('invalid_input', run('blocklists/add', heyreach))).toContain(
        'those of smartlead, instantly, emailbison, lemlist, reply-io can',
      );
      const { rows } = await admin.ctx.db.query(`select from blocklists where platform = 'heyreach'`);
      expect(rows).toEqual([]);
    });

    test('add and update: the instance of EmailBison is a public https address', async () => {
      // So that no change begins a resync.
      await run('capabilities/set', { connectionId: one.connection.id, blocklists: false });
      const ofBison = { ...list(), platform: 'emailbison' as const, blockType: 'DOMAIN' as const };
      const instanceOf = async (id: number) => {
        const text = 'select instance_url from blocklists where id = $1';
        return (await admin.ctx.db.query<{ instance_url: string | null }>(text, [id])).rows[0]?.instance_url;
      };
      const added = await run('blocklists/add', { ...ofBison, instanceUrl: 'https://send.example.com/' });
      const { id } = added.blocklist;
      expect(await instanceOf(id)).toBe('https://send.example.com');
      await run('blocklists/update', { id, instanceUrl: 'https://send.example.com:8443/app/' });
      expect(await instanceOf(id)).toBe('https://send.example.com:8443/app');
      const own = await run('blocklists/update', { id, instanceUrl: null });
      expect(await instanceOf(own.blocklist.id)).toBeNull();
      const without = await run('blocklists/add', ofBison);
      expect(without.notices.join()).toContain('SVC_EMAILBISON_URL');
      for (const [instanceUrl, message] of [
        ['http://send.example.com', 'https://'],
        ['https://10.1.2.3', 'private'],
        ['https://localhost', 'local'],
        ['https://user:key@send.example.com', 'user name'],
        ['https://send.example.com/?key=1', 'no query'],
      ] as const) {
        const add = run('blocklists/add', { ...ofBison, instanceUrl });
        expect(await expectRefusal('invalid_input', add)).toContain(message);
        const update = run('blocklists/update', { id, instanceUrl });
        expect(await expectRefusal('invalid_input', update)).toContain(message);
      }
      const shared = { ...list(), instanceUrl: 'https://send.example.com' };
      expect(await expectRefusal('invalid_input', run('blocklists/add', shared))).toContain('share one address');
      await expectRefusal('not_found', run('blocklists/update', { id: 999_999, instanceUrl: null }));
    });

    test('add: refuses an unknown block type', async () => {
      const call = admin.runUnchecked('blocklists/add', { ...list(), blockType: 'address' });
      expect(await expectRefusal('invalid_input', call)).toBe('blockType: must be one of ADDRESS, DOMAIN');
    });
  });
});
