/** Contacts that events of an account put on all of its block lists, on both databases. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { watchIncidents } from '@svc/engine/alerts/watch-incidents';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { performAdmin } from '@svc/operations/perform';
import { type BlocklistServer, type NewList, startBlocklistServer } from '../support/blocklist-server.ts';

const HOUR_MS = 60 * 60 * 1000;
const ACCOUNT = 1;
/** Another connection of the account, and one of another account. */
const [THERE, ELSEWHERE] = [2, 5];

const payload = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../../../fixtures/payloads/smartlead/${name}.json`, import.meta.url), 'utf8'));
const OPT_OUT = await payload('lead-unsubscribed');
const BOUNCE = await payload('email-bounce');
const CATEGORY = await payload('lead-category-updated');

describe.each(backends)('suppressions on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('an account', () => {
    let server: BlocklistServer;
    beforeAll(async () => {
      server = await startBlocklistServer(backend);
      await server.db.query('update connections set capability_blocklists = true');
    });
    afterAll(() => server.close());
    beforeEach(async () => {
      await server.db.query('update blocklists set suppresses = null');
      await server.db.query('delete from suppressions');
      // Events that were stored before are no new ones.
      await server.db.query('delete from inbound_events');
      await server.reset();
    });

    const post = async (body: object, path = 'demo-smartlead') => {
      expect((await server.post(`/webhooks/${path}`, body)).status).toBe(200);
    };
    const optOut = (email: string, more: object = {}) =>
      post({ ...OPT_OUT, lead_email: email, to_email: email, ...more });
    /** Adds a list without a CRM list, unless told otherwise. */
    const makeList = async (suppresses: string[], options: NewList = {}) => {
      const list = await server.makeList({ crmListId: null, ...options });
      await performAdmin(server.running.ctx, 'blocklists/update', { id: list.id, suppresses }, 'a test');
      return { platform: 'smartlead' as const, ...list };
    };
    const shown = async (id: number) => {
      const { blocklists } = await performAdmin(server.running.ctx, 'blocklists/list', {}, 'a test');
      return blocklists.find((list) => list.id === id);
    };
    const sent = () => server.sequencer.requests().flatMap(({ values }) => values);

    test('an opt-out in one sequencer is at every other one of the account at once, each time once', async () => {
      const lists = [
        { ...(await makeList(['opt-outs'])), platform: 'smartlead' as const },
        { ...(await makeList(['opt-outs'], { platform: 'lemlist' })), platform: 'lemlist' as const },
        {
          ...(await makeList(['bounces', 'opt-outs'], { platform: 'instantly', connectionId: THERE })),
          platform: 'instantly' as const,
        },
      ];
      const without = [
        await makeList(['bounces']),
        await makeList([]),
        await makeList(['opt-outs'], { connectionId: ELSEWHERE }),
      ];
      await optOut('Kim@Lead.example');
      await server.settle();
      for (const { platform, token } of lists) {
        expect(server.sequencer.entries({ platform, token })).toEqual(['kim@lead.example']);
      }
      for (const { token } of without) expect(server.sequencer.entries({ platform: 'smartlead', token })).toEqual([]);
      await optOut('kim@lead.example');
      await optOut('kim@lead.example', { event_timestamp: '2026-02-06T16:20:00.000Z' });
      await server.settle(HOUR_MS);
      expect(sent()).toHaveLength(3);
      const [{ id } = { id: 0 }] = lists;
      expect(await shown(id)).toMatchObject({
        ...{ status: 'CREATED', suppresses: ['opt-outs'], everyMinutes: 1_440 },
        suppressions: { pushed: 1, waiting: 0, refused: 0, error: null },
      });
    });

    test('bounces and categories go where they are asked for; a list of domains gets domains, but none of mail hosts', async () => {
      const bounces = await makeList(['bounces']);
      const categories = await makeList(['category:meeting request', 'category:99']);
      const domains = await makeList(['bounces', 'opt-outs'], { blockType: 'DOMAIN' });
      await post({
        ...BOUNCE,
        lead_email: 'b@lead.example',
        to_email: 'b@lead.example',
        sl_lead_email: 'b@lead.example',
      });
      await post({ ...CATEGORY, lead_email: 'c@lead.example', to: 'c@lead.example', to_email: 'c@lead.example' });
      await optOut('o@gmail.com');
      await server.settle();
      const entriesOf = ({ token }: { token: string }) => server.sequencer.entries({ platform: 'smartlead', token });
      expect(entriesOf(bounces)).toEqual(['b@lead.example']);
      expect(entriesOf(categories)).toHaveLength(1);
      expect(entriesOf(domains)).toEqual(['lead.example']);
    });

    test('what a lost answer, a lost lease or a failing sequencer leaves open is sent later, and nothing twice to its list', async () => {
      const { id, token, platform } = await makeList(['opt-outs']);
      await optOut('one@lead.example');
      server.sequencer.failNext(1, 'lost-answer');
      server.sequencer.failNext(2, 503);
      await server.settle();
      expect(await shown(id)).toMatchObject({
        suppressions: { pushed: 0, waiting: 1, error: expect.stringContaining('could not be reached') },
      });
      server.onCall(async (url) => {
        if (!url.includes('block-list')) return;
        server.onCall(() => {});
        await optOut('two@lead.example');
        await server.db.query(`update jobs set fence = fence + 1, due_at = $1 where kind = 'push-suppressions'`, [
          server.clock.now(),
        ]);
      });
      await server.settle(120_000);
      expect(server.sequencer.entries({ platform, token })).toEqual(['one@lead.example', 'two@lead.example']);
      expect(await shown(id)).toMatchObject({ suppressions: { pushed: 2, waiting: 0, refused: 0, error: null } });
      const { rows } = await server.db.query('select from jobs');
      expect(rows).toHaveLength(0);
    });

    test('an opt-out that comes while the job of its list runs is sent behind it', async () => {
      const { token, platform } = await makeList(['opt-outs']);
      await optOut('one@lead.example');
      server.onCall(async (url) => {
        if (!url.includes('block-list')) return;
        server.onCall(() => {});
        await optOut('two@lead.example');
        const receipts = await server.db.query(`select from jobs where kind = 'process-receipt'`);
        expect(receipts.rowCount).toBe(1);
      });
      await server.settle();
      expect(server.sequencer.entries({ platform, token })).toEqual(['one@lead.example', 'two@lead.example']);
      expect(sent()).toHaveLength(2);
    });

    // The statements are the same as above, so one database shows the rest.
    if (backend !== anyBackend) return;

    test('a refused API key is tried again each hour, and at once when there is a new one', async () => {
      const { id, platform } = await makeList(['opt-outs'], { token: null });
      await optOut('one@lead.example');
      await server.settle(HOUR_MS);
      expect(await shown(id)).toMatchObject({
        lastError: null,
        suppressions: { waiting: 1, error: expect.stringContaining('svc-server blocklists set-token') },
      });
      const input = { blocklistId: id, sequencerToken: 'a-new-one' };
      await performAdmin(server.running.ctx, 'blocklists/set-token', input, 'a test');
      await server.settle();
      expect(server.sequencer.entries({ platform, token: 'a-new-one' })).toEqual(['one@lead.example']);
      expect(await shown(id)).toMatchObject({ suppressions: { pushed: 1, waiting: 0, error: null } });
    });

    test('a refused key of several lists is tried again at once in all of them when it is replaced', async () => {
      const { ctx } = server.running;
      const key = { accountId: ACCOUNT, name: 'shared', platform: 'smartlead', token: 'an-old-one' };
      const { key: added } = await performAdmin(ctx, 'sequencer-keys/add', key, 'a test');
      const lists = [await makeList(['opt-outs']), await makeList(['opt-outs'])];
      for (const { id } of lists) {
        await performAdmin(ctx, 'blocklists/update', { id, sequencerKeyId: added.id }, 'a test');
      }
      await optOut('one@lead.example');
      server.sequencer.failNext(2, 401);
      await server.settle();
      for (const { id } of lists) expect(await shown(id)).toMatchObject({ suppressions: { pushed: 0, waiting: 1 } });
      await performAdmin(ctx, 'sequencer-keys/set-token', { id: added.id, token: 'a-shared-one' }, 'a test');
      await server.settle();
      for (const { id } of lists) expect(await shown(id)).toMatchObject({ suppressions: { pushed: 1, waiting: 0 } });
      expect(server.sequencer.entries({ platform: 'smartlead', token: 'a-shared-one' })).toEqual(['one@lead.example']);
    });

    test('a paused list gets nothing until it is resynced, or told again what it takes', async () => {
      const { id, token, platform } = await makeList(['opt-outs'], { crmListId: '61001', members: [] });
      const other = await makeList(['opt-outs']);
      for (const list of [id, other.id]) expect((await server.act(list, 'pause')).status).toBe(200);
      await optOut('one@lead.example');
      await server.settle();
      expect(sent()).toEqual([]);
      expect(await shown(id)).toMatchObject({ suppressions: { waiting: 1, error: expect.stringContaining('paused') } });
      expect((await server.act(id, 'resync')).status).toBe(200);
      await server.settle();
      expect(server.sequencer.entries({ platform, token })).toEqual(['one@lead.example']);
      expect((await server.act(other.id, 'resync')).status).toBe(409);
      await performAdmin(server.running.ctx, 'blocklists/update', { id: other.id, suppresses: ['opt-outs'] }, 'a test');
      await server.settle();
      expect(server.sequencer.entries(other)).toEqual(['one@lead.example']);
    });

    test('a list that moves to another client or instance sends there what it has sent before', async () => {
      const own = await makeList(['opt-outs'], { clientId: '7' });
      const ofCrm = await makeList(['opt-outs'], { clientId: '7', crmListId: '61004', members: [] });
      const instanceUrl = 'https://send.northwind.example.com';
      const ofInstance = await makeList(['opt-outs'], { platform: 'emailbison', instanceUrl });
      await optOut('one@lead.example');
      await server.settle();
      for (const { id } of [own, ofCrm, ofInstance])
        expect(await shown(id)).toMatchObject({ suppressions: { pushed: 1 } });
      const update = (id: number, changes: object) =>
        performAdmin(server.running.ctx, 'blocklists/update', { id, ...changes }, 'a test');
      expect(await update(own.id, { clientId: '8' })).toMatchObject({
        ...{ blocklist: { suppressions: { pushed: 0, waiting: 1 } }, notices: [] },
      });
      await update(ofCrm.id, { clientId: '8' });
      await update(ofInstance.id, { instanceUrl: null });
      await server.settle();
      const atInstallation = server.sequencer.entries({ platform: 'emailbison', token: ofInstance.token });
      expect(atInstallation).toEqual(['one@lead.example']);
      for (const list of [own, ofCrm]) {
        expect(server.sequencer.entries({ ...list, clientId: '8' })).toEqual(['one@lead.example']);
      }
      expect(sent()).toHaveLength(5);
      server.crm.createList({ listId: '61005', name: 'other', objectType: 'contacts', members: [] });
      await update(ofCrm.id, { crmListId: '61005', clientId: '8' });
      await server.settle();
      expect(sent()).toHaveLength(5);
    });

    test('an answer of the earlier client does not count for the one that the list has moved to meanwhile', async () => {
      const list = await makeList(['opt-outs'], { clientId: '7' });
      server.onCall(async (url) => {
        if (!url.includes('block-list')) return;
        server.onCall(() => {});
        await performAdmin(server.running.ctx, 'blocklists/update', { id: list.id, clientId: '8' }, 'a test');
      });
      await optOut('one@lead.example');
      await server.settle();
      for (const clientId of ['7', '8']) {
        expect(server.sequencer.entries({ ...list, clientId })).toEqual(['one@lead.example']);
      }
      expect(await shown(list.id)).toMatchObject({ suppressions: { pushed: 1, waiting: 0 } });
    });

    test('a refused contact delays no other; what the CRM list has at the sequencer is not sent again', async () => {
      const { id, token, platform } = await makeList(['opt-outs'], {
        crmListId: '61002',
        members: ['kim@lead.example'],
      });
      expect((await server.act(id, 'resync')).status).toBe(200);
      await server.settle();
      server.sequencer.refuseEntries(['bad@lead.example']);
      for (const name of ['bad', 'kim', 'other', 'zoe']) await optOut(`${name}@lead.example`);
      await server.settle();
      expect(server.sequencer.entries({ platform, token })).toEqual([
        ...['kim@lead.example', 'other@lead.example', 'zoe@lead.example'],
      ]);
      expect(sent().filter((value) => value === 'kim@lead.example')).toHaveLength(1);
      expect(await shown(id)).toMatchObject({ suppressions: { pushed: 3, waiting: 0, refused: 1 } });
      server.sequencer.refuseEntries([]);
      expect((await server.act(id, 'resync')).status).toBe(200);
      await server.settle();
      expect(await shown(id)).toMatchObject({ suppressions: { pushed: 4, waiting: 0, refused: 0 } });
    });

    test('a person is shown with why they are blocked; an erasure and a removal take it away', async () => {
      const { id } = await makeList(['opt-outs']);
      await optOut('ada@lead.example');
      await optOut('ben@lead.example');
      await server.settle();
      const { ctx } = server.running;
      const person = { accountId: ACCOUNT, email: 'ada@lead.example' };
      const wanted = { accountId: ACCOUNT, person: person.email };
      const { blocked } = await performAdmin(ctx, 'persons/show', wanted, 'a test');
      expect(blocked).toMatchObject([{ blocklistId: id, value: person.email, state: 'blocked', reason: 'opt-outs' }]);
      const { erased, kept } = await performAdmin(ctx, 'persons/erase', { ...person, isConfirmed: true }, 'a test');
      expect(erased).toContainEqual({ table: 'suppressions', what: 'suppressions', rows: 1 });
      expect(kept).toEqual([]);
      const { rows } = await server.db.query('select value from suppressions where blocklist_id = $1', [id]);
      expect(rows).toEqual([{ value: 'ben@lead.example' }]);
      const removal = await performAdmin(ctx, 'blocklists/remove', { id, isConfirmed: true }, 'a test');
      expect(removal).toMatchObject({ deleted: { suppressions: 1 } });
    });

    describe('the alert that a list is stuck', () => {
      const MINUTE_MS = 60_000;
      const stuck = async (id: number) => {
        await watchIncidents(server.running.ctx);
        const { incidents } = await performAdmin(server.running.ctx, 'alerts/list', {}, 'a test');
        return incidents.some(({ summary }) => summary.startsWith(`Block list ${id} `));
      };
      test('begins at once when the sequencer refuses the key, for contacts of events and of the CRM list', async () => {
        const ofEvents = await makeList(['opt-outs']);
        const ofCrm = await server.makeList();
        server.sequencer.failNext(2, 401);
        await optOut('kim@lead.example');
        await server.settle();
        await server.act(ofCrm.id, 'resync');
        await server.settle();
        expect([await stuck(ofEvents.id), await stuck(ofCrm.id)]).toEqual([true, true]);
      });

      test('begins after half an hour in which contacts of events did not arrive', async () => {
        const { id } = await makeList(['opt-outs']);
        server.sequencer.failNext(100, 503);
        await optOut('kim@lead.example');
        await server.settle(30 * MINUTE_MS - 1);
        expect(await stuck(id)).toBe(false);
        await server.settle(1);
        expect(await stuck(id)).toBe(true);
      });

      test('needs two failed tries, and ends ten minutes after a contact has arrived', async () => {
        const { id } = await makeList(['opt-outs']);
        server.sequencer.failNext(1, 429, { retryAfterSeconds: 40 * 60 });
        await optOut('kim@lead.example');
        await server.settle(39 * MINUTE_MS);
        expect(await stuck(id)).toBe(false);
        server.sequencer.failNext(1, 429, { retryAfterSeconds: 10 * 60 });
        await server.settle(2 * MINUTE_MS);
        expect(await stuck(id)).toBe(true);
        await server.settle(10 * MINUTE_MS);
        expect(await shown(id)).toMatchObject({ suppressions: { pushed: 1, waiting: 0 } });
        await stuck(id);
        server.clock.advance(11 * MINUTE_MS);
        expect(await stuck(id)).toBe(false);
      });

      test('begins after half an hour in which a round asks again and again, and not because of a refused entry', async () => {
        const list = await server.makeList({ members: ['a@lead.example', 'b@lead.example'] });
        server.sequencer.refuseEntries(['a@lead.example']);
        await server.act(list.id, 'resync');
        await server.settle();
        expect((await server.show(list.id))['lastError']).toContain('1 entry was refused');
        expect(await stuck(list.id)).toBe(false);
        server.sequencer.failNext(100, 429, { retryAfterSeconds: 15 * 60 });
        await server.act(list.id, 'resync');
        await server.settle(29 * MINUTE_MS);
        expect(await stuck(list.id)).toBe(false);
        await server.settle(MINUTE_MS);
        expect(await stuck(list.id)).toBe(true);
      });
    });

    test('a list is read as often as it says', async () => {
      const { id, crmListId, token, platform } = await makeList([], {
        crmListId: '61003',
        members: ['a@lead.example'],
      });
      expect((await server.act(id, 'resync')).status).toBe(200);
      await server.settle();
      server.crm.createList({ listId: crmListId, name: 'more', objectType: 'contacts', members: ['b@lead.example'] });
      await server.settle(HOUR_MS);
      expect(server.sequencer.entries({ platform, token })).toEqual(['a@lead.example']);
      const input = { id, every: '1h30m' };
      expect(await performAdmin(server.running.ctx, 'blocklists/update', input, 'a test')).toMatchObject({
        blocklist: { everyMinutes: 90 },
      });
      await server.settle(HOUR_MS / 2);
      expect(server.sequencer.entries({ platform, token })).toContain('b@lead.example');
      server.crm.createList({ listId: crmListId, name: 'most', objectType: 'contacts', members: ['c@lead.example'] });
      await server.settle(1.5 * HOUR_MS);
      expect(server.sequencer.entries({ platform, token })).toContain('c@lead.example');
      for (const every of ['14m', '8d', 'soon', '90s']) {
        await expect(performAdmin(server.running.ctx, 'blocklists/update', { id, every }, 'a test')).rejects.toThrow(
          'must be a duration of 15m to 7d',
        );
      }
    });
  });
});
