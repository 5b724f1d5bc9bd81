import { once } from 'node:events';
import { createServer } from 'node:http';
import { createMock } from '@svc/mock';
import { createClient } from '@svc/sdk';
import { expect, test } from 'vitest';

const baseUrl = 'https://api.example.com';

test('a failed delivery is retried', async () => {
  const mock = createMock({ now: '2026-01-15T12:00:00Z' });
  const client = createClient({ baseUrl, apiKey: mock.keys.osapi_demo_write, fetch: mock.fetch });
  await client.webhooks.create({ url: 'https://hooks.mine.example/in' });
  const host = 'hooks.mine.example';
  mock.faults.add({ operations: ['outbound'], host, times: 1, effect: { kind: 'status', status: 503 } });

  const { eventId } = mock.trigger('sync.failed', { reason: 'The token has expired' });
  await mock.settle(); // the first attempt
  await mock.clock.advance('10m'); // the retry is due one to six minutes later

  const posts = mock.outbox.find({ kind: 'webhook', host });
  expect(posts.map(({ status }) => status)).toEqual([503, 200]);
  for (const { body } of posts) expect(JSON.parse(body)).toMatchObject({ id: eventId, type: 'sync.failed' });
  await mock.close();
});

test('a local receiver gets real posts', async () => {
  const signatures: unknown[] = [];
  const receiver = createServer((request, response) => {
    signatures.push(request.headers['service-signature']);
    request.resume().on('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const mock = createMock({ receivers: { 'hooks.mine.example': `http://127.0.0.1:${port}` } });
  const client = createClient({ baseUrl, apiKey: mock.keys.osapi_demo_write, fetch: mock.fetch });

  const webhook = await client.webhooks.create({ url: 'https://hooks.mine.example/in' });
  await client.webhooks.test(webhook.id);
  await mock.settle();

  expect(signatures).toEqual([expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/)]);
  await mock.close();
  receiver.close();
});
