/** The share of a CRM's day, on both databases, through real HTTP: what waits, what it says, and how it goes on. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkInstallation } from '@svc/operations/doctor/installation';
import { listConnections } from '@svc/operations/implemented/connections';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { postReply, settleWithin } from '../support/replies.ts';
import { parseScrape } from '../support/scrape.ts';

const HOUR_MS = 60 * 60 * 1000;
/** 80 % of it are 400 calls, of which 20 are kept back. */
const DAY = { max: 1_000_000, intervalMs: 10_000, daily: 500 };

describe.each(backends)("the share of a CRM's day on $name", (backend) => {
  describe.skipIf(!backend.isAvailable)('used up', () => {
    let server: TestServer;
    const logged: { level: number; msg: string }[] = [];
    let posted = 0;
    beforeAll(async () => {
      const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) });
      server = await startTestServer(backend, { log });
      await server.db.query('delete from jobs');
      await server.db.query('delete from sync_health');
      await server.db.query('update blocklists set is_enabled = false');
      server.crm.reset();
    });
    afterAll(async () => {
      await server.close();
    });

    const post = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        posted += 1;
        await postReply(server, `share-${posted}`);
      }
      await server.running.runner.runDue();
    };
    const settle = (withinMs: number) => settleWithin(server, withinMs);
    const syncs = async () =>
      (
        await server.db.query<{ status: string; code: string | null }>(
          `select status, error->>'code' as code from syncs where to_email like 'share-%' order by id`,
        )
      ).rows;
    const statusOfConnection = async () => {
      const { json } = await server.get('getAccountStatus', '/api/v1/account/status');
      const { crmConnection } = json.connections.find(
        ({ connectionId }: { connectionId: number }) => connectionId === 1,
      );
      const { rows } = await server.db.query<{ error: string | null }>(
        'select recorded_error as error from connections where id = 1',
      );
      return { status: crmConnection.status, error: rows[0]?.error };
    };
    const linesOfDoctor = async () => {
      const { checks } = await checkInstallation.run(server.running.ctx, {});
      return checks.filter(({ name }) => name === 'CRM daily share').map(({ message }) => message);
    };
    const noticesOfList = async () =>
      (await listConnections.run(server.running.ctx, {})).notices.filter((notice) => notice.includes('of the day'));
    const stops = async () =>
      parseScrape(await (await fetch(`${server.url}/metrics`)).text()).get(
        'svc_crm_daily_share_reached{crm="HUBSPOT"}',
      );
    const warnings = () => logged.filter(({ msg }) => /share of the daily limit|counts a new day/.test(msg));

    test('calls stop within the share, one event gets an error row, and everything says why', async () => {
      server.crm.setRateLimit(DAY);
      await post(1);
      expect(await statusOfConnection()).toEqual({ status: 'ready', error: null });
      // Another app of the account.
      const others = 330 - server.crm.requests().length;
      for (let call = 0; call < others; call += 100) {
        await Promise.all(
          Array.from({ length: Math.min(100, others - call) }, () =>
            fetch(`${server.crm.url}/crm/owners/2026-09`, { headers: { authorization: 'Bearer of-another-app' } }),
          ),
        );
      }
      const before = server.crm.requests().length;
      for (let round = 0; round < 10; round += 1) await post(3);
      await settle(60_000);
      const used = server.crm.requests().length - before;
      expect(used).toBeGreaterThan(20);
      expect(used).toBeLessThanOrEqual(50);
      const rows = await syncs();
      expect(rows.filter(({ status }) => status === 'error')).toEqual([
        { status: 'error', code: 'daily_limit_reached' },
      ]);
      expect(rows.length).toBeLessThan(posted);
      expect(await statusOfConnection()).toEqual({
        status: 'error',
        error:
          'The share of the daily limit of calls to HUBSPOT is used up: writing goes on once HUBSPOT counts a new day.',
      });
      const text = /connection 1 \(HUBSPOT\) wait since 2026-.*has used 3\d\d of its 500 calls to HUBSPOT of the day/;
      expect(await linesOfDoctor()).toEqual([expect.stringMatching(text)]);
      expect(await noticesOfList()).toEqual([expect.stringMatching(text)]);
      expect(await stops()).toBe(1);
      expect(warnings()).toMatchObject([{ level: 40 }]);
    });

    test('while it is used up, one call an hour is made, and no row is added', async () => {
      const [calls, rows] = [server.crm.requests().length, await syncs()];
      for (let hour = 1; hour <= 6; hour += 1) {
        await settle(HOUR_MS);
        expect(server.crm.requests().length - calls).toBeLessThanOrEqual(hour);
      }
      expect(server.crm.requests().length - calls).toBeGreaterThanOrEqual(3);
      expect(await syncs()).toEqual(rows);
      expect(await linesOfDoctor()).toHaveLength(1);
      expect(warnings()).toHaveLength(1);
    });

    test('when the CRM counts a new day, all that waited is written, and nothing says otherwise', async () => {
      server.crm.setRateLimit(DAY);
      await settle(3 * HOUR_MS);
      const rows = await syncs();
      expect(rows.filter(({ status }) => status === 'success')).toHaveLength(posted);
      expect(server.crm.engagements()).toHaveLength(posted);
      expect(await statusOfConnection()).toEqual({ status: 'ready', error: null });
      expect(await linesOfDoctor()).toEqual([]);
      expect(await noticesOfList()).toEqual([]);
      expect(await stops()).toBe(0);
      expect(warnings()).toMatchObject([{ level: 40 }, { level: 30 }]);
    });
  });
});
