import { createClient, type WebhookDelivery } from '@svc/sdk';
import { createMock } from '@svc/mock';
import { expect, test } from 'vitest';
import { replayAll } from './recover.ts';

const WEBHOOK = 'oswhk_demo04';

async function setUp() {
  const mock = createMock({ now: '2026-01-15T12:00:00.000Z', runsJobs: false });
  const apiKey = mock.keys.osapi_demo_write;
  const client = createClient({
    ...{ baseUrl: 'http://mock.example', apiKey, maxRetries: 0 },
    fetch: (request) => mock.fetch(request),
  });
  const replays: WebhookDelivery[] = await client.webhooks.listDeliveries(WEBHOOK).toArray({ limit: 3 });
  return { mock, client, replays };
}

test('waits between two replays', async () => {
  const { mock, client, replays } = await setUp();
  const steps: string[] = [];
  const { queued, exitCode } = await replayAll(client, WEBHOOK, replays, {
    paceMs: 3000,
    sleep: async (ms) => void steps.push(`rest ${ms}`),
    onProgress: (done) => void steps.push(`done ${done}`),
  });
  expect(steps).toEqual(['done 1', 'rest 3000', 'done 2', 'rest 3000', 'done 3']);
  expect([queued.map(({ id }) => id), exitCode]).toEqual([replays.map(({ id }) => id), 0]);
  mock.verify({ operation: 'replayWebhookDelivery', times: 3 });
});

test('stops when the service fails', async () => {
  const { mock, client, replays } = await setUp();
  mock.faults.add({ operations: ['replayWebhookDelivery'], nth: 2, effect: { kind: 'status', status: 503 } });
  const tools = { paceMs: 1, sleep: async () => {}, onProgress: () => {} };
  await expect(replayAll(client, WEBHOOK, replays, tools)).rejects.toMatchObject({
    cause: { message: 'Service Unavailable' },
    hint: expect.stringMatching(/^So far: 1 of 3 replayed\./),
  });
  mock.verify({ operation: 'replayWebhookDelivery', times: 2 });
});
