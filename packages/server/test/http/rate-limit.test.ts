/**
 * What only the server can show of its rate limits, through real HTTP with a manual clock. `all-operations/rate-limit.test.ts` of the
 * conformance suite proves the limits, and `rate-windows.test.ts` their statement on both databases.
 */
import { LIMITS } from '@svc/contract/limits';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const GENERAL = LIMITS.generalRequestsPerWindow;

describe('rate limits', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyBackend, { rateLimit: 'on' });
  });
  afterAll(() => server.close());
  beforeEach(() => server.clock.advance(LIMITS.rateWindowSeconds * 1_000));

  const askTimes = async (count: number, path: string, key = 'osapi_demo_read') => {
    const statuses: Record<number, number> = {};
    for (let index = 0; index < count; index += 1) {
      const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
    return statuses;
  };

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

  test('a used-up bucket refuses no posts of sequencers', async () => {
    expect(await askTimes(GENERAL + 1, '/api/v1/connections')).toEqual({ 200: GENERAL, 429: 1 });
    const event = { event_type: 'EMAIL_OPEN', to_email: 'a@example.org' };
    expect((await server.post('/webhooks/demo-smartlead', event)).status).toBe(200);
  });
});
