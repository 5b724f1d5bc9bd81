/**
 * From a sequencer's POST to its receipt, syncs and CRM engagement, on both databases, over real HTTP. `writes/inbound.test.ts` of the
 * conformance suite proves what the API shows.
 */
import { readFile } from 'node:fs/promises';
import { readPayloads } from '@svc/fixtures/payloads.ts';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertNewRow } from '@svc/engine/store/database/rows';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const payloads = new URL('../../../../fixtures/payloads/', import.meta.url);
const vectors = readPayloads().filter(({ kind }) => kind !== 'published');

const readPayload = (file: string) => readFile(new URL(file, payloads), 'utf8');

/** One of each platform and outcome: the tests of `sequencers` and `e2e/every-platform.test.ts` read the others. */
const fewVectors = [
  ...new Map(vectors.map((vector) => [`${vector.platform} ${vector.expect.outcome}`, vector])).values(),
];

describe.each(backends)('the main job on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('inbound to CRM', () => {
    let server: TestServer;
    let firstId: number;
    let logged: string;
    beforeAll(async () => {
      const sink = {
        write: (line: string) => {
          logged += line;
        },
      };
      server = await startTestServer(backend, { log: pino({ level: 'debug' }, sink) });
      // In the demo world not every platform has a source on this connection.
      for (const platform of new Set(vectors.map((vector) => vector.platform))) {
        const row = { connectionId: 1, platform, path: `hubspot-${platform}`, createdAt: server.clock.now() };
        await insertNewRow(server.db, 'sources', row, 'path');
      }
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(async () => {
      logged = '';
      server.crm.reset();
      await server.db.query('truncate inbound_events, crm_records');
      const { rows } = await server.db.query<{ id: number }>('select coalesce(max(id), 0) + 1 as id from requests');
      firstId = rows[0]?.id ?? 0;
      server.clock.advance(1_000);
    });

    async function receipts(): Promise<{ id: number; outcome: string | null; outcome_reason: string | null }[]> {
      const { rows } = await server.db.query<{ id: number; outcome: string | null; outcome_reason: string | null }>(
        'select id, outcome, outcome_reason from requests where id >= $1 order by id',
        [firstId],
      );
      return rows;
    }
    const syncs = async (requestId: number) =>
      (
        await server.db.query<Record<string, unknown>>(
          'select status, event_type, to_email, platform, error, retry_of_sync_id from syncs where payload_id = $1 order by id',
          [requestId],
        )
      ).rows;
    /** Runs due jobs, and advances the clock while a write waits for its retry. */
    async function settle(): Promise<void> {
      await server.running.runner.runDue();
      for (let second = 0; second < 60; second += 1) {
        const { rowCount } = await server.db.query(`select from jobs where kind = 'write-crm'`);
        if (rowCount === 0) return;
        server.clock.advance(1_000);
        await server.running.runner.runDue();
      }
    }
    const reply = async (changes: object = {}) => ({
      ...JSON.parse(await readPayload('smartlead/email-reply.json')),
      ...changes,
    });

    test.each(fewVectors)('keeps $platform/$name and creates its events', async (vector) => {
      const answer = await server.post(`/webhooks/hubspot-${vector.platform}`, vector.text, vector.headers);
      expect(answer).toMatchObject({ status: 200, json: { received: true, requestId: expect.any(Number) } });
      await settle();
      const [receipt] = await receipts();
      const rows = await syncs(answer.json.requestId);
      const { outcome, events = [] } = vector.expect;
      if (outcome === 'events') {
        expect(receipt?.outcome).toBe('synced');
        expect(rows.map((row) => [row['event_type'], row['to_email'], row['status']])).toEqual(
          events.map((event) => [event.eventType, event.toEmail, 'success']),
        );
        expect(server.crm.engagements()).toHaveLength(events.length);
      } else {
        expect(receipt).toMatchObject({ outcome, outcome_reason: expect.any(String) });
        expect(rows).toEqual([]);
        expect(server.crm.engagements()).toEqual([]);
      }
    });

    test('a receipt that is read as a whole is not written again, and a repeat is', async () => {
      const places = async () =>
        (
          await server.db.query<{ place: string }>(
            'select ctid::text as place from requests where id >= $1 order by id',
            [firstId],
          )
        ).rows.map(({ place }) => place);
      await server.post('/webhooks/demo-smartlead', await reply());
      await server.post('/webhooks/demo-smartlead', await reply());
      const before = await places();
      await settle();
      const after = await places();
      expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false]);
      expect((await receipts()).map(({ outcome }) => outcome)).toEqual(['synced', 'duplicate']);
    });

    const outcomeLines = () =>
      logged.split('\n').flatMap((line) => (line.includes('"outcome"') ? [JSON.parse(line)] : []));

    test('in the log a repeat is a line at debug level', async () => {
      await server.post('/webhooks/demo-smartlead', await reply());
      await settle();
      const answer = await server.post('/webhooks/demo-smartlead', await reply());
      await settle();
      expect(outcomeLines()).toEqual([
        expect.objectContaining({ level: 20, outcome: 'duplicate', requestId: answer.json.requestId }),
      ]);
    });

    test('in the log payloads that are not understood are a warning once an hour, else lines at debug level', async () => {
      const requestIds: unknown[] = [];
      // The first hour ends warnings of other tests.
      for (const [index, hours] of [1, 0, 1].entries()) {
        server.clock.advance(hours * 3_600_000);
        const answer = await server.post('/webhooks/demo-smartlead', { unknown: index });
        await settle();
        requestIds.push(answer.json.requestId);
      }
      const line = { outcome: 'unparsed', reason: expect.any(String) };
      expect(outcomeLines()).toEqual(
        [40, 20, 40].map((level, index) => expect.objectContaining({ ...line, level, requestId: requestIds[index] })),
      );
    });

    test('stores, answers and writes each of many concurrent posts once', async () => {
      const bodies = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          reply({ stats_id: `s-${index}`, sl_lead_email: `l${index}@example.org` }),
        ),
      );
      const answers = await Promise.all(bodies.map((body) => server.post('/webhooks/demo-smartlead', body)));
      expect(new Set(answers.map((answer) => answer.json.requestId)).size).toBe(50);
      await settle();
      expect(server.crm.engagements()).toHaveLength(50);
      expect(server.crm.contacts()).toHaveLength(50);
    });

    test('does not store credentials from headers', async () => {
      await server.post('/webhooks/demo-smartlead', await reply(), {
        authorization: 'Bearer x',
        cookie: 'a=b',
        'x-request-id': 'r-1',
      });
      await settle();
      const { rows } = await server.db.query<{ headers: object }>('select headers from requests where id >= $1', [
        firstId,
      ]);
      expect(Object.keys(rows[0]?.headers ?? {}).sort()).toEqual(['content-type', 'user-agent', 'x-request-id']);
    });

    // What follows a failure does not depend on the database.
    if (backend !== anyBackend) return;

    describe('when the CRM fails', () => {
      test('a lasting failure becomes one error after a minute, and the event is tried on', async () => {
        server.crm.failNext(1_000, 503);
        const answer = await server.post('/webhooks/demo-smartlead', await reply());
        const startedMs = server.clock.now().getTime();
        let endedMs = 0;
        for (let second = 0; second < 120 && endedMs === 0; second += 1) {
          await server.running.runner.runDue();
          if ((await syncs(answer.json.requestId)).length > 0) endedMs = server.clock.now().getTime();
          server.clock.advance(1_000);
        }
        expect(await syncs(answer.json.requestId)).toMatchObject([{ status: 'error', error: { httpStatus: 503 } }]);
        expect(endedMs - startedMs).toBeGreaterThan(25_000);
        expect(endedMs - startedMs).toBeLessThanOrEqual(60_000);
        expect((await server.db.query(`select from jobs where kind = 'write-crm'`)).rowCount).toBe(1);
      });

      test('a lost answer is retried with the same key and creates one engagement', async () => {
        server.crm.failNext(1, 'lost-answer', { match: /upsert/ });
        const answer = await server.post('/webhooks/demo-smartlead', await reply());
        for (let second = 0; second < 5; second += 1) {
          await server.running.runner.runDue();
          server.clock.advance(1_000);
        }
        expect(await syncs(answer.json.requestId)).toMatchObject([{ status: 'success' }]);
        expect(server.crm.engagements()).toHaveLength(1);
      });

      test('a refused token disconnects the connection, and later syncs say why they failed', async () => {
        const { rows } = await server.db.query<{ crm_token: string }>('select crm_token from connections where id = 1');
        server.crm.failNext(1, 401);
        const first = await server.post('/webhooks/demo-smartlead', await reply());
        await server.running.runner.runDue();
        expect(await syncs(first.json.requestId)).toMatchObject([{ status: 'error', error: { httpStatus: 401 } }]);
        const status = await server.get('getAccountStatus', '/api/v1/account/status');
        expect(status.json.blockers).toMatchObject([{ connectionId: 1 }, { connectionId: 3 }]);

        const second = await server.post('/webhooks/demo-smartlead', await reply({ stats_id: 'another' }));
        await server.running.runner.runDue();
        expect(await syncs(second.json.requestId)).toMatchObject([
          { status: 'error', error: { code: 'crm_disconnected' } },
        ]);
        await server.db.query('update connections set crm_token = $1 where id = 1', [rows[0]?.crm_token]);
      });

      test('a CRM that asks for a longer wait causes an error row now and a new row after the wait', async () => {
        server.crm.failNext(1, 429, { retryAfterSeconds: 3_600 });
        const answer = await server.post('/webhooks/demo-smartlead', await reply());
        await server.running.runner.runDue();
        expect(await syncs(answer.json.requestId)).toMatchObject([{ status: 'error' }]);
        server.clock.advance(3_599_000);
        await server.running.runner.runDue();
        expect(await syncs(answer.json.requestId)).toHaveLength(1);
        server.clock.advance(2_000);
        await server.running.runner.runDue();
        // Another job of the connection, such as a block list's, may have sent the first probe.
        server.clock.advance(5 * 60_000);
        await server.running.runner.runDue();
        expect(await syncs(answer.json.requestId)).toMatchObject([
          { status: 'error', retry_of_sync_id: null },
          { status: 'success', retry_of_sync_id: expect.any(Number) },
        ]);
      });

      test('an unsupported CRM is reported, unless the connection is disconnected', async () => {
        const send = async (emailId: string) => {
          const payload = JSON.parse(await readPayload('instantly/email-sent.json'));
          const body = JSON.stringify({ ...payload, email_id: emailId });
          const { json } = await server.post('/webhooks/demo-instantly-pipedrive', body);
          await server.running.runner.runDue();
          return syncs(json.requestId);
        };
        expect(await send('disconnected')).toMatchObject([{ status: 'error', error: { code: 'crm_disconnected' } }]);
        const token = '(select crm_token from connections where id = 1)';
        await server.db.query(`update connections set crm = 'SOME_CRM', crm_token = ${token} where id = 3`);
        const connected = await send('connected');
        await server.db.query("update connections set crm = 'PIPEDRIVE', crm_token = null where id = 3");
        expect(connected).toMatchObject([{ status: 'error', error: { code: 'crm_not_supported' } }]);
      });
    });

    test('503 with Retry-After while the database is unavailable, and nothing is acknowledged', async () => {
      const { DatabaseUnavailableError } = await import('@svc/engine/store/database/db');
      const { query, transaction } = server.db;
      const isGone = async () => {
        throw new DatabaseUnavailableError('gone');
      };
      Object.assign(server.db, { query: isGone, transaction: isGone });
      const answer = await server.post('/webhooks/demo-smartlead', await reply());
      const ready = await server.get('getHealthReady', '/health/ready', null);
      Object.assign(server.db, { query, transaction });
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(ready.json.checks.database).toBe('error');
      expect(await receipts()).toEqual([]);
    });
  });
});
