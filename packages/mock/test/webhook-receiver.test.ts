/** The SDK's webhook receiver on a real port accepts what the mock signs and posts. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  createEventOrder,
  createWebhookReceiver,
  type WebhookEvent,
  type WebhookReceiverOptions,
} from '@svc/sdk/webhooks';
import { afterEach, expect, test } from 'vitest';
import { createMock, type Mock } from '../src/index.ts';

const NOW = '2026-03-31T12:00:00.000Z';
const open: { mock?: Mock; server?: Server } = {};

afterEach(async () => {
  await open.mock?.close();
  open.server?.closeAllConnections();
  open.server?.close();
});

/** Creates a webhook whose host is routed to a receiver on this machine. */
async function start(changes: Partial<WebhookReceiverOptions> = {}) {
  let secret = '';
  const events: WebhookEvent[] = [];
  const refused: unknown[] = [];
  const server = createServer((request, response) => {
    getReceiver().node(request, response);
  }).listen(0, '127.0.0.1');
  open.server = server;
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const mock = createMock({ now: NOW, receivers: { 'hooks.mine.example': `http://127.0.0.1:${port}` } });
  open.mock = mock;

  // Created on first use: the secret is known only after the port.
  let receiver: ReturnType<typeof createWebhookReceiver> | undefined;
  const getReceiver = () =>
    (receiver ??= createWebhookReceiver({
      secrets: [secret],
      now: () => mock.clock.now.getTime(),
      onEvent: (event) => void events.push(event),
      onError: (error) => void refused.push(error),
      ...changes,
    }));

  const call = async (method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> => {
    const headers = { Authorization: `Bearer ${mock.keys.osapi_demo_write}`, 'Content-Type': 'application/json' };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await mock.fetch(`https://api.example.com/api/v1${path}`, init);
    return response.json();
  };
  const webhook = await call('POST', '/webhooks', { url: 'https://hooks.mine.example/in' });
  secret = webhook.secret;
  const deliveries = async () => (await call('GET', `/webhooks/${webhook.id}/deliveries`)).data;
  return { mock, call, webhook, deliveries, events, refused };
}

test('events arrive typed and are handled once, even when a delivery is replayed', async () => {
  const { mock, call, webhook, deliveries, events, refused } = await start();
  const { eventId } = mock.trigger('sync.failed', { reason: 'Jürgen lost the key 🔑' });
  await mock.settle();
  const [event] = events;
  expect(event).toMatchObject({ id: eventId, type: 'sync.failed' });
  if (event?.type !== 'sync.failed') throw new Error('not reached');
  expect(event.data.reason).toBe('Jürgen lost the key 🔑');

  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({ status: 'SUCCEEDED', attemptCount: 1, lastHttpStatus: 200 });
  await call('POST', `/webhooks/${webhook.id}/deliveries/${delivery.id}/replay`);
  await call('POST', `/webhooks/${webhook.id}/test`);
  await mock.settle();
  expect(events.map(({ type }) => type)).toEqual(['sync.failed', 'test.ping']);
  expect((await deliveries()).map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('SUCCEEDED'));
  expect(refused).toEqual([]);
});

test('an event whose handler failed is delivered again with a new signature', async () => {
  let calls = 0;
  const { mock, deliveries, refused } = await start({
    onEvent: () => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
    },
  });
  mock.trigger('sync.failed');
  await mock.settle();
  expect(await deliveries()).toMatchObject([{ status: 'PENDING', attemptCount: 1, lastHttpStatus: 500 }]);
  await mock.clock.advance('1h');
  expect(await deliveries()).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 3 }]);
  expect(calls).toBe(3);
  expect(refused).toHaveLength(2);
});

test('a receiver with the secret from before a rotation refuses the post', async () => {
  const { mock, call, webhook, deliveries, events, refused } = await start();
  mock.trigger('sync.failed');
  await mock.settle();
  await call('POST', `/webhooks/${webhook.id}/rotate-secret`);
  mock.trigger('sync.recovered');
  await mock.settle();
  expect(events).toHaveLength(1);
  expect(refused).toMatchObject([{ reason: 'no_match' }]);
  expect((await deliveries())[0]).toMatchObject({ status: 'PENDING', lastHttpStatus: 400 });
});

test('createEventOrder detects an event that arrives after a newer one of its subject', async () => {
  const order = createEventOrder();
  const shown: string[] = [];
  const seen: string[] = [];
  const { mock } = await start({
    onEvent: (event) => {
      seen.push(event.type);
      // The first attempt of the first event fails, so that its retry follows the second event.
      if (seen.length === 1) throw new Error('not yet');
      if (!order.isNewer(event)) return;
      shown.push(event.type);
      order.record(event);
    },
  });
  mock.trigger('sync.failed');
  await mock.settle();
  await mock.clock.advance('1s');
  mock.trigger('sync.recovered');
  await mock.settle();
  await mock.clock.advance('10m');
  expect(seen).toEqual(['sync.failed', 'sync.recovered', 'sync.failed']);
  expect(shown).toEqual(['sync.recovered']);
});
