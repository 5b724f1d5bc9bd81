/** A server with other prefixes for headers, keys and secrets uses them everywhere and the default ones nowhere. */
import { verifySignature } from '@svc/domain/webhooks/webhook-signature';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '@svc/operations/implemented/keys';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const PREFIXES = { SVC_HEADER_PREFIX: 'Acme-', SVC_KEY_PREFIX: 'acme_', SVC_SECRET_PREFIX: 'acme-sign_' };
const KEY = 'acme_demo_write';

describe('prefixes', () => {
  describe('that differ from the contract', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(anyBackend, { env: PREFIXES });
    });
    afterAll(() => server.close());

    const call = async (method: string, path: string, key = KEY, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const json: ReturnType<typeof JSON.parse> = await response.json();
      return { status: response.status, headers: response.headers, json };
    };

    test('answers and refusals have a request id header with the prefix', async () => {
      for (const key of [KEY, 'acme_nobody']) {
        const { headers } = await call('GET', '/api/v1/me', key);
        expect(headers.get('acme-request-id')).toMatch(/^.{8,}$/);
        expect([...headers.keys()].filter((name) => name.startsWith('service-'))).toEqual([]);
      }
    });

    test('keys of the world have the prefix, and keys with the default prefix are unknown', async () => {
      expect((await call('GET', '/api/v1/me')).status).toBe(200);
      const refused = await call('GET', '/api/v1/me', 'osapi_demo_write');
      expect([refused.status, refused.json.message]).toEqual([401, 'Invalid API key']);
    });

    test('a new key has the prefix and works', async () => {
      const { token } = await createKey.run(server.running.ctx, { accountId: 1, name: 'Branded' });
      expect(token).toMatch(/^acme_[0-9a-z]{52}$/);
      expect((await call('GET', '/api/v1/me', token)).json.apiKey.name).toBe('Branded');
    });

    test('secrets have the prefix and sign deliveries in a header with the prefix', async () => {
      const url = 'https://hooks.branded.example/in';
      const created = await call('POST', '/api/v1/webhooks', KEY, { url });
      expect(created.json.secret).toMatch(/^acme-sign_[0-9a-z]{52}$/);
      const rotated = await call('POST', `/api/v1/webhooks/${created.json.id}/rotate-secret`);
      const { secret } = rotated.json;
      expect(secret).toMatch(/^acme-sign_[0-9a-z]{52}$/);
      const { json } = await call('POST', `/api/v1/webhooks/${created.json.id}/test`);
      await server.running.runner.runDue();
      const [post, ...others] = server.receiver.posts().filter(({ host }) => host === 'hooks.branded.example');
      expect(others).toEqual([]);
      const headers = post?.headers ?? {};
      expect(headers['acme-event-id']).toBe(json.eventId);
      expect(headers['acme-delivery-id']).toMatch(/^oswhd_/);
      expect(Object.keys(headers).filter((name) => name.startsWith('service-'))).toEqual([]);
      const verdict = await verifySignature({
        payload: post?.body ?? '',
        header: headers['acme-signature'],
        secrets: [secret],
        toleranceSeconds: 0,
        nowSeconds: server.clock.now().getTime() / 1_000,
      });
      expect(verdict).toMatchObject({ valid: true });
    });

    test('secrets of the world have the prefix too', () => {
      expect(server.world.webhooks.every(({ secret }) => secret.startsWith('acme-sign_'))).toBe(true);
    });

    test('forwarded posts have a payload id header with the prefix', async () => {
      const event = { event_type: 'EMAIL_REPLY', to_email: 'branded@example.org', stats_id: 'branded-1' };
      const { json } = await server.post('/webhooks/demo-smartlead', event);
      await server.running.runner.runDue();
      const forwarded = server.receiver.posts().filter(({ headers }) => headers['user-agent'] === 'svc-forwarding/1');
      expect(forwarded.length).toBeGreaterThan(0);
      for (const { headers } of forwarded) {
        expect(headers['acme-payload-id']).toBe(String(json.requestId));
        expect(headers['service-payload-id']).toBeUndefined();
      }
    });

    test.each(['/api/v1/openapi.json', '/api/v1/openapi.yaml'])('%s documents them', async (path) => {
      const text = await (await fetch(server.url + path)).text();
      for (const name of ['Acme-Request-Id', 'Acme-Signature', 'acme_...', '^acme-sign_']) expect(text).toContain(name);
      expect(text).not.toMatch(/Service-(Request-Id|Signature|Event-Id|Delivery-Id|Payload-Id)|osapi_|oswhsec_/);
    });
  });
});
