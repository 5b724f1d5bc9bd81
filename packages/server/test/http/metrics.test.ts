/** `GET /metrics` on both databases: exact counts, no tenant data, cheap, and protected. */
import { request } from 'node:http';
import { LIMITS } from '@svc/contract/limits';
import { operations } from '@svc/contract/operations';
import { CHANNEL_KINDS } from '@svc/domain/alerts/alert';
import { REQUEST_OUTCOMES } from '@svc/domain/world';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ALERT_MESSAGE_RESULTS, INBOUND_OUTCOMES, JOB_RESULTS, REPLICA_READS } from '@svc/engine/runtime/metrics';
import { SPAN_RESULTS } from '@svc/engine/runtime/tracing';
import { DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { anyBackend, backends } from '@svc/engine/test/backends';
import { holdBack, recordStatements } from '../support/database-probes.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { growthOf, parseScrape, type Scrape, sum } from '../support/scrape.ts';

const TOKEN = 'scrape-me-0123456789abcdef';

describe.each(backends)('metrics on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('of a server', () => {
    let server: TestServer;
    const scrape = async (): Promise<Scrape> => {
      const answer = await fetch(`${server.url}/metrics`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      return parseScrape(await answer.text());
    };
    const api = (path: string, options: { method?: string; key?: string; json?: object } = {}) =>
      fetch(`${server.url}/api/v1${path}`, {
        method: options.method ?? 'GET',
        headers: {
          authorization: `Bearer ${options.key ?? 'osapi_demo_write'}`,
          ...(options.json ? { 'content-type': 'application/json' } : {}),
        },
        ...(options.json ? { body: JSON.stringify(options.json) } : {}),
      });
    const post = (body: string | object, path = 'demo-smartlead') => server.post(`/webhooks/${path}`, body);

    describe('without limits and token', () => {
      let before: Scrape;
      let lastLead = 0;
      beforeAll(async () => {
        server = await startTestServer(backend);
      });
      afterAll(async () => {
        await server.close();
      });
      beforeEach(async () => {
        // The demo world's own jobs would be counted too.
        await server.db.query('delete from jobs');
        server.receiver.reset();
        before = await scrape();
      });

      const settle = () => server.running.runner.runDue();
      const newReply = () => {
        lastLead += 1;
        return { event_type: 'EMAIL_REPLY', to_email: `lead${lastLead}@example.org`, reply_body: 'Secret words' };
      };
      /** Returns by how much the samples of a metric have grown since the test began. */
      const growth = async (metric: string) => growthOf(before, await scrape(), metric);

      test('counts and times requests by operation and status, not by path', async () => {
        for (const id of [1, 2, 3]) await (await api(`/sources/${id}/syncs`)).text();
        await (await api('/me')).text();
        await (await api('/me', { key: 'osapi_wrong' })).text();
        await (await fetch(`${server.url}/nothing/here`)).text();
        const expected = {
          'operation="listSourceSyncs",status="400"': 3,
          'operation="getMe",status="200"': 1,
          'operation="getMe",status="401"': 1,
          'operation="none",status="404"': 1,
        };
        await expect.poll(() => growth('svc_http_requests_total')).toMatchObject(expected);
        expect(await growth('svc_http_request_duration_seconds_count')).toMatchObject(expected);
        expect((await scrape()).get('svc_http_requests_total{operation="listSyncs",status="200"}')).toBe(0);
      });

      test('counts requests whose client disconnected', async () => {
        const answer = holdBack(server);
        const going = request(`${server.url}/api/v1/me`, { headers: { authorization: 'Bearer osapi_demo_read' } });
        going.on('error', () => {});
        going.end();
        await answer.asked;
        going.destroy();
        const aborted = { 'operation="getMe",status="aborted"': 1 };
        await expect.poll(() => growth('svc_http_requests_total')).toMatchObject(aborted);
        answer.release();
      });

      test('counts inbound posts by result', async () => {
        await Promise.all([1, 2, 3, 4].map(() => post(newReply())));
        await post(newReply(), 'nobody');
        await post(newReply(), 'no body/at/all');
        await post('{"event_type": ');
        await post('');
        await post(JSON.stringify({ filler: 'x'.repeat(70_000) }));
        await server.post('/webhooks/demo-smartlead', '{}', { 'content-encoding': 'zstd-of-the-future' });
        await (await fetch(`${server.url}/webhooks/demo-smartlead`)).text();
        const expected = {
          'outcome="accepted"': 4,
          'outcome="unknown_code"': 2,
          'outcome="not_json"': 2,
          'outcome="too_large"': 1,
          'outcome="unsupported_encoding"': 1,
        };
        await expect.poll(() => growth('svc_inbound_posts_total')).toEqual(expected);
        expect(await growth('svc_inbound_post_duration_seconds_count')).toEqual(expected);
      });

      test('counts jobs, CRM writes and forwardings after their commit', async () => {
        const repeated = newReply();
        for (const body of [newReply(), repeated, repeated]) await post(body);
        // The two events are one batch; refused as a whole, it is divided.
        server.crm.failNext(2, 400);
        server.receiver.answerNext(404);
        const rowsBefore = await countRows(server);
        const requestsBefore = server.crm.requests().length;
        await settle();
        const rows = await countRows(server);
        expect(await growth('svc_jobs_total')).toMatchObject({
          'kind="process-receipt",result="done"': 3,
          'kind="write-crm",result="done"': 2,
        });
        const written = await growth('svc_crm_writes_total');
        expect(written).toEqual({ 'crm="HUBSPOT",status="error"': 1, 'crm="HUBSPOT",status="success"': 1 });
        expect(rows.syncs - rowsBefore.syncs).toBe(2);
        const calls = Object.entries(await growth('svc_crm_calls_total'));
        const requests = server.crm.requests().slice(requestsBefore);
        for (const digit of [2, 4]) {
          const counted = calls.filter(([labels]) => labels.endsWith(`status="${digit}xx"`)).map(([, more]) => more);
          const received = requests.filter(({ status }) => Math.floor(status / 100) === digit);
          expect(counted.reduce((total, more) => total + more, 0)).toBe(received.length);
        }
        const forwarded = await growth('svc_forwarding_deliveries_total');
        expect(forwarded).toEqual({ 'status="error"': 1, 'status="success"': expect.any(Number) });
        expect(rows.deliveries - rowsBefore.deliveries).toBe(sum(forwarded));
      });

      test('counts a replayed delivery as a forwarding', async () => {
        const delivery = single(server.world.deliveries, (row) => row.connectionId === 1 && row.payloadId !== null);
        const path = `/destinations/${delivery.destinationId}/deliveries/${delivery.id}/replay`;
        expect((await api(path, { method: 'POST' })).status).toBe(200);
        await settle();
        expect(sum(await growth('svc_forwarding_deliveries_total'))).toBe(1);
      });

      test('counts a temporary failure as deferred, and a handler that threw as failed', async () => {
        await post(newReply());
        server.crm.failNext(1, 503);
        await settle();
        await server.db.query(
          `insert into jobs (kind, ref, fairness_key, due_at, created_at) values ('process-receipt', 'x', 'x', $1, $1)`,
          [server.clock.now()],
        );
        await settle();
        expect(await growth('svc_jobs_total')).toMatchObject({
          'kind="write-crm",result="deferred"': 1,
          'kind="process-receipt",result="failed"': 1,
          'kind="process-receipt",result="done"': 1,
        });
        expect(await growth('svc_crm_writes_total')).toEqual({});
      });

      test('counts webhook deliveries by the result of each attempt', async () => {
        const created = await api('/webhooks', { method: 'POST', json: { url: 'https://hooks.example.com/x' } });
        const { id }: { id: string } = JSON.parse(await created.text());
        const ping = async () => {
          expect((await api(`/webhooks/${id}/test`, { method: 'POST' })).status).toBe(202);
          await settle();
        };
        await ping();
        server.receiver.answerNext(404, 500);
        await ping();
        await ping();
        expect((await api(`/webhooks/${id}`, { method: 'DELETE' })).status).toBe(204);
        server.clock.advance(600_000);
        await settle();
        expect(await growth('svc_webhook_deliveries_total')).toEqual({
          'status="SUCCEEDED"': 1,
          'status="DEAD"': 1,
          'status="retry"': 1,
          'status="FAILED"': 1,
        });
      });

      test('shows for each used connection whether it is connected, and whether its CRM refuses it', async () => {
        const connected = async (): Promise<[unknown, unknown]> => {
          const samples = await scrape();
          const labels = '{crm="HUBSPOT",connection="1"}';
          return [samples.get(`svc_crm_connection_up${labels}`), samples.get(`svc_crm_connection_error${labels}`)];
        };
        expect(await connected()).toEqual([1, 0]);
        const { rows } = await server.db.query<{ token: string }>(
          'select crm_token as token from connections where id = 1',
        );
        await server.db.query(`update connections set recorded_error = 'no scope' where id = 1`);
        expect(await connected()).toEqual([1, 1]);
        await server.db.query('update connections set recorded_error = null, crm_token = null where id = 1');
        expect(await connected()).toEqual([0, 0]);
        expect((await scrape()).get('svc_crm_connection_up{crm="HUBSPOT",connection="4"}')).toBe(1);
        await server.db.query(
          'update connections set capability_sync = false, capability_blocklists = false where id = 1',
        );
        expect(await connected()).toEqual([undefined, undefined]);
        await server.db.query(
          'update connections set capability_sync = true, capability_blocklists = true, crm_token = $1 where id = 1',
          [rows[0]?.token],
        );
      });

      test("shows the queue's depth and lag by kind", async () => {
        await post(newReply());
        await post(newReply());
        server.clock.advance(90_500);
        const samples = await scrape();
        expect(samples.get('svc_queue_jobs{kind="process-receipt"}')).toBe(2);
        expect(samples.get('svc_queue_lag_seconds{kind="process-receipt"}')).toBe(90.5);
        expect(samples.get('svc_queue_jobs{kind="write-crm"}')).toBe(0);
        expect(samples.get('svc_queue_lag_seconds{kind="write-crm"}')).toBe(0);
        await settle();
        const settled = await scrape();
        expect(settled.get('svc_queue_jobs{kind="process-receipt"}')).toBe(0);
        expect(settled.get('svc_queue_lag_seconds{kind="process-receipt"}')).toBe(0);
      });

      // The statements are the same as above, so one database shows the rest.
      if (backend !== anyBackend) return;

      test('samples contain no tenant data: every label is from a closed list', async () => {
        await post(newReply());
        await (await api('/contacts/outreach?email=replied@example.com')).text();
        await (await api('/syncs/1/retry', { method: 'POST' })).text();
        await (await api('/me', { key: 'osapi_demo_revoked' })).text();
        await settle();
        const text = await (await fetch(`${server.url}/metrics`)).text();
        expect(text).not.toMatch(/osapi_|oswh|osevt|@|127\.0\.0\.1|https?:|demo-smartlead|lead\d|Secret words/);
        const { jobKinds } = server.running.ctx.metrics;
        for (const sample of parseScrape(text).keys()) {
          if (!sample.startsWith('svc_')) continue;
          if (sample.startsWith('svc_crm_calls_total')) {
            // Operations are names in the code of a connector.
            expect(sample).toMatch(/\{crm="HUBSPOT",operation="[a-z_]{1,30}",status="(\dxx|401|403|429|none)"\}$/);
            continue;
          }
          for (const [label, value] of labelsOf(sample)) {
            expect([sample, isKnownValue(label, value, jobKinds)]).toEqual([sample, true]);
          }
        }
      });

      test('a scrape takes at most nine statements, reads no log, and reads a limited part of the queue', async () => {
        const recorded = recordStatements(server);
        await scrape();
        recorded.stop();
        const statements = [...recorded.statements];
        expect(statements.length).toBeGreaterThan(0);
        expect(statements.length).toBeLessThanOrEqual(9);
        for (const statement of statements) {
          expect(statement).not.toMatch(/\b(requests|inbound_events|syncs|deliveries|events|webhook_deliveries)\b/);
          const reads = [...statement.replaceAll(/ in \([^()]*\)/g, '').matchAll(/\bfrom jobs\b[^()]*/g)].map(
            ([text]) => text,
          );
          for (const read of reads) expect(read).toMatch(/\blimit\b/);
        }
        expect(statements.some((statement) => statement.includes('from jobs'))).toBe(true);
      });

      test('shows other metrics while the database is unavailable, and the queue again once it is back', async () => {
        const { query, transaction } = server.db;
        const away = () => Promise.reject(new DatabaseUnavailableError('away'));
        Object.assign(server.db, { query: away, transaction: away });
        expectWithoutQueue(await scrape());
        Object.assign(server.db, { query, transaction });
        const samples = await scrape();
        expect(samples.get('svc_database_up')).toBe(1);
        expect(samples.get('svc_queue_jobs{kind="write-crm"}')).toBe(0);
      });

      test('waits at most three seconds for a database that does not answer', async () => {
        const answer = holdBack(server);
        const waiting = scrape();
        await answer.asked;
        server.clock.advance(3_000);
        expectWithoutQueue(await waiting);
        answer.release();
      });

      test('shows the queue even when reading the outages takes longer', async () => {
        const { query, transaction } = server.db;
        const outages = Promise.withResolvers<void>();
        server.db.query = async (statement, values) => {
          const text = typeof statement === 'string' ? statement : statement.text;
          if (text.includes('crm_outages')) await outages.promise;
          return query(statement, values);
        };
        const queueRead = new Promise<void>((resolve) => {
          server.db.transaction = (work, options) => transaction(work, options).finally(() => setImmediate(resolve));
        });
        const waiting = scrape();
        await queueRead;
        server.clock.advance(3_000);
        const samples = await waiting;
        Object.assign(server.db, { query, transaction });
        outages.resolve();
        expect(samples.get('svc_database_up')).toBe(1);
        expect(samples.get('svc_queue_jobs{kind="write-crm"}')).toBe(0);
        expect([...samples.keys()].filter((name) => name.startsWith('svc_crm_outage'))).toEqual([]);
      });

      test('200 on this machine, 404 for others', async () => {
        const ask = (headers: Record<string, string>) => get(`${server.url}/metrics`, headers);
        for (const headers of [{}, { host: 'localhost:4000' }, { host: '[::1]:4000' }]) {
          expect([headers, (await ask(headers)).status]).toEqual([headers, 200]);
        }
        for (const headers of [
          { 'x-forwarded-for': '127.0.0.1' },
          { forwarded: 'for=127.0.0.1' },
          { 'x-real-ip': '127.0.0.1' },
          { via: '1.1 proxy' },
          { host: 'metrics.example.com' },
          { host: '127.0.0.1.example.com' },
          { host: 'localhost.example.com:4000' },
          { host: '10.0.0.1' },
        ]) {
          const { status, text } = await ask(headers);
          expect({ headers, status, text }).toEqual({ headers, status: 404, text: NO_SUCH_ROUTE });
        }
      });

      test('404 for another method, another letter case and a trailing slash', async () => {
        const ask = async (path: string, method: string) => (await fetch(server.url + path, { method })).status;
        expect(await Promise.all([ask('/metrics', 'POST'), ask('/metrics', 'DELETE')])).toEqual([404, 404]);
        expect(await Promise.all([ask('/Metrics', 'GET'), ask('/metrics/', 'GET')])).toEqual([404, 404]);
        expect(await ask('/metrics', 'HEAD')).toBe(200);
      });
    });

    if (backend !== anyBackend) return;

    describe('with limits', () => {
      beforeAll(async () => {
        server = await startTestServer(backend, { rateLimit: 'on' });
      });
      afterAll(async () => {
        await server.close();
      });

      test('counts refusals by bucket and owner; a scrape is never refused and not counted', async () => {
        const ask = async () => (await api('/connections')).status;
        const fill = (owner: 'ip' | 'account') =>
          server.db.query(`update rate_windows set count = $1 where bucket like $2`, [
            LIMITS.generalRequestsPerWindow,
            `general:${owner}:%`,
          ]);
        expect(await ask()).toBe(200);
        await fill('account');
        expect([await ask(), await ask()]).toEqual([429, 429]);
        await fill('ip');
        expect([await ask(), await ask(), await ask()]).toEqual([429, 429, 429]);
        const { rows } = await server.db.query('select * from rate_windows order by bucket');
        for (let count = 0; count < 5; count += 1) expect((await fetch(`${server.url}/metrics`)).status).toBe(200);
        expect((await server.db.query('select * from rate_windows order by bucket')).rows).toEqual(rows);
        expect(growthOf(new Map(), await scrape(), 'svc_rate_limit_refusals_total')).toEqual({
          'bucket="general",owner="ip"': 3,
          'bucket="general",owner="account"': 2,
        });
        expect((await fetch(`${server.url}/metrics`)).headers.get('ratelimit')).toBeNull();
      });
    });

    describe('with a token', () => {
      beforeAll(async () => {
        server = await startTestServer(backend, { env: { SVC_METRICS_TOKEN: TOKEN } });
      });
      afterAll(async () => {
        await server.close();
      });

      test('401 without the token, 200 from anywhere with it', async () => {
        const ask = (headers: Record<string, string>) => get(`${server.url}/metrics`, headers);
        expect((await ask({})).status).toBe(401);
        for (const authorization of [
          'Bearer',
          `Bearer ${TOKEN}x`,
          `Bearer ${TOKEN.slice(1)}`,
          `Basic ${TOKEN}`,
          TOKEN,
          'Bearer osapi_demo_write',
        ]) {
          const answer = await ask({ authorization });
          expect([answer.status, JSON.parse(answer.text)]).toEqual([
            401,
            { statusCode: 401, message: 'Invalid metrics token', error: 'Unauthorized' },
          ]);
          expect(answer.headers['www-authenticate']).toBe('Bearer realm="api"');
        }
        const answer = await ask({ authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '192.0.2.7' });
        expect([answer.status, answer.text.includes(TOKEN)]).toEqual([200, false]);
      });
    });
  });
});

