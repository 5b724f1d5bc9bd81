/** `POST /syncs/:id/retry` from the call to the CRM and back to the list, on both databases, through real HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

/** Syncs of the demo world by retry eligibility. */
const RETRYABLE = 1;

describe.each(backends)('retrySync on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('operation', () => {
    let server: TestServer;
    let beforeCrmCall = async () => {};
    beforeAll(async () => {
      server = await startTestServer(backend, {
        fetch: async (input, init) => {
          await beforeCrmCall();
          return fetch(input, init);
        },
      });
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(async () => {
      server.crm.reset();
      await server.db.query(`delete from jobs where kind = 'retry-sync'`);
      server.clock.advance(1_000);
    });

    const retry = (id: number | string, key = 'osapi_demo_write') =>
      server.post(`/api/v1/syncs/${id}/retry`, '', { authorization: `Bearer ${key}` });
    const retriesOf = async (id: number) =>
      (
        await server.db.query<{ id: number; status: string; to_email: string; error: { code: string } | null }>(
          'select id, status, to_email, error from syncs where retry_of_sync_id = $1 order by id',
          [id],
        )
      ).rows;
    const settle = async () => {
      for (let second = 0; second < 5; second += 1) {
        await server.running.runner.runDue();
        server.clock.advance(1_000);
      }
    };
    const withStatus = (status: string, connectionId: number) =>
      server.world.syncs.find((sync) => sync.status === status && sync.connectionId === connectionId)?.id ?? 0;

    test('200: writes the event again as a new row and keeps the failed one', async () => {
      const before = await server.get('getSync', `/api/v1/syncs/${RETRYABLE}`);
      expect(await retry(RETRYABLE)).toMatchObject({ status: 200, json: { queued: true, syncId: RETRYABLE } });
      await settle();
      const [made] = await retriesOf(RETRYABLE);
      expect(made).toMatchObject({ status: 'success', to_email: before.json.toEmail, error: null });
      expect(server.crm.engagements()).toHaveLength(1);
      expect((await server.get('getSync', `/api/v1/syncs/${RETRYABLE}`)).json).toEqual(before.json);
      const shown = await server.get('getSync', `/api/v1/syncs/${made?.id}`);
      expect(shown.json).toMatchObject({ status: 'success', payloadId: before.json.payloadId });
    });

    test('200 for a second call while the first is queued, without a second job', async () => {
      const already = (await retriesOf(RETRYABLE)).length;
      const answers = await Promise.all([retry(RETRYABLE), retry(RETRYABLE), retry(RETRYABLE)]);
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
      await settle();
      expect(await retriesOf(RETRYABLE)).toHaveLength(already + 1);
    });

    test('200 for calls during an attempt, which cause one more attempt after it', async () => {
      const already = (await retriesOf(RETRYABLE)).length;
      const called = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<void>();
      beforeCrmCall = async () => {
        called.resolve();
        await answer.promise;
      };
      await retry(RETRYABLE);
      const settled = settle();
      await called.promise;
      const answers = await Promise.all([retry(RETRYABLE), retry(RETRYABLE)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(server.crm.requests()).toEqual([]);
      beforeCrmCall = async () => {};
      answer.resolve();
      await settled;
      expect((await retriesOf(RETRYABLE)).slice(already).map(({ status }) => status)).toEqual(['success', 'success']);
      // Both attempts wrote the same engagement, one after the other.
      expect(server.crm.engagements()).toHaveLength(1);
    });

    test('200 with a connection-scoped write key', async () => {
      expect((await retry(RETRYABLE, 'osapi_demo_connection')).status).toBe(200);
    });

    test('200 while the CRM is disconnected: queued anyway, and the new row says why it failed', async () => {
      const { rows } = await server.db.query<{ crm_token: string }>('select crm_token from connections where id = 1');
      await server.db.query('update connections set crm_token = null where id = 1');
      expect((await retry(RETRYABLE)).status).toBe(200);
      await settle();
      await server.db.query('update connections set crm_token = $1 where id = 1', [rows[0]?.crm_token]);
      expect((await retriesOf(RETRYABLE)).at(-1)).toMatchObject({
        status: 'error',
        error: { code: 'crm_disconnected' },
      });
    });

    test('a CRM error about the whole connection is recorded on it once, until a success', async () => {
      const recorded = async () => {
        await retry(RETRYABLE);
        await settle();
        const { rows } = await server.db.query<{ error: string | null; version: string }>(
          'select recorded_error as error, xmin::text as version from connections where id = 1',
        );
        return rows[0];
      };
      server.crm.failNext(1_000, 403);
      const refused = await recorded();
      expect(refused?.error).toMatch(/^HUBSPOT refuses access/);
      expect(await recorded()).toEqual(refused);
      server.crm.reset();
      server.crm.failNext(1, 'daily');
      expect((await recorded())?.error).toMatch(/^The daily limit of calls to HUBSPOT is reached/);
      await server.db.query('update connections set crm_parked_until = null where id = 1');
      await server.db.query('delete from crm_quotas where connection_id = 1');
      await server.db.query(`delete from jobs where kind = 'retry-sync'`);
      const written = await recorded();
      expect(written?.error).toBeNull();
      expect(await recorded()).toEqual(written);
      // A concurrent write records an error after this one began: the success is newer.
      beforeCrmCall = async () => {
        await server.db.query(`update connections set recorded_error = 'of another write' where id = 1`);
      };
      const overtaken = await recorded();
      beforeCrmCall = async () => {};
      expect(overtaken?.error).toBeNull();
      server.crm.failNext(1, 403, { match: /associations/ });
      expect((await recorded())?.error).toMatch(/^HUBSPOT refuses access/);
      expect((await retriesOf(RETRYABLE)).at(-1)).toMatchObject({ status: 'warning', error: { code: 'forbidden' } });
    });

    test('a deleted payload leaves a row that says so', async () => {
      const { rows } = await server.db.query<{ id: number }>(
        `select syncs.id from syncs join requests on requests.id = syncs.payload_id
          where syncs.connection_id = 1 and syncs.status = 'error' and syncs.source_id is not null and syncs.id <> $1
          order by syncs.id limit 1`,
        [RETRYABLE],
      );
      const id = rows[0]?.id ?? 0;
      await server.db.query('update requests set body = null where id = (select payload_id from syncs where id = $1)', [
        id,
      ]);
      const failures = async () => {
        const { rows: health } = await server.db.query<{ n: number }>(
          `select consecutive_failures as n from sync_health
            where connection_id = 1 and source_id = (select source_id from syncs where id = $1)`,
          [id],
        );
        return health[0]?.n ?? 0;
      };
      const before = await failures();
      expect((await retry(id)).status).toBe(200);
      await settle();
      expect(await retriesOf(id)).toMatchObject([{ status: 'error', error: { code: 'payload_unreadable' } }]);
      expect(await failures()).toBe(before + 1);
    });

    test('a sync whose event has no content any more leaves a row that says so, and calls no CRM', async () => {
      expect((await retry(RETRYABLE)).status).toBe(200);
      await settle();
      server.crm.reset();
      await server.db.query(
        `with retried as (update syncs set inbound_event_id = made.inbound_event_id from syncs made
            where made.retry_of_sync_id = $1 and syncs.id = $1 and made.inbound_event_id is not null
            returning made.inbound_event_id as id)
          update inbound_events set to_email = '', normalized = '{}' from retried where inbound_events.id = retried.id`,
        [RETRYABLE],
      );
      const already = (await retriesOf(RETRYABLE)).length;
      expect((await retry(RETRYABLE)).status).toBe(200);
      await settle();
      expect((await retriesOf(RETRYABLE)).slice(already)).toMatchObject([
        { status: 'error', error: { code: 'payload_unreadable' } },
      ]);
      expect(server.crm.requests()).toEqual([]);
    });

    test("403 for a read key even with an unknown sync, with the write actions' message", async () => {
      for (const id of [RETRYABLE, 99_999_999, 'x']) {
        const answer = await retry(id, 'osapi_demo_read');
        expect([answer.status, answer.json.message]).toEqual([403, 'API key requires the "write" scope']);
      }
    });

    test('404 for a sync of another tenant or of a connection without API access, and an invalid id', async () => {
      for (const id of [withStatus('error', 5), withStatus('error', 4), 99_999_999, 0, 'x']) {
        const answer = await retry(id);
        expect([answer.status, answer.json.message]).toEqual([404, `Sync ${id} not found`]);
      }
    });

    test('409 for a sync that did not fail, one without context, and a CRM without retries', async () => {
      const withoutContext = server.world.syncs.filter(
        (sync) =>
          sync.status === 'error' && sync.connectionId === 1 && (sync.sourceId === null || sync.payloadId === null),
      );
      expect(withoutContext.length).toBeGreaterThan(1);
      const cases: [number, string][] = [
        [withStatus('success', 1), 'Sync is not eligible for retry'],
        [withStatus('warning', 1), 'Sync is not eligible for retry'],
        ...withoutContext.map((sync): [number, string] => [sync.id, 'Sync is not eligible for retry']),
        [
          server.world.syncs.find(
            (sync) =>
              sync.status === 'error' && sync.connectionId === 3 && sync.sourceId !== null && sync.payloadId !== null,
          )?.id ?? 0,
          'Retry is only supported for HubSpot and Salesforce syncs',
        ],
      ];
      for (const [id, message] of cases) {
        const answer = await retry(id);
        expect([id, answer.status, answer.json.message]).toEqual([id, 409, message]);
      }
      const { rowCount } = await server.db.query(`select from jobs where kind = 'retry-sync'`);
      expect(rowCount).toBe(0);
    });
  });
});
