/**
 * Inbound posts in worlds that the API cannot make: other capabilities, failures of single sources, removed bindings. `writes/inbound.test.ts`
 * of the conformance suite proves what becomes of a post.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createDemoWorld, MONTH, NOW } from '../../../test/support/demo.ts';
import { smartleadCategory, smartleadEvent } from '../../../test/support/payloads.ts';
import {
  createRunningWorld,
  HOUR_MS,
  MINUTE_MS,
  routeToReceiver,
  type RunningWorld,
} from '../../../test/support/running.ts';
import { entriesOf } from '../../state/history.ts';
import { allRows, findRow } from '../../state/log.ts';
import { update, updateData } from '../../state/world.ts';

const SOURCE = 'demo-smartlead';
const CONNECTION_ID = 1;

const syncsOf = ({ call }: RunningWorld, requestId: number) =>
  call('GET', `/sources/1/syncs?${WITH_TODAY}&limit=500`).json.data.filter(
    (sync: { payloadId: number }) => sync.payloadId === requestId,
  );
const deliveriesOf = ({ call }: RunningWorld, requestId: number) =>
  call('GET', `/deliveries?${WITH_TODAY}&limit=500`).json.data.filter(
    (delivery: { payloadId: number }) => delivery.payloadId === requestId,
  );
/** The days around now. */
const WITH_TODAY = `from=${new Date(NOW.getTime() - 24 * HOUR_MS).toISOString()}&to=${new Date(NOW.getTime() + 240 * HOUR_MS).toISOString()}`;
const outcomeOf = ({ world }: RunningWorld, requestId: number) =>
  findRow(world.state.data.requests, requestId)?.outcome;
const setCapabilities = ({ world }: RunningWorld, capabilities: object) =>
  updateData(world, {
    connections: world.state.data.connections.map((row) =>
      row.id === CONNECTION_ID ? { ...row, capabilities: { ...row.capabilities, ...capabilities } } : row,
    ),
  });

describe('a post', () => {
  test("a post does not change the previous state's data", async () => {
    const running = createRunningWorld();
    const before = running.world.state.data;
    const text =
      JSON.stringify(before.seenEvents.chunks.map((chunk) => [...chunk])) +
      before.requests.length +
      before.syncs.length;
    running.send(SOURCE, smartleadEvent('EMAIL_SENT'));
    await running.settle();
    expect(
      JSON.stringify(before.seenEvents.chunks.map((chunk) => [...chunk])) +
        before.requests.length +
        before.syncs.length,
    ).toBe(text);
  });
});

describe('capabilities', () => {
  test('without sync, destinations and relays events are not read: the same event counts as new later', async () => {
    const running = createRunningWorld();
    updateData(running.world, { replyRelays: [] });
    setCapabilities(running, { sync: false, destinations: false });
    const off = running.send(SOURCE, smartleadCategory('Interested'));
    await running.settle();
    expect(outcomeOf(running, off.requestId)).toBe('ignored');
    expect(running.world.state.data.categorySignals.filter(({ at }) => at.getTime() === NOW.getTime())).toEqual([]);
    setCapabilities(running, { sync: true });
    const on = running.send(SOURCE, smartleadCategory('Interested'));
    await running.settle();
    expect(outcomeOf(running, on.requestId)).toBe('synced');
  });

  test('without sync events are still forwarded; without destinations they are not', async () => {
    const running = createRunningWorld();
    setCapabilities(running, { sync: false });
    const forwarded = running.send(SOURCE, smartleadEvent('EMAIL_SENT', { number: 1 }));
    await running.settle();
    expect(outcomeOf(running, forwarded.requestId)).toBe('ignored');
    expect(syncsOf(running, forwarded.requestId)).toEqual([]);
    expect(deliveriesOf(running, forwarded.requestId)).toHaveLength(1);
    setCapabilities(running, { sync: true, destinations: false });
    const kept = running.send(SOURCE, smartleadEvent('EMAIL_SENT', { number: 2 }));
    await running.settle();
    expect(deliveriesOf(running, kept.requestId)).toEqual([]);
    expect(syncsOf(running, kept.requestId)).toHaveLength(1);
  });
});

