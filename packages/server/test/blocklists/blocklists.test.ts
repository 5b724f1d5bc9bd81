/**
 * Block lists on both databases, from a resync to the entries at the sequencer, with interruptions in between.
 * `writes/blocklist-actions.test.ts` of the conformance suite proves what the API answers.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend, backends } from '@svc/engine/test/backends';
import {
  addresses,
  type BlocklistServer,
  expectCountsToHold,
  startBlocklistServer,
} from '../support/blocklist-server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const IN_PROGRESS = 'Blocklist resync already in progress';
const isMemberships = (url: string) => url.includes('/memberships');
const isPush = (url: string) => url.includes('block-list');

describe.each(backends)('block lists on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('pipeline', () => {
    let server: BlocklistServer;
    beforeAll(async () => {
      server = await startBlocklistServer(backend);
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(async () => {
      await server.reset();
    });

    const resync = async (id: number) => {
      const answer = await server.act(id, 'resync');
      expect(answer).toMatchObject({ status: 200, json: { id, queued: true, isEnabled: true, status: 'FETCHING' } });
    };
    const statusOf = async (id: number) => (await server.show(id)).status;

    describe('resyncBlocklist', () => {
      test('200: FETCHING, SYNCING, SYNCED, and the sequencer has the CRM list', async () => {
        const members = addresses(1_203);
        const { id, token } = await server.makeList({ members, clientId: '42' });
        const seen = new Set<string>();
        server.onCall(async (url) => {
          const { status, syncedCount, pendingCount, lastFetchedAt } = await server.show(id);
          seen.add(
            `${isPush(url) ? 'push' : 'read'} ${status} ${syncedCount}+${pendingCount} ${lastFetchedAt !== null}`,
          );
        });
        await resync(id);
        expect(await server.show(id)).toMatchObject({ status: 'FETCHING', lastFetchedAt: null, lastError: null });
        server.clock.advance(5_000);
        await server.settle();
        expect([...seen]).toEqual([
          'read FETCHING 0+0 false',
          'push SYNCING 0+1203 true',
          'push SYNCING 500+703 true',
          'push SYNCING 1000+203 true',
        ]);
        expect(await server.show(id)).toMatchObject({
          status: 'SYNCED',
          isEnabled: true,
          syncedCount: 1_203,
          pendingCount: 0,
          lastFetchedAt: server.clock.now().toISOString(),
          lastError: null,
        });
        expect(server.sequencer.entries({ platform: 'smartlead', token, clientId: '42' })).toEqual(members);
        await expectCountsToHold(server, id);
      });

      test('200: domains of companies, or of contacts without free mail hosts, each once', async () => {
        const companies = await server.makeList({
          blockType: 'DOMAIN',
          platform: 'instantly',
          objectType: 'companies',
          members: ['acme.example.org', 'https://www.Bolt.example.com/about', 'gmail.com', 'not a domain'],
        });
        const contacts = await server.makeList({
          blockType: 'DOMAIN',
          members: ['a@acme.example.org', 'b@acme.example.org', 'c@gmail.com', 'No Address', 'd@crate.example.net'],
        });
        await resync(companies.id);
        await resync(contacts.id);
        await server.settle();
        expect(server.sequencer.entries({ platform: 'instantly', token: companies.token })).toEqual([
          'acme.example.org',
          'bolt.example.com',
        ]);
        expect(server.sequencer.entries({ platform: 'smartlead', token: contacts.token })).toEqual([
          'acme.example.org',
          'crate.example.net',
        ]);
        expect(await server.show(contacts.id)).toMatchObject({ status: 'SYNCED', syncedCount: 2, pendingCount: 0 });
      });

      test('200 for a list without members any more: deletes the local entries, not those at the sequencer', async () => {
        const { id, token, crmListId } = await server.makeList();
        await resync(id);
        await server.settle();
        server.crm.removeListMembers(crmListId, addresses(3));
        await resync(id);
        await server.settle();
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 0, pendingCount: 0 });
        expect(server.sequencer.entries({ platform: 'smartlead', token })).toEqual(addresses(3));
      });

      test('200 on a disconnected connection: the fetch fails and says why', async () => {
        const { id } = await server.makeList();
        const { rows } = await server.db.query<{ crm_token: string }>('select crm_token from connections where id = 1');
        await server.db.query('update connections set crm_token = null where id = 1');
        await resync(id);
        await server.settle();
        await server.db.query('update connections set crm_token = $1 where id = 1', [rows[0]?.crm_token]);
        expect(await server.show(id)).toMatchObject({
          status: 'CREATED',
          lastError: 'The CRM list could not be read: HUBSPOT is disconnected: connect it again, then resync the list',
        });
      });

      test('exactly one of many concurrent calls is 200, with pauses in between', async () => {
        for (let round = 0; round < 5; round += 1) {
          const { id } = await server.makeList();
          const answers = await Promise.all(Array.from({ length: 20 }, () => server.act(id, 'resync')));
          expect(answers.map((answer) => answer.status).sort()).toEqual([
            200,
            ...Array.from({ length: 19 }, () => 409),
          ]);
          const mixed = await Promise.all(
            Array.from({ length: 20 }, (_, index) => server.act(id, index % 3 === 0 ? 'pause' : 'resync')),
          );
          expect(mixed.filter((answer) => answer.json.queued)).toEqual([]);
          const fetches = (await server.jobs()).filter((job) => job.ref === String(id));
          expect(fetches).toMatchObject([{ kind: 'fetch-blocklist', state: { run: 1, mode: 'full' } }]);
        }
      });
    });

    describe('pauseBlocklist', () => {
      test('during a fetch: loads entries, pushes nothing, and allows no resync until the fetch has ended', async () => {
        const { id } = await server.makeList({ members: addresses(450) });
        let pages = 0;
        server.onCall(async (url) => {
          if (!isMemberships(url) || (pages += 1) !== 2) return;
          const paused = await server.act(id, 'pause');
          expect(paused.json).toEqual({ id, isEnabled: false, status: 'SYNCING_NEW_CONTACTS' });
          expect((await server.act(id, 'resync')).json.message).toBe(IN_PROGRESS);
        });
        await resync(id);
        await server.settle(2 * DAY_MS);
        expect(pages).toBe(3);
        expect(await server.show(id)).toMatchObject({
          status: 'SYNCING_NEW_CONTACTS',
          isEnabled: false,
          syncedCount: 0,
          pendingCount: 450,
        });
        expect(server.sequencer.requests()).toEqual([]);
        await expectCountsToHold(server, id);

        server.onCall(() => {});
        await resync(id);
        await server.settle();
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', isEnabled: true, syncedCount: 450 });
      });

      test('during a push: the current batch counts, the others stay pending', async () => {
        const { id, token } = await server.makeList({ members: addresses(1_100) });
        server.onCall(async (url) => {
          if (isPush(url)) await server.act(id, 'pause');
        });
        await resync(id);
        await server.settle(2 * DAY_MS);
        expect(await server.show(id)).toMatchObject({
          status: 'SYNCING_NEW_CONTACTS',
          isEnabled: false,
          syncedCount: 500,
          pendingCount: 600,
        });
        expect(server.sequencer.entries({ platform: 'smartlead', token })).toHaveLength(500);
        await expectCountsToHold(server, id);
      });
    });

    // The embedded database works for one connection at a time, and the top-up uses the statements from above.
    if (backend !== anyBackend) return;

    test("late reports of an earlier run's push change nothing, and it pushes nothing more", async () => {
      const own = await startBlocklistServer(backend);
      await own.reset();
      const { id } = await own.makeList({ members: addresses(1_100) });
      const release = Promise.withResolvers<void>();
      const arrived = Promise.withResolvers<void>();
      let calls = 0;
      own.onCall(async (url) => {
        if (!isPush(url) || (calls += 1) !== 1) return;
        arrived.resolve();
        await release.promise;
      });
      own.running.runner.start();
      await own.act(id, 'resync');
      await arrived.promise;
      // While the first run's first batch is under way, a whole second run completes.
      await own.act(id, 'pause');
      await own.act(id, 'resync');
      const laterStatus = async () => {
        own.clock.advance(500);
        return (await own.show(id)).status;
      };
      await expect.poll(laterStatus).toBe('SYNCED');
      const before = await own.show(id);
      expect(before).toMatchObject({ syncedCount: 1_100, pendingCount: 0 });
      // If the late batch counted, it would appear in the current run.
      await own.db.query('update blocklist_entries set pushed_at = null where blocklist_id = $1', [id]);
      release.resolve();
      await own.running.runner.stop();
      expect(await own.show(id)).toEqual(before);
      expect((await own.entries(id)).filter((entry) => entry.isPushed)).toEqual([]);
      // One batch of the first run, three of the second.
      const sizes = own.sequencer.requests().map((request) => request.values.length);
      expect(sizes.sort((a, b) => a - b)).toEqual([100, 500, 500, 500]);
      expect((await own.jobs()).map((job) => [job.kind, job.state['run']])).toEqual([['top-up-blocklist', 2]]);
      await own.close();
    });

    describe('top-up', () => {
      const synced = async (options: Parameters<BlocklistServer['makeList']>[0] = {}) => {
        const list = await server.makeList(options);
        await resync(list.id);
        await server.settle();
        expect(await statusOf(list.id)).toBe('SYNCED');
        server.sequencer.reset();
        return list;
      };

      test('adds new entries one day after a list is SYNCED, and again a day later', async () => {
        const { id, crmListId, token } = await synced();
        server.crm.addListMembers(crmListId, ['new1@members.example.org', 'New2@Members.example.org']);
        server.crm.removeListMembers(crmListId, ['m00000@members.example.org']);
        server.clock.advance(DAY_MS - 1);
        await server.settle();
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 3 });
        const seen = new Set<string>();
        server.onCall(async () => {
          seen.add(await statusOf(id));
        });
        server.clock.advance(1);
        await server.settle();
        expect([...seen]).toEqual(['SYNCING_NEW_CONTACTS']);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 5, pendingCount: 0 });
        const pushed = ['new1@members.example.org', 'new2@members.example.org'];
        expect(server.sequencer.entries({ platform: 'smartlead', token })).toEqual(pushed);
        await expectCountsToHold(server, id);

        server.crm.addListMembers(crmListId, ['new3@members.example.org']);
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 6 });
      });

      test('does not run for a paused list; a resync starts it again', async () => {
        const { id } = await synced();
        await server.act(id, 'pause');
        await server.settle(3 * DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', isEnabled: false });
        expect(await server.jobs()).toEqual([]);
        await resync(id);
        await server.settle();
        expect(await server.jobs()).toMatchObject([{ kind: 'top-up-blocklist', ref: `${id}/2` }]);
      });

      test('the top-up of an earlier run does nothing, and the later run keeps its own', async () => {
        const { id } = await synced();
        server.clock.advance(DAY_MS / 2);
        await resync(id);
        await server.settle();
        const calls: string[] = [];
        server.onCall((url) => {
          calls.push(url);
        });
        await server.settle(DAY_MS / 2);
        expect(calls).toEqual([]);
        await server.settle(DAY_MS / 2);
        expect(calls.length).toBeGreaterThan(0);
        expect(await statusOf(id)).toBe('SYNCED');
      });

      test('a resync restarts a top-up that is being pushed, and is refused while one is being read', async () => {
        const { id, crmListId } = await synced();
        server.crm.addListMembers(crmListId, ['new@members.example.org']);
        const answers: number[] = [];
        server.onCall(async (url) => {
          if (answers.length < 2 && (isMemberships(url) || isPush(url))) {
            answers.push((await server.act(id, 'resync')).status);
          }
        });
        await server.settle(DAY_MS);
        expect(answers).toEqual([409, 200]);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 4, pendingCount: 0 });
        await expectCountsToHold(server, id);
      });

      test('waits while the capability is off', async () => {
        const { id, crmListId } = await synced();
        server.crm.addListMembers(crmListId, ['new@members.example.org']);
        await server.db.query('update connections set capability_blocklists = false where id = 1');
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 3 });
        await server.db.query('update connections set capability_blocklists = true where id = 1');
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 4 });
      });
    });

    test('pushes all of 2,000 members, with each call within its limits', async () => {
      const members = addresses(2_000, 'large.example.org');
      const { id, token } = await server.makeList({ members, platform: 'instantly' });
      const before = server.crm.requests().length;
      await resync(id);
      await server.settle();
      expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 2_000, pendingCount: 0 });
      expect(server.sequencer.entries({ platform: 'instantly', token })).toEqual(members);
      expect(server.sequencer.requests()).toHaveLength(2);
      // 10 pages with two batches each, and one read of the list itself in each of two runs of the job.
      expect(server.crm.requests().length - before).toBe(10 + 20 + 2);
    });
  });
});
