/**
 * What of `POST /syncs/:id/retry` depends on the database: calls during an attempt, and events that are gone. `writes/sync-retry.test.ts` of the
 * conformance suite proves what the API promises.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

/** A sync of the demo world that can be retried. */
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

    const retry = (id: number) =>
      server.post(`/api/v1/syncs/${id}/retry`, '', { authorization: 'Bearer osapi_demo_write' });
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
  });
});
