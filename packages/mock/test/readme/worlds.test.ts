import { createMock } from '@svc/mock';
import { createClient, ServerError } from '@svc/sdk';
import { afterAll, expect, test } from 'vitest';

const mock = createMock({ now: '2026-01-15T12:00:00Z' });
const { url } = await mock.listen();
afterAll(() => mock.close());

test.concurrent.each([1, 2, 3])('%i day(s) later', async (days) => {
  const world = mock.worlds.create();
  const client = createClient({ baseUrl: url, apiKey: world.keys.osapi_demo_write, maxRetries: 0 });
  await world.clock.advance(`${days}d`);
  world.faults.add({ operations: ['getMe'], times: days, effect: { kind: 'status', status: 503 } });

  for (let call = 0; call < days; call += 1) await expect(client.me.get()).rejects.toThrow(ServerError);
  await client.me.get();
  world.verify({ operation: 'getMe', times: days + 1 });
  expect(world.clock.now.toISOString()).toBe(`2026-01-${15 + days}T12:00:00.000Z`);
  world.delete();
});
