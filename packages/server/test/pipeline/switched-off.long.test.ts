/** Capabilities that are switched off while work is queued, on both databases: queued jobs check again. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import {
  addresses,
  type BlocklistServer,
  expectCountsToHold,
  startBlocklistServer,
} from '../support/blocklist-server.ts';

const reply = JSON.parse(
  await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
);
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const NOT_ENABLED = 'Block lists are not enabled for this connection';

describe.each(backends)('a capability switched off on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('with work queued', () => {
    let server: BlocklistServer;
    beforeEach(async () => {
      server = await startBlocklistServer(backend);
      await server.reset();
      server.crm.reset();
      await server.db.query('delete from sync_health');
    });
    afterEach(async () => {
      await server.close();
    });
    const set = (capability: 'sync' | 'blocklists', isOn: boolean) =>
      server.db.query(`update connections set capability_${capability} = $1 where id = 1`, [isOn]);

    describe('sync', () => {
      const post = async (id: string) => {
        const body = { ...reply, stats_id: `off-${id}`, sl_lead_email: `switched-off-${id}@example.org` };
        expect((await server.post('/webhooks/demo-smartlead', body)).status).toBe(200);
      };
      const syncs = async () =>
        (
          await server.db.query<{ id: number; status: string; code: string | null; retryOf: number | null }>(
            `select id, status, error->>'code' as code, retry_of_sync_id as "retryOf" from syncs
              where to_email like 'switched-off-%' order by id`,
          )
        ).rows;
      const failures = async () =>
        (await server.db.query<{ n: number }>('select consecutive_failures as n from sync_health')).rows;
      const retry = async (id: number | undefined) => {
        const authorization = 'Bearer osapi_demo_write';
        expect((await server.post(`/api/v1/syncs/${id}/retry`, '', { authorization })).status).toBe(200);
      };

      test('an event that waits for its next attempt ends without a call or a row', async () => {
        server.crm.failNext(1, 503);
        await post('tried');
        await server.running.runner.runDue();
        const calls = server.crm.requests().length;
        expect(calls).toBe(1);
        await set('sync', false);
        await server.settle(HOUR_MS);
        expect(server.crm.requests()).toHaveLength(calls);
        expect(await syncs()).toEqual([]);
        expect(await server.jobs()).toEqual([]);
        expect(await failures()).toEqual([]);
      });

      test('an event in a cooldown keeps its row and gets no other', async () => {
        server.crm.failNext(1, 'daily');
        await post('parked');
        await server.settle();
        await set('sync', false);
        const calls = server.crm.requests().length;
        await server.settle(2 * HOUR_MS);
        expect(server.crm.requests()).toHaveLength(calls);
        expect(await syncs()).toMatchObject([{ status: 'error', code: 'daily_limit_reached' }]);
        expect(await server.jobs()).toEqual([]);
      });

      test('a requested retry gets a row that says so, and counts as a failure', async () => {
        server.crm.failNext(1, 400);
        await post('retried');
        await server.settle();
        const [failed] = await syncs();
        await retry(failed?.id);
        await set('sync', false);
        const calls = server.crm.requests().length;
        await server.settle();
        expect(server.crm.requests()).toHaveLength(calls);
        expect(await syncs()).toMatchObject([
          { status: 'error', code: 'refused' },
          { status: 'error', code: 'sync_disabled', retryOf: failed?.id },
        ]);
        expect(await failures()).toEqual([{ n: 2 }]);
        await set('sync', true);
        await retry(failed?.id);
        await server.settle(10_000);
        expect((await syncs()).at(-1)).toMatchObject({ status: 'success', retryOf: failed?.id });
      });

      test('a retry in a cooldown already has its row', async () => {
        server.crm.failNext(1, 400);
        await post('retried-parked');
        await server.settle();
        const [failed] = await syncs();
        server.crm.failNext(1, 'daily');
        await retry(failed?.id);
        await server.settle();
        await set('sync', false);
        await server.settle(2 * HOUR_MS);
        expect((await syncs()).map(({ code }) => code)).toEqual(['refused', 'daily_limit_reached']);
        expect(await server.jobs()).toEqual([]);
      });
    });

    describe('blocklists', () => {
      test('a queued fetch reads nothing; the list is idle and says why', async () => {
        const { id } = await server.makeList();
        expect((await server.act(id, 'resync')).status).toBe(200);
        await set('blocklists', false);
        await server.settle();
        expect(server.crm.requests()).toEqual([]);
        expect(await server.show(id)).toMatchObject({
          status: 'CREATED',
          isEnabled: true,
          lastError: `The CRM list could not be read: ${NOT_ENABLED}`,
        });
        await expectCountsToHold(server, id);
        await server.settle(3 * DAY_MS);
        expect(server.crm.requests()).toEqual([]);
        await set('blocklists', true);
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 3, lastError: null });
      });

      test('a fetch between two job runs reads no further', async () => {
        const { id } = await server.makeList({ members: addresses(2_000) });
        let pages = 0;
        server.onCall(async (url) => {
          if (url.includes('/memberships') && (pages += 1) === 5) await set('blocklists', false);
        });
        await server.act(id, 'resync');
        await server.settle(HOUR_MS);
        expect(pages).toBe(5);
        expect(await server.show(id)).toMatchObject({
          status: 'CREATED',
          lastError: expect.stringContaining(NOT_ENABLED),
        });
        await expectCountsToHold(server, id);
      });

      test('a push ends after its current batch, which counts; the next round pushes the rest', async () => {
        const { id, token } = await server.makeList({ members: addresses(1_100) });
        let batches = 0;
        server.onCall(async (url) => {
          if (url.includes('block-list') && (batches += 1) === 1) await set('blocklists', false);
        });
        await server.act(id, 'resync');
        await server.settle(HOUR_MS);
        expect(batches).toBe(1);
        expect(await server.show(id)).toMatchObject({
          status: 'SYNCED',
          syncedCount: 500,
          pendingCount: 600,
          lastError: `The entries could not be pushed: ${NOT_ENABLED}`,
        });
        await expectCountsToHold(server, id);
        await set('blocklists', true);
        await server.settle(DAY_MS);
        expect(await server.show(id)).toMatchObject({ status: 'SYNCED', syncedCount: 1_100, lastError: null });
        expect(server.sequencer.entries({ platform: 'smartlead', token })).toHaveLength(1_100);
      });
    });
  });
});
