/**
 * Incidents of concurrent writes, and the statements that they cost, on both databases. `writes/sync-health.test.ts` of the conformance suite
 * proves when an incident begins and ends.
 */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const reply = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);

describe.each(backends)('sync health on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('events', () => {
    let server: TestServer;
    let posted = 0;
    beforeEach(async () => {
      server = await startTestServer(backend);
      await server.db.query('delete from webhook_deliveries');
      await server.db.query('delete from events');
      await server.db.query('delete from sync_health');
    });
    afterEach(async () => {
      await server.close();
    });

    /** Posts events whose CRM write is refused for good or accepted. */
    const postEvents = async (count: number, outcome: 'refused' | 'taken', source = 'demo-smartlead') => {
      for (let index = 0; index < count; index += 1) {
        posted += 1;
        await server.post(`/webhooks/${source}`, {
          ...reply,
          stats_id: `health-${posted}`,
          sl_lead_email: 'a@example.org',
        });
      }
      if (outcome === 'refused') server.crm.failNext(1_000, 400, { match: /upsert/ });
      await server.running.runner.runDue();
      if (outcome === 'refused') server.crm.reset();
      // Retries repair the connector's stale cache of the emptied CRM.
      for (let second = 0; second < 5; second += 1) {
        server.clock.advance(1_000);
        await server.running.runner.runDue();
      }
    };
    const events = async () => (await server.get('listEvents', '/api/v1/events')).json.data;

    test('concurrent workers raise one sync.failed', async () => {
      await postEvents(16, 'refused');
      expect(await events()).toHaveLength(1);
      const { rows } = await server.db.query('select consecutive_failures as n from sync_health where source_id = 1');
      expect(rows).toEqual([{ n: 16 }]);
    });

    describe('sent to webhooks', () => {
      const host = (index: number) => `webhook-${index}.example.com`;
      const createWebhooks = async (count: number) => {
        await server.db.query(`delete from webhooks`);
        for (let index = 0; index < count; index += 1) {
          const body = { url: `https://${host(index)}/hook` };
          const { status } = await server.post('/api/v1/webhooks', body, { authorization: 'Bearer osapi_demo_write' });
          expect(status).toBe(200);
        }
      };
      const notifiedHosts = () =>
        server.receiver
          .posts()
          .map((post) => post.host)
          .filter((name) => name.startsWith('webhook-'))
          .sort();

      test('an incident costs one statement, however many webhooks subscribe', async () => {
        await createWebhooks(6);
        const { transaction } = server.db;
        const statements: string[] = [];
        server.db.transaction = (work) =>
          transaction((tx) => {
            const query: typeof tx.query = (statement, values) => {
              statements.push(typeof statement === 'string' ? statement : statement.name);
              return tx.query(statement, values);
            };
            return work({ ...tx, query });
          });
        await postEvents(3, 'refused');
        server.db.transaction = transaction;
        expect(notifiedHosts()).toEqual(Array.from({ length: 6 }, (_, index) => host(index)));
        expect(statements.filter((name) => name === 'webhook-deliveries-insert')).toHaveLength(1);
      });

      test('an incident wakes the workers once its deliveries are committed', async () => {
        await createWebhooks(1);
        const { ctx } = server.running;
        const { wakeWorkers } = ctx;
        const jobsAtWake: Promise<{ rowCount: number }>[] = [];
        ctx.wakeWorkers = () => {
          jobsAtWake.push(server.db.query(`select from jobs where kind = 'deliver-webhook' and due_at = $1`, [at]));
        };
        const at = server.clock.now();
        await postEvents(3, 'refused');
        ctx.wakeWorkers = wakeWorkers;
        expect((await Promise.all(jobsAtWake)).filter(({ rowCount }) => rowCount === 1)).toHaveLength(1);
        expect(notifiedHosts()).toEqual([host(0)]);
      });
    });
  });
});
