/** Logs contain no key, secret, payload or query, at the most verbose level and when things fail. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { performAdmin } from '@svc/operations/perform';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

/** A part of everything that a log must not contain. */
const MARK = 'MARKER';

describe.each(backends)('logs on $name', (backend) => {
  let server: TestServer;
  let text = '';
  beforeAll(async () => {
    if (!backend.isAvailable) return;
    const sink = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    server = await startTestServer(backend, { log: pino({ level: 'trace' }, sink) });
    await server.db.query('delete from jobs');
  });

  test.skipIf(!backend.isAvailable)(
    'name requests by id and operation, and contain nothing that was sent',
    async () => {
      const ids: string[] = [];
      const send = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(server.url + path, init);
        ids.push(response.headers.get('service-request-id') ?? '');
        return { status: response.status, text: await response.text() };
      };
      const authorization = 'Bearer osapi_demo_write';
      const withBody = (body: string, method = 'POST') => ({
        method,
        headers: { authorization, 'content-type': 'application/json' },
        body,
      });

      for (const path of [
        `/api/v1/contacts/outreach?email=${MARK}@example.org`,
        `/api/v1/syncs?from=${MARK}&to=${MARK}`,
        `/api/v1/events?cursor=${MARK}`,
        `/api/v1/events/osevt_${MARK}`,
        `/${MARK}?token=${MARK}`,
        `/docs/${MARK}`,
        `/metrics?token=${MARK}`,
      ]) {
        await send(path, { headers: { authorization, cookie: MARK, 'x-api-key': MARK } });
      }
      await send('/api/v1/me', { headers: { authorization: `Bearer osapi_${MARK}` } });
      const url = `https://hooks.example.com/${MARK}?token=${MARK}`;
      const created = await send('/api/v1/webhooks', withBody(JSON.stringify({ url, description: MARK })));
      const { id, secret }: { id: string; secret: string } = JSON.parse(created.text);
      await send('/api/v1/webhooks', withBody(`{"url": "${MARK}`));
      await send(`/api/v1/webhooks/${id}/test`, { method: 'POST', headers: { authorization } });
      await send(
        '/webhooks/demo-smartlead',
        withBody(`{"event_type": "EMAIL_REPLY", "to_email": "${MARK}@example.org"}`),
      );
      await send('/webhooks/demo-smartlead', withBody(`{"broken": "${MARK}`));
      await send(`/webhooks/${MARK}`, withBody('{}'));
      server.crm.failNext(1, 400);
      server.receiver.answerAlways(500);
      await server.running.runner.runDue();
      const doctor = async () => (await performAdmin(server.running.ctx, 'doctor/check', {}, 'a test')).checks;
      expect((await doctor()).map(({ name }) => name)).not.toContain('proxies');
      for (const name of ['forwarded', 'x-forwarded-for', 'x-forwarded-for']) {
        await send('/health/live', { headers: { [name]: MARK } });
      }
      expect(await doctor()).toContainEqual({
        name: 'proxies',
        status: 'WARN',
        message: expect.stringContaining('X-Forwarded-For'),
        fix: expect.stringContaining('SVC_TRUST_PROXY'),
      });
      // An internal failure: the answer is a 500, and the log has its stack.
      const { query } = server.db;
      server.db.query = () => Promise.reject(new Error('the disk is on fire'));
      expect((await send(`/api/v1/me?x=${MARK}`, { headers: { authorization } })).status).toBe(500);
      server.db.query = query;
      await server.close();

      const lines = text
        .trim()
        .split('\n')
        .map((line): Record<string, unknown> => JSON.parse(line));
      const requests = lines.filter((line) => line['msg'] === 'request');
      expect(requests.map((line) => line['requestId']).sort()).toEqual(ids.sort());
      for (const line of requests) {
        expect(Object.keys(line).sort()).toEqual(
          [
            'durationMs',
            'hostname',
            'level',
            'method',
            'msg',
            'operation',
            'pid',
            'requestId',
            'status',
            'time',
          ].sort(),
        );
      }
      expect(requests.map((line) => line['operation'])).toContain('getContactOutreach');
      // An untrusted proxy causes one warning, however many requests it sends.
      expect(lines.filter((line) => String(line['msg']).includes('SVC_TRUST_PROXY'))).toHaveLength(1);
      expect(text).toContain('the disk is on fire');
      for (const secretText of [MARK, secret, 'osapi_', 'oswhsec_', 'demo-smartlead', 'Bearer ']) {
        expect([secretText, text.includes(secretText)]).toEqual([secretText, false]);
      }
    },
  );
});
