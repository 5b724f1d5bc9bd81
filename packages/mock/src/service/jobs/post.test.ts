/** Routing of posts, and faults of operation `outbound`. */
import { expect, test } from 'vitest';
import { NOW } from '../../../test/support/demo.ts';
import { smartleadEvent } from '../../../test/support/payloads.ts';
import { createRunningWorld, HOUR_MS, routeToReceiver, type RunningWorld } from '../../../test/support/running.ts';
import { freezeAt } from '../../state/clock.ts';
import type { FaultEffect, FaultRule } from '../../state/fault.ts';
import { EMPTY_HISTORY, entriesOf } from '../../state/history.ts';
import { allRows } from '../../state/log.ts';
import { update, updateData, type World } from '../../state/world.ts';

const HOST = 'hooks.example.com';
const NO_ANSWER = 'No answer within 10 seconds';

function addFault(world: World, rule: FaultRule): void {
  const fault = { ...rule, id: `fault-${world.state.faults.length}`, matchedCount: 0, hitCount: 0 };
  update(world, { faults: [...world.state.faults, fault] });
}

/** Sends a test event to a new webhook and returns its delivery. */
async function send(running: RunningWorld, url = `https://${HOST}/in`) {
  const { id } = running.call('POST', '/webhooks', { body: JSON.stringify({ url }) }).json;
  running.call('POST', `/webhooks/${id}/test`);
  await running.settle();
  return running.call('GET', `/webhooks/${id}/deliveries`).json.data[0];
}

test.each<[FaultEffect, number, object]>([
  [{ kind: 'status', status: 500 }, 0, { lastHttpStatus: 500, lastError: 'HTTP 500' }],
  [{ kind: 'status', status: 202 }, 0, { status: 'SUCCEEDED', lastHttpStatus: 202 }],
  [{ kind: 'reset' }, 0, { lastHttpStatus: null, lastError: 'ECONNRESET: The connection was reset' }],
  [{ kind: 'reset', when: 'after' }, 1, { lastHttpStatus: null, lastError: 'ECONNRESET: The connection was reset' }],
  [{ kind: 'hang' }, 0, { lastHttpStatus: null, lastError: NO_ANSWER }],
  [{ kind: 'latency', latencyMs: 10_000 }, 1, { lastHttpStatus: null, lastError: NO_ANSWER }],
  [{ kind: 'latency', latencyMs: 9_999 }, 1, { status: 'SUCCEEDED', lastHttpStatus: 200 }],
  [{ kind: 'truncate' }, 1, { lastHttpStatus: null, lastError: 'ECONNRESET: aborted' }],
  [{ kind: 'truncate', bytes: 1_024 }, 1, { lastHttpStatus: null, lastError: 'ECONNRESET: aborted' }],
  [{ kind: 'truncate', bytes: 1_025 }, 1, { status: 'SUCCEEDED', lastHttpStatus: 200 }],
])('%j: posted %i times', async (effect, posted, delivery) => {
  const running = createRunningWorld();
  routeToReceiver(running.world, HOST);
  addFault(running.world, { operations: ['outbound'], effect });
  expect(await send(running)).toMatchObject({ status: 'PENDING', attemptCount: 1, ...delivery });
  expect(running.posts).toHaveLength(posted);
  expect(entriesOf(running.world.state.outbox)).toMatchObject([
    { receiver: posted === 0 ? null : `http://127.0.0.1:9000/${HOST}` },
  ]);
});

test('a fault hits the nth post to a host, `times` times', async () => {
  const running = createRunningWorld();
  const effect = { kind: 'status', status: 503 } as const;
  addFault(running.world, { operations: ['outbound'], host: 'Hooks.EXAMPLE.com', nth: 2, times: 1, effect });
  const statuses: number[] = [];
  for (const host of [HOST, 'other.example.com', HOST, HOST]) {
    statuses.push((await send(running, `https://${host}/x`)).lastHttpStatus);
  }
  expect(statuses).toEqual([200, 200, 503, 200]);
  expect(running.world.state.faults).toMatchObject([{ matchedCount: 3, hitCount: 1 }]);
});

