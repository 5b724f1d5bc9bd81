/** `svc-server erase` beside working servers, killed anywhere, of one account, and what the API shows afterwards. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import type { Database } from '@svc/engine/store/database/db';
import { backends } from '@svc/engine/test/backends';
import { dumpRows } from '@svc/engine/test/database-content';
import { DELAY_MS } from '../support/forwarding-server.ts';
import {
  ANN,
  type ErasureServer,
  JOANN,
  linesOf,
  startErasureServer,
  TAGGED,
  tablesOf,
} from '../support/erasure-server.ts';

describe.each(backends)('erase on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('a person', () => {
    let on: ErasureServer;
    beforeAll(async () => {
      on = await startErasureServer(backend);
    });
    afterAll(() => on.server.close());
    beforeEach(() => on.reset());

    test('stays in the lists without an identity; look-ups, retries and replays find nothing', async () => {
      await on.live();
      const list = async (name: 'listSyncs' | 'listDeliveries', path: string) =>
        (await on.server.get(name, `/api/v1/${path}?${on.server.range()}`)).json.data as {
          id: number;
          toEmail: string;
          payloadId: number | null;
          error: unknown;
        }[];
      const syncs = await list('listSyncs', 'syncs');
      const deliveries = await list('listDeliveries', 'deliveries');
      const outreach = async () =>
        (await on.server.get('getContactOutreach', `/api/v1/contacts/outreach?email=${encodeURIComponent(ANN)}`)).json;
      expect((await outreach()).summary.totalEvents).toBeGreaterThan(0);
      await on.erase({ email: ANN, isConfirmed: true });
      const hide = (rows: typeof syncs) =>
        rows.map((row) => ({
          ...row,
          ...(row.toEmail === ANN
            ? { toEmail: 'erased', payloadId: null, error: row.error === null ? null : expect.anything() }
            : {}),
        }));
      expect(await list('listSyncs', 'syncs')).toEqual(hide(syncs));
      expect(await list('listDeliveries', 'deliveries')).toEqual(hide(deliveries));
      expect(await outreach()).toMatchObject({ summary: { totalEvents: 0 }, outcomes: { lastCategoryName: null } });
      const [sync, delivery] = [syncs, deliveries].map((rows) => rows.find(({ toEmail }) => toEmail === ANN)?.id);
      expect((await on.server.post(`/api/v1/syncs/${sync}/retry`, {}, on.authorization)).status).toBe(409);
      expect((await on.replay(delivery ?? 0)).status).toBe(404);
      const { mails } = await performAdmin(on.server.running.ctx, 'relays/log', {}, 'a test');
      const hers = mails.filter(({ lead }) => lead === 'erased');
      expect(hers.map(({ status }) => status)).toEqual(expect.arrayContaining(['sent', 'skipped']));
      await on.server.settle();
      const sent = on.server.mail.mails().length;
      for (const { id } of hers) {
        await performAdmin(on.server.running.ctx, 'relays/resend', { mailId: id, again: true }, 'a test').catch(
          () => {},
        );
        await on.server.settle();
      }
      expect(on.server.mail.mails()).toHaveLength(sent);
    });

    test('while servers work, nothing is left after its own jobs have ended', async () => {
      const people = [ANN, JOANN, TAGGED];
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => on.server.receive(on.reply(people[index % 3] ?? ANN))),
      );
      const working = on.server.settle();
      await on.erase({ email: ANN, isConfirmed: true });
      await working;
      await on.server.waitAndSettle(DELAY_MS);
      await on.erase({ email: ANN, isConfirmed: true });
      expect(await on.erase({ email: ANN, isConfirmed: true })).toMatchObject({ erased: [], waitingRequests: 0 });
      expect(tablesOf(linesOf(await dumpRows(on.db)))).toEqual([]);
      const { rows } = await on.db.query<{ recipient: string; written: number }>(
        `select to_email as recipient, count(*) as written from syncs
          where to_email = any($1) and created_at >= $2 group by 1`,
        [people, on.server.startedAt],
      );
      expect(Object.fromEntries(rows.map(({ recipient, written }) => [recipient, written]))).toEqual({
        [JOANN]: 10,
        [TAGGED]: 10,
      });
    });

    test('a repeated post of the sequencer is a duplicate', async () => {
      const post = on.reply(ANN);
      await on.server.receive(post);
      await on.server.settle();
      await on.erase({ email: ANN, isConfirmed: true });
      const again = await on.server.receive(post);
      await on.server.settle();
      expect((await on.db.query('select outcome from requests where id = $1', [again])).rows).toEqual([
        { outcome: 'duplicate' },
      ]);
      await on.erase({ email: ANN, isConfirmed: true });
    });

    test('an erasure that is interrupted anywhere is finished by the next one', async () => {
      await on.live();
      let left = 12;
      for (let isDone = false; !isDone; left += 12) {
        let statements = left;
        const dying: Database = {
          ...on.db,
          query: (statement, values) => {
            statements -= 1;
            if (statements < 0 && !JSON.stringify(statement).includes('audit_log')) throw new Error('killed');
            return on.db.query(statement, values);
          },
        };
        isDone = await on.erase({ email: ANN, isConfirmed: true }, dying).then(
          () => true,
          () => false,
        );
      }
      expect(left).toBeGreaterThan(24);
      expect(tablesOf(linesOf(await dumpRows(on.db)))).toEqual(['blocklist_entries']);
    });

    test('of one account only, with --account; other names of the person are reported', async () => {
      const profile = 'https://linkedin.com/in/ann-annquist';
      await on.db.query(
        `insert into syncs (account_id, connection_id, status, event_type, to_email, platform, created_at)
          select account_id, id, 'error', 'EMAIL_SENT', $1, 'smartlead', $2 from connections where id in (1, 5, 6, 7)`,
        [ANN, on.server.clock.now()],
      );
      await on.db.query(
        `insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform, normalized, created_at)
          values (1, 1, 1, $2, 'EMAIL_SENT', $1, 'smartlead', $3, $4)`,
        [ANN, `sent to ${ANN}`, { contact: { email: ANN, profileUrl: profile } }, on.server.clock.now()],
      );
      const owners = async () =>
        (
          await on.db.query<{ id: number }>(
            'select distinct account_id as id from syncs where to_email = $1 order by 1',
            [ANN],
          )
        ).rows.map(({ id }) => id);
      const [own, ...others] = await owners();
      expect(others.length).toBeGreaterThan(0);
      const report = await on.erase({ email: ANN, accountId: own, isConfirmed: true });
      expect(report).toMatchObject({ accountId: own, otherIdentities: [profile] });
      expect(await owners()).toEqual(others);
      expect(
        (await on.db.query(`select event_key as key from inbound_events where event_key like 'erased %'`)).rows,
      ).toHaveLength(1);
      await on.erase({ email: ANN, isConfirmed: true });
      expect(await owners()).toEqual([]);
    });
  });
});