async function countRows({ db }: TestServer): Promise<{ syncs: number; deliveries: number }> {
  const { rows } = await db.query<{ syncs: number; deliveries: number }>(
    'select (select count(*) from syncs) as syncs, (select count(*) from deliveries) as deliveries',
  );
  return single(rows, () => true);
}

function expectWithoutQueue(samples: Scrape): void {
  expect(samples.get('svc_database_up')).toBe(0);
  expect([...samples.keys()].filter((name) => name.startsWith('svc_queue_'))).toEqual([]);
  expect(samples.has('svc_jobs_total{kind="write-crm",result="done"}')).toBe(true);
}

function single<Row>(rows: readonly Row[], matches: (row: Row) => boolean): Row {
  const row = rows.find(matches);
  if (row === undefined) throw new Error('there is no such row');
  return row;
}

const NO_SUCH_ROUTE = JSON.stringify({ statusCode: 404, message: 'No such route', error: 'Not Found' });

function labelsOf(sample: string): [string, string][] {
  return [...sample.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]);
}

function isKnownValue(label: string, value: string, jobKinds: readonly string[]): boolean {
  switch (label) {
    case 'operation':
      return ['none', 'inbound', 'mcp', 'metrics', ...operations.map(({ id }) => id)].includes(value);
    case 'kind':
      return jobKinds.includes(value);
    case 'le':
      return /^([\d.]+|\+Inf)$/.test(value);
    case 'status':
      return /^(\d{3}|aborted|success|warning|error|retry|sent|digest|skipped|failed|SUCCEEDED|DEAD|FAILED)$/.test(
        value,
      );
    case 'outcome':
      return [...INBOUND_OUTCOMES, ...REQUEST_OUTCOMES].some((outcome) => outcome === value);
    case 'result':
      return [...ALERT_MESSAGE_RESULTS, ...JOB_RESULTS, ...SPAN_RESULTS, ...REPLICA_READS].some(
        (result) => result === value,
      );
    case 'channel':
      return CHANNEL_KINDS.some((kind) => kind === value);
    case 'crm':
      return ['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE', 'other'].includes(value);
    case 'bucket':
      return ['general', 'outreach'].includes(value);
    case 'connection':
      return /^\d+$/.test(value);
    case 'owner':
      return ['ip', 'account'].includes(value);
    case 'reason':
      return ['missing', 'wrong', 'stale'].includes(value);
    default:
      return label === 'version';
  }
}

/** `fetch` does not let a caller choose `Host`. */
function get(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; headers: Record<string, unknown>; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}