describe('the CRM', () => {
  const post = async (running: RunningWorld, number: number) => {
    const { requestId } = running.send(SOURCE, smartleadEvent('EMAIL_OPEN', { number }));
    await running.settle();
    return syncsOf(running, requestId)[0];
  };
  test('a warning counts as a success; a failure rule for one source does not affect others', async () => {
    const running = createRunningWorld();
    const { world } = running;
    const error = { code: 'field_refused', message: 'The phone number was refused', httpStatus: 400 };
    update(world, { settings: { ...world.state.settings, crmFailures: [{ sourceId: 1, status: 'warning', error }] } });
    expect(await post(running, 1)).toMatchObject({ status: 'warning', error });
    running.send('8100452/1207', smartleadEvent('EMAIL_SENT'));
    await running.settle();
    expect(allRows(world.state.data.syncs).at(-1)).toMatchObject({ sourceId: 4, status: 'success', error: null });
  });
});

describe('forwarding', () => {
  test('a delayed binding forwards five minutes after receipt, if it still exists', async () => {
    const reply = readFileSync(
      new URL('../../../../../fixtures/payloads/instantly/reply-received.json', import.meta.url),
      'utf8',
    );
    for (const isUnbound of [false, true]) {
      const running = createRunningWorld();
      const { requestId } = running.send('demo-instantly', reply);
      await running.advance(5 * MINUTE_MS - 1);
      expect(
        deliveriesOf(running, requestId).map(({ destinationId }: { destinationId: number }) => destinationId),
      ).toEqual([2]);
      if (isUnbound) updateData(running.world, { destinations: [] });
      await running.advance(1);
      const delayed = allRows(running.world.state.data.deliveries).filter(
        (row) => row.payloadId === requestId && row.destinationId === 3,
      );
      expect(delayed).toMatchObject(isUnbound ? [] : [{ createdAt: new Date(NOW.getTime() + 5 * MINUTE_MS) }]);
    }
  });
});

describe('posting again', () => {
  const destination = ({ call }: RunningWorld, id = 1) =>
    call('GET', `/destinations/${id}/deliveries?${MONTH}&limit=500`).json.data;

  test('replay: adds one attempt at the current address', async () => {
    const running = createRunningWorld(() => 500, createDemoWorld({ data: { jobs: [] } }));
    const { world } = running;
    updateData(world, {
      destinations: world.state.data.destinations.map((row) =>
        row.id === 1 ? { ...row, url: 'https://moved.example.com/feed' } : row,
      ),
    });
    routeToReceiver(world, 'moved.example.com');
    const original = findRow(world.state.data.deliveries, 1);
    const answer = running.call('POST', '/destinations/1/deliveries/1/replay');
    expect(answer.json).toEqual({ queued: true, destinationId: 1, payloadId: original?.payloadId });
    running.call('POST', '/destinations/1/deliveries/1/replay');
    await running.advance(24 * HOUR_MS);
    expect(running.posts.map(({ url }) => url)).toEqual(['http://127.0.0.1:9000/moved.example.com/feed']);
    expect(JSON.parse(running.posts[0]?.body ?? '')).toEqual(
      findRow(world.state.data.requests, original?.payloadId ?? 0)?.body,
    );
    expect(destination(running)[0]).toMatchObject({
      destinationUrl: 'https://moved.example.com/feed',
      payloadId: original?.payloadId,
      eventType: original?.eventType,
      status: 'error',
      httpStatus: 500,
    });
    expect(findRow(world.state.data.deliveries, 1)).toBe(original);
  });

  test('replay: while the capability is off, nothing is posted and the new delivery says why', async () => {
    const running = createRunningWorld();
    setCapabilities(running, { destinations: false });
    const count = running.world.state.data.deliveries.length;
    expect(running.call('POST', '/destinations/1/deliveries/1/replay').status).toBe(200);
    await running.settle();
    expect(running.world.state.data.deliveries).toHaveLength(count + 1);
    const error = expect.stringContaining('switched off');
    expect(allRows(running.world.state.data.deliveries).at(-1)).toMatchObject({
      status: 'error',
      httpStatus: null,
      error,
    });
    expect(entriesOf(running.world.state.outbox)).toEqual([]);
  });
});
