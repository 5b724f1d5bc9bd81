/** Block lists of platforms that take entries one by one or answer for each, on both databases. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import {
  addresses,
  type BlocklistServer,
  expectCountsToHold,
  startBlocklistServer,
} from '../support/blocklist-server.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const domains = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `d${String(index).padStart(4, '0')}.example.org`);

describe('block lists of every platform', () => {
  describe('pushing', () => {
    let server: BlocklistServer;
    beforeAll(async () => {
      server = await startBlocklistServer(anyBackend);
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(async () => {
      await server.reset();
      server.receiver.reset();
    });

    const run = async (id: number, withinMs = 0) => {
      expect((await server.act(id, 'resync')).status).toBe(200);
      await server.settle(withinMs);
      await expectCountsToHold(server, id);
      return server.show(id);
    };
    /** How often each entry was sent. */
    const sentCounts = () => {
      const counts = new Map<string, number>();
      for (const value of server.sequencer.requests().flatMap(({ values }) => values)) {
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      return counts;
    };

    test('a list that uses a stored key of its account sends that key, also after it was replaced', async () => {
      const { id } = await server.makeList({ members: addresses(3), token: null });
      const { rows } = await server.db.query<{ id: number }>(
        `insert into sequencer_keys (account_id, name, platform, created_at)
          select account_id, 'shared', 'smartlead', created_at from connections where id = 1 returning id`,
      );
      const keyId = rows[0]?.id ?? 0;
      await server.db.query('update blocklists set sequencer_key_id = $2 where id = $1', [id, keyId]);
      expect((await run(id)).lastError).toContain(`svc-server sequencer-keys set-token ${keyId}`);
      for (const token of ['shared-1', 'shared-2']) {
        const sealed = server.running.ctx.secrets.encrypt(token, { kind: 'sequencer key', id: keyId });
        await server.db.query('update sequencer_keys set token = $2 where id = $1', [keyId, sealed]);
        expect(await run(id)).toMatchObject({ status: 'SYNCED', syncedCount: 3, lastError: null });
        expect(server.sequencer.entries({ platform: 'smartlead', token })).toHaveLength(3);
      }
    });

    describe('lemlist', () => {
      const platform = 'lemlist';

      test('keeps the limit of calls, and sends every entry once', async () => {
        const members = addresses(100);
        const { id, token } = await server.makeList({ platform, members });
        server.sequencer.limitCalls(() => server.clock.now().getTime());
        expect(await run(id, 11_999)).toMatchObject({ status: 'SYNCING', syncedCount: 96, pendingCount: 4 });
        await server.settle(1);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 100, lastError: null });
        expect(server.sequencer.entries({ platform, token })).toEqual(members);
        expect(server.sequencer.requests()).toHaveLength(100);
      });

      test('two lists of one team exceed the limit together: they wait as asked, and lose and repeat nothing else', async () => {
        server.sequencer.limitCalls(() => server.clock.now().getTime());
        const token = 'one-team';
        const [first, second] = [
          await server.makeList({ platform, token, members: addresses(40, 'one.example.org') }),
          await server.makeList({ platform, token, members: addresses(40, 'two.example.org') }),
        ];
        await server.act(first.id, 'resync');
        expect(await run(second.id, 60_000)).toMatchObject({ status: 'SYNCED', syncedCount: 40, lastError: null });
        expect(await server.show(first.id)).toMatchObject({ status: 'SYNCED', syncedCount: 40, lastError: null });
        expect(server.sequencer.entries({ platform, token })).toHaveLength(80);
        // Only a call that was answered with 429 is repeated.
        expect(server.sequencer.requests().length).toBeLessThan(90);
      });

      test('a failure in mid-batch keeps what was added before it: only the entry without an answer is sent again', async () => {
        const members = addresses(30);
        const { id, token } = await server.makeList({ platform, members });
        let calls = 0;
        server.onCall((url) => {
          if (url.includes('/unsubscribes/') && (calls += 1) === 10) server.sequencer.failNext(1, 'lost-answer');
        });
        expect(await run(id)).toMatchObject({ status: 'SYNCING', syncedCount: 9, pendingCount: 21 });
        await server.settle(60_000);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 30, lastError: null });
        expect(server.sequencer.entries({ platform, token })).toEqual(members);
        expect([...sentCounts()].filter(([, count]) => count > 1)).toEqual([[members[9], 2]]);
      });

      test('a lasting failure in mid-batch counts what was added, and the next round pushes the rest', async () => {
        const members = addresses(10);
        const { id, token } = await server.makeList({ platform, members });
        let calls = 0;
        server.onCall((url) => {
          if (url.includes('/unsubscribes/') && (calls += 1) === 5) server.sequencer.failNext(1, 401);
        });
        expect(await run(id, HOUR_MS)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 4,
          pendingCount: 6,
          lastError: expect.stringContaining("lemlist refused the list's API key (401)"),
        });
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ syncedCount: 10, pendingCount: 0, lastError: null });
        expect(server.sequencer.entries({ platform, token })).toEqual(members);
        expect(server.sequencer.requests()).toHaveLength(11);
      });

      test('refused entries are skipped one by one, and reported', async () => {
        const members = addresses(60);
        const bad = [...members.slice(0, 4), ...members.slice(30, 33)];
        const { id, token } = await server.makeList({ platform, members });
        server.sequencer.refuseEntries(bad);
        expect(await run(id, HOUR_MS)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 53,
          pendingCount: 0,
          lastError: '7 entries were refused by the sequencer: a resync tries them again',
        });
        expect(server.sequencer.entries({ platform, token })).toEqual(
          members.filter((member) => !bad.includes(member)),
        );
        expect(Math.max(...sentCounts().values())).toBe(1);
      });

      test('when nothing is accepted the entries are not the cause: they stay pending, after ten calls', async () => {
        const members = addresses(40);
        const { id } = await server.makeList({ platform, members });
        server.sequencer.refuseEntries(members);
        expect(await run(id, HOUR_MS)).toMatchObject({
          status: 'CREATED',
          syncedCount: 0,
          pendingCount: 40,
          lastError: expect.stringContaining('lemlist refused the entries (400)'),
        });
        expect(server.sequencer.requests()).toHaveLength(10);
      });
    });

    describe('reply-io', () => {
      const platform = 'reply-io';

      test('entries that are invalid or were there before do not hold up the others', async () => {
        const members = addresses(250);
        const { id, token } = await server.makeList({ platform, members });
        const bad = members.slice(90, 130);
        server.sequencer.refuseEntries(bad);
        const refused = '40 entries were refused by the sequencer: a resync tries them again';
        expect(await run(id)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 210,
          pendingCount: 0,
          lastError: refused,
        });
        expect(server.sequencer.requests().map(({ values }) => values.length)).toEqual([100, 100, 50]);
        server.sequencer.refuseEntries([]);
        expect(await run(id)).toMatchObject({ status: 'SYNCED', syncedCount: 250, lastError: null });
        expect(server.sequencer.entries({ platform, token })).toEqual(members);
      });

      test('entries that were not added are sent again, those that were are not', async () => {
        const members = addresses(20);
        const { id, token } = await server.makeList({ platform, members });
        const late = members.slice(3, 6);
        server.sequencer.leaveOutEntries(late);
        expect(await run(id)).toMatchObject({ status: 'SYNCING', syncedCount: 17, pendingCount: 3, lastError: null });
        server.sequencer.leaveOutEntries([]);
        await server.settle(2_000);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 20, lastError: null });
        expect(server.sequencer.requests().map(({ values }) => values)).toEqual([members, late]);
        expect(server.sequencer.entries({ platform, token })).toEqual(members);
      });

      test('entries that are never added are given up for the day after ten attempts', async () => {
        const members = addresses(20);
        const { id } = await server.makeList({ platform, members });
        server.sequencer.leaveOutEntries(members.slice(0, 2));
        expect(await run(id, HOUR_MS)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 18,
          pendingCount: 2,
          lastError: 'The entries could not be pushed: Reply.io did not add 2 of 2 entries',
        });
        expect(server.sequencer.requests().length).toBeLessThanOrEqual(11);
      });
    });

    describe('emailbison', () => {
      const ofCompanies = { platform: 'emailbison', blockType: 'DOMAIN', objectType: 'companies' } as const;

      test('adds domains at the instance of the installation; those that are there already are no failure', async () => {
        const members = domains(70);
        const { id, token } = await server.makeList({ ...ofCompanies, members });
        expect(await run(id)).toMatchObject({ status: 'SYNCED', syncedCount: 70, lastError: null });
        expect(server.sequencer.entries({ platform: 'emailbison', token })).toEqual(members);
        expect(await run(id)).toMatchObject({ status: 'SYNCED', syncedCount: 70, lastError: null });
      });

      test('adds addresses to their own list', async () => {
        const members = addresses(3);
        const { id, token } = await server.makeList({ platform: 'emailbison', members });
        expect(await run(id)).toMatchObject({ status: 'SYNCED', syncedCount: 3, lastError: null });
        expect(server.sequencer.requests()).toEqual(
          members.map((email) => ({ path: '/api/blacklisted-emails', values: [email] })),
        );
        expect(server.sequencer.entries({ platform: 'emailbison', token })).toEqual(members);
      });

      test('calls the instance that the list names', async () => {
        const instanceUrl = 'https://send.northwind.example.com/app';
        const { id, token } = await server.makeList({ ...ofCompanies, members: domains(2), instanceUrl });
        expect(await run(id)).toMatchObject({ status: 'SYNCED', syncedCount: 2, lastError: null });
        expect(server.receiver.posts()).toMatchObject(
          domains(2).map((domain) => ({
            host: 'send.northwind.example.com',
            path: '/app/api/blacklisted-domains',
            headers: { authorization: `Bearer ${token}` },
            body: JSON.stringify({ domain }),
          })),
        );
        expect(server.sequencer.requests()).toEqual([]);
      });

      test('never calls a private address', async () => {
        const instanceUrl = 'https://10.0.0.7';
        const { id } = await server.makeList({ ...ofCompanies, members: domains(2), instanceUrl });
        expect(await run(id, HOUR_MS)).toMatchObject({
          status: 'CREATED',
          pendingCount: 2,
          lastError: expect.stringContaining('The address is private, local or reserved'),
        });
        expect(server.receiver.posts()).toEqual([]);
      });
    });
  });
});
