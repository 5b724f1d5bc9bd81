/** The three rate limit buckets of the specification, through real HTTP with a manual clock. */
import { LIMITS } from '@svc/contract/limits';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '../support/backends.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

const GENERAL = LIMITS.generalRequestsPerWindow;

describe.each(backends)('rate limits on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('buckets', () => {
    let server: TestServer;
    beforeEach(async () => {
      server = await startTestServer(backend, { rateLimit: 'on' });
    });
    afterEach(async () => {
      await server.close();
    });

    const ask = (path: string, key = 'osapi_demo_read') =>
      fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
    const askTimes = async (count: number, path: string, key?: string) => {
      const statuses: Record<number, number> = {};
      for (let index = 0; index < count; index += 1) {
        const response = await ask(path, key);
        await response.arrayBuffer();
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      }
      return statuses;
    };

    test('429 with Retry-After for the 121st request of a window, and 200 in the next window', async () => {
      expect(await askTimes(GENERAL, '/api/v1/connections')).toEqual({ 200: GENERAL });
      server.clock.advance(20_500);
      const refused = await server.get('listConnections', '/api/v1/connections');
      expect(refused.status).toBe(429);
      expect(refused.json).toEqual({ statusCode: 429, message: 'Too many requests', error: 'Too Many Requests' });
      expect(refused.headers.get('retry-after')).toBe('40');
      expect(refused.headers.get('ratelimit')).toBe('"general";r=0;t=40');
      server.clock.advance(39_500);
      expect(await askTimes(1, '/api/v1/connections')).toEqual({ 200: 1 });
    });

    test('the limit per IP is checked before the key: invalid keys count, and then get 429 instead of 401', async () => {
      expect(await askTimes(GENERAL, '/api/v1/me', 'osapi_guess')).toEqual({ 401: GENERAL });
      expect(await askTimes(3, '/api/v1/me', 'osapi_guess')).toEqual({ 429: 3 });
      expect((await ask('/api/v1/me')).status).toBe(429);
    });

    test('guesses beyond the limit cause no database statements', async () => {
      await askTimes(GENERAL + 1, '/api/v1/me', 'osapi_guess');
      const query = server.db.query;
      let statements = 0;
      server.db.query = (statement, values) => {
        statements += 1;
        return query(statement, values);
      };
      expect(await askTimes(50, '/api/v1/me', 'osapi_guess')).toEqual({ 429: 50 });
      server.db.query = query;
      expect(statements).toBe(0);
    });

    test('outreach has its own buckets and does not use the general ones', async () => {
      await askTimes(GENERAL + 1, '/api/v1/connections');
      const answer = await server.get('getContactOutreach', '/api/v1/contacts/outreach?email=a@example.org');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit-policy')).toBe('"outreach";q=600;w=60');
      expect(answer.headers.get('ratelimit')).toBe('"outreach";r=599;t=60');
    });

    test('health and inbound routes have no limit', async () => {
      await askTimes(GENERAL + 1, '/api/v1/connections');
      expect(await askTimes(2, '/health/live')).toEqual({ 200: 2 });
      const answer = await server.post('/webhooks/demo-smartlead', {
        event_type: 'EMAIL_OPEN',
        to_email: 'a@example.org',
      });
      expect(answer.status).toBe(200);
    });

    test('the account has one bucket for all its keys', async () => {
      await askTimes(GENERAL - 1, '/api/v1/connections', 'osapi_demo_read');
      await server.db.query(`delete from rate_windows where bucket like '%:ip:%'`);
      expect(await askTimes(2, '/api/v1/connections', 'osapi_demo_write')).toEqual({ 200: 1, 429: 1 });
      expect(await askTimes(1, '/api/v1/connections', 'osapi_demo_other')).toEqual({ 200: 1 });
    });
  });
});
