import { createMock } from '@svc/mock';
import { createClient, RateLimitError } from '@svc/sdk';
import { expect, test } from 'vitest';

const baseUrl = 'https://api.example.com';

test('the client retries a failed call', async () => {
  const mock = createMock();
  const client = createClient({ baseUrl, apiKey: mock.keys.osapi_demo_read, fetch: mock.fetch });
  mock.faults.add({ operations: ['getMe'], times: 1, effect: { kind: 'reset' } });

  const { account } = await client.me.get();
  expect(account.id).toBe(1);
  expect(mock.verify({ operation: 'getMe', times: 2 }).map(({ status }) => status)).toEqual([null, 200]);
  await mock.close();
});

test('a client without pacing is rate limited', async () => {
  const mock = createMock({ now: '2026-01-15T12:00:00Z', scenario: 'rate-limited' });
  const apiKey = mock.keys.osapi_demo_read;
  const client = createClient({ baseUrl, apiKey, fetch: mock.fetch, maxRetries: 0, pacing: 'off' });

  await expect(client.me.get()).rejects.toThrow(RateLimitError);
  await mock.clock.advance('60s');
  await client.me.get();
  await mock.close();
});