test('posts are numbered in the order they were made, even when the clock goes back or the outbox is cleared', async () => {
  const running = createRunningWorld();
  const { world } = running;
  const outbox = () => entriesOf(world.state.outbox).map(({ id, url }) => [id, new URL(url).hostname]);
  await send(running, 'https://one.example.com/');
  update(world, { clock: freezeAt(new Date(NOW.getTime() - 60_000)) });
  await send(running, 'https://two.example.com/');
  await send(running, 'https://three.example.com/');
  expect(outbox()).toEqual([
    [1, 'one.example.com'],
    [2, 'two.example.com'],
    [3, 'three.example.com'],
  ]);
  update(world, { outbox: EMPTY_HISTORY });
  await send(running, 'https://four.example.com/');
  expect(outbox()).toEqual([[4, 'four.example.com']]);
});

test('a fault without operations hits API calls only', async () => {
  const running = createRunningWorld();
  const { id } = running.call('POST', '/webhooks', { body: JSON.stringify({ url: `https://${HOST}/` }) }).json;
  running.call('POST', `/webhooks/${id}/test`);
  addFault(running.world, { effect: { kind: 'hang' } });
  await running.settle();
  expect(entriesOf(running.world.state.outbox)).toMatchObject([{ status: 200 }]);
});

test.each([
  ['http://127.0.0.1:9', 'http://127.0.0.1:9/in?a=1'],
  ['http://127.0.0.1:9/', 'http://127.0.0.1:9/in?a=1'],
  ['http://127.0.0.1:9/base', 'http://127.0.0.1:9/base/in?a=1'],
])('a receiver %s gets the post at %s', async (receiver, target) => {
  const running = createRunningWorld();
  update(running.world, {
    settings: { ...running.world.state.settings, receivers: { 'Hooks.Example.COM': receiver } },
  });
  await send(running, `https://HOOKS.example.com:8443/in?a=1`);
  expect(running.posts.map(({ url }) => url)).toEqual([target]);
});

test('a host named like an object property goes to the outbox', async () => {
  const running = createRunningWorld();
  expect(await send(running, 'https://constructor.example.com/')).toMatchObject({ status: 'SUCCEEDED' });
  expect(running.posts).toEqual([]);
});

test.each([
  ['https://10.0.0.1/x', 'The address is private, local or reserved'],
  ['https://printer/x', 'The address is private, local or reserved'],
  ['https://hooks.example.com:22/x', 'The port is one on which no HTTP service listens'],
  ['ftp://hooks.example.com/x', 'The URL is not an http or https address'],
])('never posts webhooks or forwardings to %s', async (url, error) => {
  const running = createRunningWorld();
  const { world } = running;
  routeToReceiver(world, new URL(url).hostname);
  addFault(world, { operations: ['outbound'], effect: { kind: 'status', status: 200 } });
  const { id } = running.call('POST', '/webhooks', { body: JSON.stringify({ url: `https://${HOST}/` }) }).json;
  const { webhooks, destinations } = world.state.data;
  updateData(world, {
    webhooks: webhooks.map((row) => ({ ...row, url })),
    destinations: destinations.map((row) => ({ ...row, url })),
  });
  running.call('POST', `/webhooks/${id}/test`);
  running.call('POST', '/destinations/1/deliveries/1/replay');
  await running.settle();
  expect(running.call('GET', `/webhooks/${id}/deliveries`).json.data).toMatchObject([
    { status: 'PENDING', attemptCount: 1, lastHttpStatus: null, lastError: error },
  ]);
  expect(allRows(world.state.data.deliveries).at(-1)).toMatchObject({
    destinationUrl: url,
    status: 'error',
    httpStatus: null,
    error,
  });
  await running.advance(24 * HOUR_MS);
  expect(running.call('GET', `/webhooks/${id}/deliveries`).json.data).toMatchObject([
    { status: 'DEAD', attemptCount: 8, lastError: error },
  ]);
  expect([running.posts, entriesOf(world.state.outbox)]).toEqual([[], []]);
  expect(world.state.faults).toMatchObject([{ matchedCount: 0 }]);
});

test('a refused forwarding is not retried', async () => {
  const running = createRunningWorld();
  const { world } = running;
  updateData(world, {
    destinations: world.state.data.destinations.map((row) => ({ ...row, url: 'https://127.0.0.1/x' })),
  });
  const { requestId } = running.send('demo-smartlead', smartleadEvent('EMAIL_REPLY'));
  await running.advance(24 * HOUR_MS);
  const made = allRows(world.state.data.deliveries).filter(({ payloadId }) => payloadId === requestId);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set(['error']));
  expect(new Set(made.map(({ destinationId }) => destinationId)).size).toBe(made.length);
});
