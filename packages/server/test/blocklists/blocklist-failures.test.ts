/** Block lists when CRM, sequencer or worker fail, on both databases: retries, error messages and kept data. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import {
  addresses,
  type BlocklistServer,
  expectCountsToHold,
  type NewList,
  startBlocklistServer,
} from '../support/blocklist-server.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const isMemberships = (url: string) => url.includes('/memberships');
const isPush = (url: string) => url.includes('block-list');

describe('block list failures', () => {
  describe('pipeline', () => {
    let server: BlocklistServer;
    beforeAll(async () => {
      server = await startBlocklistServer(anyBackend);
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(async () => {
      await server.reset();
    });

    /** Resyncs and runs everything that is due within the time. */
    const run = async (id: number, withinMs = 0) => {
      expect((await server.act(id, 'resync')).status).toBe(200);
      await server.settle(withinMs);
      await expectCountsToHold(server, id);
      return server.show(id);
    };
    const made = async (options: NewList = {}) => {
      const list = await server.makeList(options);
      await run(list.id);
      expect(await server.show(list.id)).toMatchObject({ status: 'SYNCED', lastError: null });
      return list;
    };
    /** Faults only the calls about this list. */
    const failCrm = (
      crmListId: string,
      count: number,
      fault: Parameters<typeof server.crm.failNext>[1],
      options = {},
    ) => server.crm.failNext(count, fault, { match: new RegExp(`/lists/[^/]+/${crmListId}\\b`), ...options });

    /** Another worker takes over the job, as if this one had died. */
    const takeOver = () => server.db.query('update jobs set fence = fence + 1, due_at = $1', [server.clock.now()]);

    describe('reading the CRM list', () => {
      test.each(['reset', 'lost-answer', 'truncated', 'html', 503, 'ten-secondly'] as const)(
        '%s is temporary: the fetch resumes later and duplicates nothing',
        async (fault) => {
          const { id, crmListId, token } = await server.makeList({ members: addresses(450) });
          failCrm(crmListId, 2, fault, { skip: 2 });
          const early = await run(id);
          expect(early).toMatchObject({ status: 'FETCHING', syncedCount: 0, pendingCount: 0, lastError: null });
          expect((await server.act(id, 'resync')).status).toBe(409);
          await server.settle(60_000);
          expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 450, lastError: null });
          expect(server.sequencer.entries({ platform: 'smartlead', token })).toEqual(addresses(450));
        },
      );

      test('a lasting failure is reported after 17 minutes; entries, counts and the sequencer do not change', async () => {
        const { id, crmListId } = await made({ members: addresses(450) });
        failCrm(crmListId, 10, 503, { skip: 2 });
        const startedMs = server.clock.now().getTime();
        const list = await run(id, HOUR_MS);
        expect(list).toMatchObject({
          status: 'SYNCED',
          isEnabled: true,
          syncedCount: 450,
          pendingCount: 0,
          lastFetchedAt: null,
          lastError: expect.stringMatching(/^The CRM list could not be read: HubSpot answered 503 to /),
        });
        expect(Date.parse(list.lastAttemptedAt) - startedMs).toBe(1_022_000);
        const { rowCount } = await server.db.query('select from blocklist_entries where blocklist_id = $1', [id]);
        expect(rowCount).toBe(450);
      });

      test.each([
        ['a missing scope', 403, 'HubSpot answered 403 to the list: simulated 403'],
        ['a list that is gone', 404, 'HubSpot answered 404 to the list: simulated 404'],
      ])('reports %s at once; nothing was pushed yet, so the list is CREATED', async (_, status, message) => {
        const { id, crmListId } = await server.makeList();
        failCrm(crmListId, 1, status);
        const before = server.crm.requests().length;
        expect(await run(id)).toMatchObject({
          status: 'CREATED',
          isEnabled: true,
          lastError: `The CRM list could not be read: ${message}`,
          lastAttemptedAt: server.clock.now().toISOString(),
        });
        expect(server.crm.requests().length - before).toBe(1);
        // It is retried the next day.
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 3, lastError: null });
      });

      test('a refused token disconnects the connection', async () => {
        const { id, crmListId } = await server.makeList();
        const { rows } = await server.db.query<{ crm_token: string }>('select crm_token from connections where id = 1');
        failCrm(crmListId, 1, 401);
        expect(await run(id)).toMatchObject({
          status: 'CREATED',
          lastError: expect.stringContaining('HubSpot answered 401 to the list'),
        });
        const { json } = await server.get('getAccountStatus', '/api/v1/account/status');
        expect(json.connections[0]).toMatchObject({ connectionId: 1, crmConnection: { status: 'disconnected' } });
        expect(server.logged()).toContain('svc-server doctor prints the command');
        await server.db.query('update connections set crm_token = $1 where id = 1', [rows[0]?.crm_token]);
      });

      test.each<[string, NewList, string]>([
        [
          'addresses of companies',
          { objectType: 'companies', members: ['acme.example.org'] },
          'it is a list of companies',
        ],
        ['an invalid id', { crmListId: '../contacts' }, 'the id of a HubSpot list is a number'],
      ])('reports a list that cannot be used: %s', async (_, options, message) => {
        const { id } = await server.makeList(options);
        expect(await run(id)).toMatchObject({ status: 'CREATED', lastError: expect.stringContaining(message) });
      });

      test.each([1, 2, 7, 30])('reports %i pages that repeat without end, and keeps the entries', async (length) => {
        const { id } = await made();
        let page = 0;
        server.onCall((url) => {
          if (!isMemberships(url)) return;
          page += 1;
          const results = [{ recordId: '1' }];
          return Response.json({ results, paging: { next: { after: String(page % length) } } });
        });
        const list = await run(id);
        expect(list.lastError).toBe('The CRM list could not be read: its pages repeat, so that they have no end');
        expect(page).toBeLessThanOrEqual(3 * length + 2);
        expect(list).toMatchObject({ status: 'SYNCED', syncedCount: 3, pendingCount: 0 });
      });

      test('reports a CRM whose lists this release cannot read', async () => {
        const { id } = await server.makeList();
        await server.db.query("update connections set crm = 'SOME_CRM' where id = 1");
        const list = await run(id);
        await server.db.query("update connections set crm = 'HUBSPOT' where id = 1");
        expect(list.lastError).toBe('The CRM list could not be read: this release cannot read lists of SOME_CRM');
      });

      test('a worker that lost its lease between two pages stores nothing more, and its successor nothing twice', async () => {
        const { id } = await server.makeList({ members: addresses(900) });
        let pages = 0;
        server.onCall(async (url) => {
          if (isMemberships(url) && (pages += 1) === 3) await takeOver();
        });
        expect(await run(id, 60_000)).toMatchObject({ status: 'SYNCED', syncedCount: 900, pendingCount: 0 });
        // Both workers read the third page.
        expect(pages).toBe(6);
        expect(server.logged()).toContain('the lease of a job was lost');
      });

      test('a failed top-up leaves the list SYNCED with an error, and succeeds the next day', async () => {
        const { id, crmListId } = await made();
        server.crm.addListMembers(crmListId, addresses(450, 'late.example.org'));
        failCrm(crmListId, 1, 403, { skip: 2 });
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 3,
          pendingCount: 0,
          lastError: expect.stringContaining('403'),
        });
        await expectCountsToHold(server, id);
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 453, lastError: null });
        await expectCountsToHold(server, id);
      });
    });

    describe('pushing', () => {
      test.each(['reset', 'lost-answer', 503] as const)('%s is temporary: the batch is sent again', async (fault) => {
        const { id, token } = await server.makeList({ members: addresses(700) });
        server.sequencer.failNext(2, fault);
        expect(await run(id)).toMatchObject({ status: 'SYNCING', syncedCount: 0, pendingCount: 700, lastError: null });
        await server.settle(60_000);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 700, pendingCount: 0 });
        expect(server.sequencer.requests().map((request) => request.values.length)).toEqual([500, 500, 500, 200]);
        expect(server.sequencer.entries({ platform: 'smartlead', token })).toEqual(addresses(700));
      });

      test('respects a wait that the sequencer asks for, up to an hour', async () => {
        const { id } = await server.makeList();
        server.sequencer.failNext(1, 429, { retryAfterSeconds: 90 });
        server.sequencer.failNext(1, 429, { retryAfterSeconds: 7 * 24 * 3_600 });
        await run(id, 89_000);
        expect(server.sequencer.requests()).toHaveLength(1);
        await server.settle(1_000);
        expect(server.sequencer.requests()).toHaveLength(2);
        await server.settle(HOUR_MS - 1);
        expect(server.sequencer.requests()).toHaveLength(2);
        await server.settle(1);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 3 });
      });

      test('reports a refusal of the account, counts what was pushed, and pushes the rest in the next round', async () => {
        const { id, token } = await server.makeList({ members: addresses(1_100) });
        let batches = 0;
        server.onCall((url) => {
          if (isPush(url) && (batches += 1) === 2) server.sequencer.failNext(1, 403);
        });
        expect(await run(id)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 500,
          pendingCount: 600,
          lastError: expect.stringContaining("Smartlead refused the list's API key (403)"),
        });
        expect(batches).toBe(2);
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 1_100, lastError: null });
        expect(server.sequencer.entries({ platform: 'smartlead', token })).toHaveLength(1_100);
      });

      test.each(['smartlead', 'instantly'] as const)(
        'pushes the other entries when %s refuses some, and reports how many were refused',
        async (platform) => {
          const members = addresses(1_300);
          // Includes a dozen adjacent ones.
          const bad = [...members.slice(0, 12), members[650] ?? '', members[1_298] ?? ''];
          const good = members.filter((member) => !bad.includes(member));
          const { id, crmListId, token } = await server.makeList({ members, platform });
          server.sequencer.refuseEntries(bad);
          const refused = (count: number) =>
            `${count} entries were refused by the sequencer: a resync tries them again`;
          expect(await run(id)).toMatchObject({
            status: 'SYNCED',
            syncedCount: 1_286,
            pendingCount: 0,
            lastError: refused(14),
          });
          expect(server.sequencer.entries({ platform, token })).toEqual(good);
          expect(server.sequencer.requests().length).toBeLessThan(100);
          // The next round pushes new entries, and neither retries nor forgets the refused ones.
          const before = server.sequencer.requests().length;
          server.crm.addListMembers(crmListId, addresses(3, 'new.example.org'));
          await server.settle(DAY_MS);
          expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 1_289, lastError: refused(14) });
          expect(server.sequencer.requests().length - before).toBe(1);
          await expectCountsToHold(server, id);
          // Once the sequencer accepts them, a resync pushes them.
          server.sequencer.refuseEntries([]);
          expect(await run(id)).toMatchObject({
            status: 'SYNCED',
            syncedCount: 1_303,
            pendingCount: 0,
            lastError: null,
          });
        },
      );

      test('reports one refused entry of a top-up', async () => {
        const { id, crmListId } = await made();
        const late = addresses(1, 'late.example.org');
        server.crm.addListMembers(crmListId, late);
        server.sequencer.refuseEntries(late);
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 3,
          pendingCount: 0,
          lastError: '1 entry was refused by the sequencer: a resync tries it again',
        });
        await expectCountsToHold(server, id);
      });

      test('when the sequencer refuses every batch, no entry is marked, and the next round retries all', async () => {
        const { id, token } = await server.makeList({ members: addresses(1_100) });
        let batches = 0;
        server.onCall((url) => {
          if (isPush(url) && (batches += 1) > 1) {
            server.sequencer.failNext(1, 422, { message: `no ${encodeURIComponent(token)} for a@b.example, ${token}` });
          }
        });
        expect(await run(id)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 500,
          pendingCount: 600,
          lastError: 'The entries could not be pushed: Smartlead refused the entries (422): no […] for […] […]',
        });
        // 500, 250, ... 1, and a few more of one entry each.
        expect(batches).toBeLessThan(20);
        server.onCall(() => {});
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 1_100,
          pendingCount: 0,
          lastError: null,
        });
      });

      test("a short list without accepted entries is CREATED, with the sequencer's message", async () => {
        const { id } = await server.makeList();
        server.sequencer.refuseEntries(addresses(3));
        expect(await run(id)).toMatchObject({
          status: 'CREATED',
          syncedCount: 0,
          pendingCount: 3,
          lastError:
            'The entries could not be pushed: Smartlead refused the entries (400): One of the entries is invalid',
        });
        server.sequencer.refuseEntries([]);
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 3, lastError: null });
      });

      test('a temporary failure between refusals does not change the result', async () => {
        const members = addresses(600);
        const { id, token } = await server.makeList({ members });
        server.sequencer.refuseEntries([members[77] ?? '']);
        let batches = 0;
        server.onCall((url) => {
          if (isPush(url) && (batches += 1) % 4 === 0)
            server.sequencer.failNext(1, batches % 8 === 0 ? 503 : 'lost-answer');
        });
        expect(await run(id, HOUR_MS)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 599,
          pendingCount: 0,
          lastError: expect.stringContaining('1 entry was refused'),
        });
        expect(server.sequencer.entries({ platform: 'smartlead', token })).toHaveLength(599);
      });

      test.each<[string, NewList, string]>([
        [
          'no API key',
          { token: null },
          'the list has no API key of smartlead: store one (svc-server blocklists set-token)',
        ],
        [
          'a platform without a connector',
          { platform: 'heyreach' },
          'the block list of heyreach cannot be filled, because no call for it is documented; those of smartlead, instantly, emailbison, lemlist, reply-io can',
        ],
      ])('reports %s and what to do', async (_, options, message) => {
        const { id } = await server.makeList(options);
        expect(await run(id)).toMatchObject({
          status: 'CREATED',
          syncedCount: 0,
          pendingCount: 3,
          lastError: `The entries could not be pushed: ${message}`,
        });
        expect(server.sequencer.requests()).toEqual([]);
      });

      test('a worker that lost its lease during a batch counts nothing, and the batch is pushed again', async () => {
        const { id, token } = await server.makeList({ members: addresses(700) });
        let batches = 0;
        server.onCall(async (url) => {
          if (isPush(url) && (batches += 1) === 1) await takeOver();
        });
        expect(await run(id, 60_000)).toMatchObject({ status: 'SYNCED', syncedCount: 700, pendingCount: 0 });
        expect(server.sequencer.requests()).toHaveLength(3);
        expect(server.sequencer.entries({ platform: 'smartlead', token })).toHaveLength(700);
      });

      test('a pause ends a push that waits for the sequencer', async () => {
        const { id } = await server.makeList();
        server.sequencer.failNext(1, 429, { retryAfterSeconds: 600 });
        await run(id);
        await server.act(id, 'pause');
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({
          status: 'SYNCING_NEW_CONTACTS',
          isEnabled: false,
          pendingCount: 3,
        });
        expect(server.sequencer.requests()).toHaveLength(1);
        expect(await run(id)).toMatchObject({ status: 'SYNCED', isEnabled: true, syncedCount: 3 });
      });
    });

    test("logs, answers and jobs do not contain the sequencer's API key", async () => {
      const lists = [
        await server.makeList(),
        await server.makeList({ platform: 'instantly' }),
        await server.makeList({ platform: 'instantly', token: 'not\na header' }),
        await server.makeList({ platform: 'lemlist' }),
        await server.makeList({ platform: 'reply-io' }),
      ];
      for (const { id, token } of lists) {
        for (const fault of ['reset', 500, 401] as const) server.sequencer.failNext(1, fault, { message: token });
        await server.act(id, 'resync');
        await server.settle(HOUR_MS);
        const answer = await server.get('listBlocklists', '/api/v1/blocklists');
        expect(answer.json.blocklists.find((list: { id: number }) => list.id === id)?.lastError).toEqual(
          expect.any(String),
        );
        const jobs = (await server.db.query('select * from jobs')).rows;
        for (const place of [server.logged(), answer.text, JSON.stringify(jobs)]) {
          for (const secret of [token, encodeURIComponent(token)]) expect(place).not.toContain(secret);
        }
        server.sequencer.reset();
      }
      const { rows } = await server.db.query<{ sequencer_token: string }>('select sequencer_token from blocklists');
      for (const { token } of lists) expect(JSON.stringify(rows)).not.toContain(token);
    });
  });
});
