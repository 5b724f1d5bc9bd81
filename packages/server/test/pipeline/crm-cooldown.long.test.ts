/** A CRM rate limit: one probe for a whole connection, on both databases, through real HTTP. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { postReply, settleWithin } from '../support/replies.ts';

const HOUR_MS = 60 * 60 * 1000;
/** The time in which all jobs that waited for an hour come due. */
const SPREAD_MS = HOUR_MS / 4;

describe.each(backends)('a CRM at its limit on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('cooldown', () => {
    let server: TestServer;
    let posted = 0;
    beforeEach(async () => {
      server = await startTestServer(backend);
      await server.db.query('delete from jobs');
      await server.db.query('delete from sync_health');
      server.crm.reset();
      server.clock.advance(1_000);
    });
    afterEach(async () => {
      await server.close();
    });

    const post = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        posted += 1;
        await postReply(server, `parked-${posted}`);
      }
      await server.running.runner.runDue();
    };
    const settle = (withinMs: number) => settleWithin(server, withinMs);
    const rows = async () =>
      (
        await server.db.query<{ id: number; status: string; code: string | null; retryOf: number | null }>(
          `select id, status, error->>'code' as code, retry_of_sync_id as "retryOf" from syncs
            where to_email like 'parked-%' order by id`,
        )
      ).rows;
    const statuses = async () => (await rows()).map(({ status }) => status);
    const calls = () => server.crm.requests().length;
    const limit = () => server.crm.failNext(1_000_000, 'daily');
    const waiting = async () =>
      (
        await server.db.query<{ due_at: Date }>(
          `select due_at from jobs where kind in ('write-crm', 'retry-sync') order by due_at, id`,
        )
      ).rows.map(({ due_at }) => due_at.getTime());

    test('one event gets an error row and probes; the others wait with it and each gets a row when written', async () => {
      limit();
      await post(1);
      expect(await rows()).toMatchObject([{ status: 'error', code: 'daily_limit_reached', retryOf: null }]);
      const before = calls();
      await post(30);
      expect(calls()).toBe(before);
      expect(await statuses()).toEqual(['error']);
      for (let hour = 1; hour <= 5; hour += 1) {
        await settle(HOUR_MS + SPREAD_MS);
        // A probe fails at its first call; at worst another one was due at the same moment.
        expect(calls() - before).toBeLessThanOrEqual(2 * hour);
      }
      expect(calls() - before).toBeGreaterThanOrEqual(4);
      expect(await statuses()).toEqual(['error']);
      server.crm.reset();
      await settle(2 * HOUR_MS);
      const made = await rows();
      expect(made.map(({ status }) => status)).toEqual(['error', ...Array.from({ length: 31 }, () => 'success')]);
      const retried = made.filter(({ retryOf }) => retryOf !== null);
      expect(retried).toMatchObject([{ status: 'success', retryOf: made[0]?.id }]);
      expect(await waiting()).toEqual([]);
      expect(server.crm.engagements()).toHaveLength(31);
    });

    test('jobs that run when the limit is reached get an error row too, and none afterwards', async () => {
      await post(0);
      limit();
      await post(8);
      await settle(0);
      const rowCount = (await rows()).length;
      await settle(3 * (HOUR_MS + SPREAD_MS));
      expect(await rows()).toHaveLength(rowCount);
    });

    test('the first probe is due when the cooldown ends, the other jobs are spread over the time after it', async () => {
      limit();
      await post(1);
      const end = server.clock.now().getTime() + HOUR_MS;
      await post(40);
      const due = await waiting();
      expect(due).toHaveLength(41);
      expect(due[0]).toBe(end);
      for (const at of due.slice(1)) {
        expect(at).toBeGreaterThan(end);
        expect(at).toBeLessThanOrEqual(end + SPREAD_MS);
      }
      expect(new Set(due).size).toBeGreaterThan(35);
    });

    test('one of many jobs that are due at once after the cooldown probes', async () => {
      limit();
      await post(1);
      await post(40);
      const before = calls();
      // As after a stop of the server.
      server.clock.advance(3 * HOUR_MS);
      await server.running.runner.runDue();
      expect(calls() - before).toBe(1);
      expect(await statuses()).toEqual(['error']);
    });

    test('another job probes when a probe never returned', async () => {
      limit();
      await post(1);
      await post(3);
      server.crm.reset();
      server.clock.advance(2 * HOUR_MS);
      // A worker that started a probe and died.
      await server.db.query('update connections set crm_parked_until = $1 where id = 1', [
        new Date(server.clock.now().getTime() + 60_000),
      ]);
      await settle(2 * HOUR_MS);
      expect((await statuses()).filter((status) => status === 'success')).toHaveLength(4);
    });

    // The statements are the same as above, so one database shows the rest.
    if (backend !== anyBackend) return;

    test('another failure of the probe ends the cooldown for all, and gets an error row', async () => {
      limit();
      await post(1);
      server.crm.reset();
      server.crm.failNext(1, 400);
      await settle(HOUR_MS);
      expect(await rows()).toMatchObject([
        { status: 'error', code: 'daily_limit_reached' },
        { status: 'error', code: 'refused' },
      ]);
      await post(1);
      await settle(10_000);
      expect((await statuses()).at(-1)).toBe('success');
    });

    test('a retry requested meanwhile waits too, and the event is written once', async () => {
      limit();
      await post(1);
      const [failed] = await rows();
      const before = calls();
      const authorization = 'Bearer osapi_demo_write';
      expect((await server.post(`/api/v1/syncs/${failed?.id}/retry`, '', { authorization })).status).toBe(200);
      await server.running.runner.runDue();
      expect(calls()).toBe(before);
      expect(await statuses()).toEqual(['error']);
      server.crm.reset();
      await settle(2 * HOUR_MS);
      expect(await rows()).toMatchObject([
        { status: 'error', retryOf: null },
        { status: 'success', retryOf: failed?.id },
      ]);
    });

    test('writes to other connections continue', async () => {
      await server.db.query(`update connections set crm_parked_until = $1 where id <> 1`, [
        new Date(server.clock.now().getTime() + HOUR_MS),
      ]);
      await post(1);
      await settle(10_000);
      expect(await statuses()).toEqual(['success']);
    });

    test('does not read a block list of the connection before the cooldown ends', async () => {
      limit();
      await post(1);
      const { rows: lists } = await server.db.query<{ id: number }>(
        `insert into blocklists (connection_id, list_name, crm, crm_list_id, platform, block_type, status, is_enabled,
            created_at)
          values (1, 'Parked', 'HUBSPOT', '4711', 'smartlead', 'ADDRESS', 'CREATED', true, $1) returning id`,
        [server.clock.now()],
      );
      const id = lists[0]?.id ?? 0;
      await server.db.query('update blocklists set sequencer_token = $2 where id = $1', [
        id,
        server.running.ctx.secrets.encrypt('key', { kind: 'sequencer token', id }),
      ]);
      const authorization = 'Bearer osapi_demo_write';
      const before = calls();
      expect((await server.post(`/api/v1/blocklists/${id}/resync`, '', { authorization })).status).toBe(200);
      await settle(HOUR_MS - 1_000);
      expect(calls()).toBe(before);
      server.crm.reset();
      server.crm.createList({ listId: '4711', name: 'Parked', objectType: 'contacts', members: ['a@example.org'] });
      await settle(HOUR_MS);
      const { rows: synced } = await server.db.query('select status, last_error from blocklists where id = $1', [id]);
      expect(synced).toEqual([{ status: 'SYNCED', last_error: null }]);
    });

    test("a list read that reaches the limit starts the connection's cooldown", async () => {
      const { rows: lists } = await server.db.query<{ id: number }>(
        `insert into blocklists (connection_id, list_name, crm, crm_list_id, platform, block_type, status, is_enabled,
            created_at)
          values (1, 'Parking', 'HUBSPOT', '4712', 'smartlead', 'ADDRESS', 'CREATED', true, $1) returning id`,
        [server.clock.now()],
      );
      limit();
      const authorization = 'Bearer osapi_demo_write';
      await server.post(`/api/v1/blocklists/${lists[0]?.id}/resync`, '', { authorization });
      await server.running.runner.runDue();
      const before = calls();
      await post(5);
      expect(calls()).toBe(before);
      expect(await statuses()).toEqual([]);
    });
  });
});
