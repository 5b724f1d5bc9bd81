import { createWebhookRequestValidator } from '@svc/contract/strict';
import { expect, test } from 'vitest';
import { createDemoWorld, NOW } from '../../test/support/demo.ts';
import { createRunningWorld } from '../../test/support/running.ts';
import { entriesOf } from '../state/history.ts';
import { trigger, type TriggerOptions } from './trigger.ts';

const problemsOf = createWebhookRequestValidator();

/** Triggers an event and returns what is posted. */
async function triggered(type: string, options: TriggerOptions = {}) {
  const running = createRunningWorld(() => 200, createDemoWorld({ data: { jobs: [] } }));
  const event = trigger(running.world, type, { now: NOW, dashboardUrl: 'http://app.example.com', ...options });
  await running.settle();
  const sent = entriesOf(running.world.state.outbox).map(({ url, headers, body }) => ({
    url,
    headers,
    body: JSON.parse(body),
  }));
  return { running, event, sent };
}

test.each([
  ['sync.failed', ['oswhk_demo01', 'oswhk_demo02', 'oswhk_demo07']],
  ['sync.recovered', ['oswhk_demo01', 'oswhk_demo06', 'oswhk_demo07']],
] as const)('%s goes to the webhooks that subscribe, as the contract describes it', async (type, webhooks) => {
  const { running, event, sent } = await triggered(type);
  for (const { headers, body } of sent) expect(problemsOf(type, headers, body)).toEqual([]);
  const { json } = running.call('GET', `/events/${event.id}`);
  expect(json).toMatchObject({ type, delivered: true, connectionId: 1, sourceId: 1 });
  expect(json.deliveries.map(({ endpointId }: { endpointId: string }) => endpointId).toSorted()).toEqual(webhooks);
});

test('given values override defaults', async () => {
  const { sent } = await triggered('sync.failed', {
    connectionId: 2,
    sourceId: 6,
    summary: 'Of my own',
    data: { reason: 'because', ticket: 7 },
  });
  expect(sent[0]?.body).toMatchObject({
    summary: 'Of my own',
    data: {
      connectionId: 2,
      sourceId: 6,
      crm: 'SALESFORCE',
      sourcePlatform: 'salesloft',
      reason: 'because',
      ticket: 7,
    },
  });
});

test.each<[object, TriggerOptions]>([
  [{ connectionId: 2, sourceId: 5 }, { data: { connectionId: 2 } }],
  [{ connectionId: 3, sourceId: 7 }, { data: { sourceId: 7 } }],
  [
    { connectionId: 1, sourceId: 1 },
    { connectionId: 1, data: { connectionId: 2 } },
  ],
])('the event has %o for the options %o', async (place, options) => {
  const { running, event } = await triggered('sync.failed', options);
  const shown = running.call('GET', `/events/${event.id}`).json;
  expect(shown).toMatchObject(place);
  expect(shown.data).toMatchObject({ ...place, ...options.data });
});

test('test.ping creates one event per webhook of the account, active or not', async () => {
  const { running, event, sent } = await triggered('test.ping');
  expect(sent).toHaveLength(6);
  for (const { headers, body } of sent) expect(problemsOf('test.ping', headers, body)).toEqual([]);
  const urls = new Map(running.world.state.data.webhooks.map(({ id, url }) => [id, url]));
  expect(sent.map(({ body }) => urls.get(body.data.webhookId))).toEqual(sent.map(({ url }) => url));
  expect(sent[0]?.headers['Service-Event-Id']).toBe(event.id);
  expect(running.call('GET', `/events/${event.id}`).json).toMatchObject({ connectionId: null, sourceId: null });
});

test('an unknown type is added to the event log and posted to nobody', async () => {
  const { running, event, sent } = await triggered('connection.disconnected', { data: { crm: 'X' } });
  expect(sent).toEqual([]);
  expect(running.call('GET', `/events/${event.id}`).json).toMatchObject({
    type: 'connection.disconnected',
    data: { crm: 'X' },
  });
});

test.each([{ connectionId: 999 }, { sourceId: 999 }, { connectionId: 1, sourceId: 6 }, { data: { sourceId: 999 } }])(
  'refuses %o',
  async (options) => {
    await expect(triggered('sync.failed', options)).rejects.toThrow('The world has no such source and connection');
  },
);
