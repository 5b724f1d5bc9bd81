/** Entries that leave the CRM list of a block list that removes them, on both databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { performAdmin } from '@svc/operations/perform';
import {
  addresses,
  type BlocklistServer,
  expectCountsToHold,
  type NewList,
  startBlocklistServer,
} from '../support/blocklist-server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
const [KIM, LEE, MAX] = ['kim@lead.example', 'lee@lead.example', 'max@lead.example'] as const;

describe.each(backends)('removals on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('a list', () => {
    let server: BlocklistServer;
    beforeAll(async () => {
      server = await startBlocklistServer(backend);
      await server.db.query('update connections set capability_blocklists = true');
    });
    afterAll(() => server.close());
    beforeEach(async () => {
      await server.db.query('delete from blocklists');
      await server.reset();
    });

    const update = async (id: number, changes: object) => {
      await performAdmin(server.running.ctx, 'blocklists/update', { id, ...changes }, 'a test');
    };
    /** Makes a list and lets it be pushed. */
    const makePushed = async (members: readonly string[], options: NewList & { removes?: boolean } = {}) => {
      const { removes = true, ...more } = options;
      const list = { platform: 'smartlead' as const, ...(await server.makeList({ members, ...more })) };
      if (removes) await update(list.id, { removes });
      expect((await server.act(list.id, 'resync')).status).toBe(200);
      await server.settle();
      return list;
    };
    type List = Awaited<ReturnType<typeof makePushed>>;
    const change = ({ crmListId }: Pick<List, 'crmListId'>, members: readonly string[]) =>
      void server.crm.createList({ listId: crmListId, name: 'changed', objectType: 'contacts', members });
    type Account = Parameters<BlocklistServer['sequencer']['entries']>[0];
    const atSequencer = ({ platform, token }: Account) => server.sequencer.entries({ platform, token });
    const shown = async (id: number) => {
      const { blocklists } = await performAdmin(server.running.ctx, 'blocklists/list', {}, 'a test');
      const list = blocklists.find((one) => one.id === id);
      await expectCountsToHold(server, id);
      return list;
    };
    const optOut = async (email: string) => {
      const body = {
        event_type: 'LEAD_UNSUBSCRIBED',
        to_email: email,
        lead_email: email,
        stats_id: `${email}-${server.clock.now().getTime()}`,
      };
      expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
    };
    const removals = () => server.sequencer.requests().filter(({ path }) => path.includes('delete-domain-block-list'));

    test('what leaves is removed at the sequencer in the next round, and comes back with the CRM list', async () => {
      const list = await makePushed([KIM, LEE, MAX]);
      change(list, [KIM]);
      await server.settle(DAY_MS);
      expect(atSequencer(list)).toEqual([KIM]);
      expect(await shown(list.id)).toMatchObject({
        ...{ removes: true, syncedCount: 1, pendingCount: 0, status: 'SYNCED' },
        removals: { removed: 2, waiting: 0, refused: 0, error: null },
      });
      expect(removals()).toHaveLength(2);
      const person = { accountId: 1, person: LEE };
      const { blocked } = await performAdmin(server.running.ctx, 'persons/show', person, 'a test');
      expect(blocked).toMatchObject([{ value: LEE, state: 'removed' }]);
      change(list, [KIM, LEE]);
      await server.settle(DAY_MS);
      expect(atSequencer(list)).toEqual([KIM, LEE]);
      change(list, [KIM]);
      await server.settle(DAY_MS);
      expect(atSequencer(list)).toEqual([KIM]);
      expect(await shown(list.id)).toMatchObject({ removals: { removed: 2, waiting: 0 } });
    });

    test('nothing is removed where that is off, or is switched off before', async () => {
      const off = await makePushed([KIM, LEE], { removes: false });
      const switched = await makePushed([KIM, LEE]);
      for (const list of [off, switched]) change(list, [KIM]);
      server.onCall((url) => (url.includes('get-domain-block-list') ? new Response('', { status: 401 }) : undefined));
      await server.settle(DAY_MS);
      expect(await shown(switched.id)).toMatchObject({ removals: { removed: 0, waiting: 1 } });
      await update(switched.id, { removes: false });
      server.onCall(() => {});
      await server.settle(2 * HOUR_MS);
      for (const list of [off, switched]) {
        expect(atSequencer(list)).toEqual([KIM, LEE]);
        expect(await shown(list.id)).toMatchObject({
          removes: false,
          removals: { removed: 0, waiting: 0, error: null },
        });
      }
    });

    test('who opted out stays blocked, whether the event came before, meanwhile or afterwards', async () => {
      const list = await makePushed([KIM, LEE, MAX, 'zoe@lead.example']);
      await update(list.id, { suppresses: ['opt-outs'] });
      await optOut(KIM);
      await server.settle();
      change(list, []);
      let calls = 0;
      server.onCall(async (url) => {
        if (!url.includes('delete-domain-block-list')) return;
        calls += 1;
        // Lee opts out while the sequencer is asked to remove the entry, and the process loses its lease.
        if (calls === 1) {
          await optOut(LEE);
          await server.db.query(`update jobs set fence = fence + 1, due_at = $1 where kind = 'remove-entries'`, [
            server.clock.now(),
          ]);
        }
        if (calls === 2) await optOut(MAX);
      });
      await server.settle(DAY_MS + HOUR_MS);
      await optOut('zoe@lead.example');
      await server.settle();
      expect(atSequencer(list)).toEqual([KIM, LEE, MAX, 'zoe@lead.example']);
      expect(await shown(list.id)).toMatchObject({
        suppressions: { pushed: 4, waiting: 0, refused: 0, error: null },
        removals: { waiting: 0, error: null },
      });
    });

    // The statements are the same as above, so one database shows the rest.
    if (backend !== anyBackend) return;

    test('what another list of the same sequencer account has stays until that list lets it go', async () => {
      const one = await makePushed([KIM, LEE]);
      const other = await makePushed([KIM, LEE]);
      const apart = await makePushed([KIM, LEE]);
      await server.db.query(
        `update blocklists set sequencer_token = null, sequencer_key_id = null where id = any($1)`,
        [[one.id, other.id]],
      );
      const { ctx } = server.running;
      const key = { accountId: 1, name: `shared ${one.id}`, platform: 'smartlead', token: one.token };
      const { key: added } = await performAdmin(ctx, 'sequencer-keys/add', key, 'a test');
      await update(one.id, { sequencerKeyId: added.id });
      // The same API key, stored with the list.
      const own = { blocklistId: other.id, sequencerToken: one.token };
      await performAdmin(ctx, 'blocklists/set-token', own, 'a test');
      for (const list of [one, apart]) change(list, [KIM]);
      await server.settle(DAY_MS);
      expect(atSequencer(one)).toEqual([KIM, LEE]);
      expect(atSequencer(apart)).toEqual([KIM]);
      change(other, [KIM]);
      await server.settle(DAY_MS);
      expect(atSequencer(one)).toEqual([KIM]);
    });

    test.each([
      [
        'is paused and its process has died',
        async (id: number) => {
          expect((await server.act(id, 'pause')).status).toBe(200);
          const at = server.clock.now();
          await server.db.query(`update jobs set fence = fence + 1, due_at = $1 where kind = 'remove-entries'`, [at]);
        },
      ],
      ['has moved to another client', (id: number) => update(id, { clientId: '8' })],
      [
        'is removed',
        async (id: number) => {
          await performAdmin(server.running.ctx, 'blocklists/remove', { id, isConfirmed: true }, 'a test');
        },
      ],
    ])('who opts out during a removal stays blocked when the list of the removal %s', async (_, interrupt) => {
      const list = await makePushed([KIM, LEE]);
      const other = await makePushed([], { removes: false });
      const shared = { blocklistId: other.id, sequencerToken: list.token };
      await performAdmin(server.running.ctx, 'blocklists/set-token', shared, 'a test');
      change(list, [KIM]);
      server.onCall(async (url) => {
        if (!url.includes('delete-domain-block-list')) return;
        server.onCall(() => {});
        // The other list has sent it already.
        await server.db.query(
          `insert into suppressions (blocklist_id, value, reason, event_id, created_at, pushed_at)
            values ($1, $2, 'opt-outs', 1, $3, $3)`,
          [other.id, LEE, server.clock.now()],
        );
        await interrupt(list.id);
      });
      await server.settle(DAY_MS);
      expect(removals()).toHaveLength(1);
      expect(atSequencer(list)).toEqual([KIM, LEE]);
    });

    test('an entry that returns to the CRM list while it is removed is sent again', async () => {
      const list = await makePushed([KIM, LEE]);
      change(list, [KIM]);
      server.onCall(async (url) => {
        if (!url.includes('delete-domain-block-list')) return;
        server.onCall(() => {});
        change(list, [KIM, LEE]);
        // A round that has read and pushed it meanwhile.
        await server.db.query(
          `insert into blocklist_entries (blocklist_id, generation, value, pushed_at)
            select id, entries_generation, $2, $3 from blocklists where id = $1`,
          [list.id, LEE, server.clock.now()],
        );
        await server.db.query('update blocklists set synced_count = synced_count + 1 where id = $1', [list.id]);
      });
      await server.settle(DAY_MS + HOUR_MS);
      expect(atSequencer(list)).toEqual([KIM, LEE]);
      expect(await shown(list.id)).toMatchObject({ syncedCount: 2, pendingCount: 0 });
    });

    test('when most entries leave at once, none is removed before somebody asks by a resync', async () => {
      const members = addresses(24);
      const list = await makePushed(members);
      change(list, members.slice(0, 11));
      await server.settle(2 * DAY_MS);
      expect(atSequencer(list)).toEqual(members);
      expect(await shown(list.id)).toMatchObject({
        ...{ syncedCount: 24, lastError: null },
        removals: {
          removed: 0,
          waiting: 0,
          error: '13 of 24 entries left the CRM list at once, so none is removed: a resync removes them',
        },
      });
      expect((await server.act(list.id, 'resync')).status).toBe(200);
      await server.settle(HOUR_MS);
      expect(atSequencer(list)).toEqual(members.slice(0, 11));
      expect(await shown(list.id)).toMatchObject({
        syncedCount: 11,
        removals: { removed: 13, waiting: 0, error: null },
      });
    });

    test('entries of another CRM list have not left', async () => {
      const list = await makePushed([KIM, LEE]);
      server.crm.createList({ listId: '61900', name: 'other', objectType: 'contacts', members: [MAX] });
      await update(list.id, { crmListId: '61900' });
      await server.settle(DAY_MS);
      expect(atSequencer(list)).toEqual([KIM, LEE, MAX]);
    });

    test('a failing sequencer, a refused API key and a paused list delay removals; what is protected stays', async () => {
      const list = { ...(await makePushed([KIM, LEE, MAX], { platform: 'lemlist' })), platform: 'lemlist' as const };
      const removed = () => server.sequencer.requests().filter(({ path }) => path.includes('/v2/unsubscribes/'));
      server.sequencer.refuseEntries([MAX]);
      change(list, []);
      await server.settle(DAY_MS - HOUR_MS);
      server.sequencer.failNext(1, 'lost-answer');
      server.sequencer.failNext(1, 503);
      server.sequencer.failNext(1, 401);
      await server.settle(HOUR_MS + 60_000);
      expect(await shown(list.id)).toMatchObject({
        removals: { waiting: 3, error: expect.stringContaining('svc-server blocklists set-token') },
      });
      const count = removed().length;
      expect((await server.act(list.id, 'pause')).status).toBe(200);
      await server.settle(2 * HOUR_MS);
      expect(removed()).toHaveLength(count);
      expect(await shown(list.id)).toMatchObject({
        removals: { waiting: 3, error: expect.stringContaining('paused') },
      });
      expect((await server.act(list.id, 'resync')).status).toBe(200);
      await server.settle();
      expect(atSequencer(list)).toEqual([MAX]);
      expect(await shown(list.id)).toMatchObject({ removals: { removed: 2, waiting: 0, refused: 1, error: null } });
    });

    test('removals keep the limit of the platform', async () => {
      const members = addresses(100);
      const list = { ...(await makePushed(members, { platform: 'lemlist' })), platform: 'lemlist' as const };
      server.sequencer.limitCalls(() => server.clock.now().getTime());
      change(list, members.slice(0, 60));
      await server.settle(DAY_MS + HOUR_MS);
      expect(atSequencer(list)).toEqual(members.slice(0, 60));
      expect(await shown(list.id)).toMatchObject({ removals: { removed: 40, waiting: 0, error: null } });
    });
  });
});
