/** Inbound posts and their syncs, events and forwardings, as the API shows them. */
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
import { allRows, findRow } from '../../state/log.ts';
import { applyScenarios } from '../../state/scenarios.ts';
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
  test('becomes a request and, once processed, a sync', async () => {
    const running = createRunningWorld();
    const { status, requestId } = running.send(SOURCE, smartleadEvent('EMAIL_SENT'));
    expect(status).toBe(200);
    expect(running.call('GET', `/sources/1/requests?${MONTH}&limit=1`).json.data).toEqual([
      { id: requestId, sourceId: 1, connectionId: 1, path: SOURCE, createdAt: NOW.toISOString() },
    ]);
    expect(syncsOf(running, requestId)).toEqual([]);
    await running.settle();
    expect(syncsOf(running, requestId)).toMatchObject([
      {
        status: 'success',
        eventType: 'EMAIL_SENT',
        toEmail: 'maren.holt@fjordfreight.example.org',
        platform: 'smartlead',
      },
    ]);
    expect(outcomeOf(running, requestId)).toBe('synced');
  });

  test('a post to a legacy URL finds its source', async () => {
    const running = createRunningWorld();
    const { requestId } = running.send('8100452/1207', smartleadEvent('EMAIL_SENT'));
    await running.settle();
    expect(findRow(running.world.state.data.requests, requestId)).toMatchObject({ sourceId: 4, outcome: 'synced' });
  });

  test('a repeated event of the same source creates no sync; from another source it does', async () => {
    const running = createRunningWorld();
    const first = running.send(SOURCE, smartleadEvent('EMAIL_SENT'));
    const again = running.send(SOURCE, smartleadEvent('EMAIL_SENT'));
    const elsewhere = running.send('8100452/1207', smartleadEvent('EMAIL_SENT'));
    await running.settle();
    expect([first, again, elsewhere].map(({ requestId }) => outcomeOf(running, requestId))).toEqual([
      'synced',
      'duplicate',
      'synced',
    ]);
    expect(syncsOf(running, again.requestId)).toEqual([]);
  });

  test("a platform of one's own is read by the mapping of its source", async () => {
    const running = createRunningWorld();
    const { world } = running;
    const fields = { eventName: 'event', email: 'lead.email' };
    updateData(world, {
      sources: world.state.data.sources.map((row) =>
        row.id === 1
          ? { ...row, platform: 'my-dialer', mapping: { fields, eventTypes: { 'call.ended': 'CALL_COMPLETED' } } }
          : row,
      ),
    });
    const ended = running.send(SOURCE, '{"event":"call.ended","lead":{"email":"Kim@example.org"}}');
    const rated = running.send(SOURCE, '{"event":"call.rated","lead":{"email":"Kim@example.org"}}');
    await running.settle();
    expect(syncsOf(running, ended.requestId)).toMatchObject([
      { eventType: 'CALL_COMPLETED', toEmail: 'kim@example.org', platform: 'my-dialer' },
    ]);
    expect(outcomeOf(running, rated.requestId)).toBe('unparsed');
  });

  test('a post with several events creates one sync per distinct event', async () => {
    const running = createRunningWorld();
    const [one, two] = [1, 2].map((number) => JSON.parse(smartleadEvent('EMAIL_SENT', { number })));
    const { requestId } = running.send(SOURCE, JSON.stringify([one, two, one]));
    await running.settle();
    expect(syncsOf(running, requestId)).toHaveLength(2);
  });

  test.each([
    ['an unknown payload', '{"hello":"world"}'],
    ['a bare value', '17'],
  ])('with %s is kept and acknowledged', async (_name, body) => {
    const running = createRunningWorld();
    const { status, requestId } = running.send(SOURCE, body);
    await running.settle();
    expect(status).toBe(200);
    expect(outcomeOf(running, requestId)).toBe('unparsed');
    expect(syncsOf(running, requestId)).toEqual([]);
  });

  test('a post with only a category is found by outreach', async () => {
    const running = createRunningWorld();
    running.send(SOURCE, smartleadCategory('Meeting Request'));
    await running.settle();
    expect(running.call('GET', '/contacts/outreach?email=maren.holt@fjordfreight.example.org').json).toMatchObject({
      found: true,
      outcomes: { lastCategoryName: 'Meeting Request', lastCategoryAt: NOW.toISOString() },
    });
  });

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
  const failAll = ({ world }: RunningWorld) => applyScenarios(world, ['syncs-failing'], { now: NOW });
  const post = async (running: RunningWorld, number: number) => {
    const { requestId } = running.send(SOURCE, smartleadEvent('EMAIL_OPEN', { number }));
    await running.settle();
    return syncsOf(running, requestId)[0];
  };
  const healthEvents = ({ call }: RunningWorld) =>
    call('GET', '/events?type=sync.failed&type=sync.recovered&limit=100').json.data.filter(
      ({ createdAt, sourceId }: { createdAt: string; sourceId: number }) =>
        sourceId === 1 && createdAt >= NOW.toISOString(),
    );

  test('the third error raises sync.failed once, sent to its subscribers; the next success raises sync.recovered', async () => {
    const running = createRunningWorld();
    routeToReceiver(running.world, 'hooks.example.com');
    const register = (enabledEvents: string[]) =>
      running.call('POST', '/webhooks', {
        body: JSON.stringify({ url: `https://hooks.example.com/${enabledEvents.join('-')}`, enabledEvents }),
      });
    register([]);
    register(['sync.failed']);
    register(['sync.recovered']);
    failAll(running);
    for (const number of [1, 2])
      expect(await post(running, number)).toMatchObject({ status: 'error', error: { code: 'crm_refused' } });
    expect(healthEvents(running)).toEqual([]);
    for (const number of [3, 4, 5]) await post(running, number);
    expect(healthEvents(running)).toMatchObject([
      { type: 'sync.failed', connectionId: 1, sourceId: 1, data: { crm: 'HUBSPOT', sourcePlatform: 'smartlead' } },
    ]);
    expect(healthEvents(running)[0].data.remediation).toContain('http://app.example.com');
    const pathsPosted = () => running.posts.map(({ url }) => new URL(url).pathname.split('/').at(-1));
    expect(pathsPosted()).toEqual(['', 'sync.failed']);

    update(running.world, { settings: { ...running.world.state.settings, crmFailures: [] } });
    await running.advance(MINUTE_MS);
    expect(await post(running, 6)).toMatchObject({ status: 'success' });
    const [recovered] = healthEvents(running);
    expect(recovered).toMatchObject({ type: 'sync.recovered', data: { failedSince: NOW.toISOString() } });
    expect(pathsPosted().slice(2)).toEqual(['', 'sync.recovered']);
    await post(running, 7);
    expect(healthEvents(running)).toHaveLength(2);
  });

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

  test('disconnected: every write fails with crm_disconnected', async () => {
    const running = createRunningWorld();
    applyScenarios(running.world, ['not-ready'], { now: NOW });
    expect(await post(running, 1)).toMatchObject({ status: 'error', error: { code: 'crm_disconnected' } });
  });
});

describe('forwarding', () => {
  test("posts the received bytes with the request's id to each destination that accepts the event", async () => {
    const running = createRunningWorld();
    routeToReceiver(running.world, 'hooks.example.com', 'alerts.example.org');
    const body = `\n ${smartleadEvent('EMAIL_REPLY')} `;
    const { requestId } = running.send(SOURCE, body, { 'content-type': 'application/vnd.x+json', 'x-secret': 'no' });
    await running.settle();
    expect(running.posts.map(({ url }) => url)).toEqual([
      'http://127.0.0.1:9000/hooks.example.com/crm-events',
      'http://127.0.0.1:9000/alerts.example.org/replies',
    ]);
    for (const posted of running.posts) {
      expect(posted).toMatchObject({ body, timeoutMs: 10_000 });
      expect(posted.headers).toEqual({
        'Content-Type': 'application/vnd.x+json',
        'User-Agent': 'svc-forwarding/1',
        'Service-Payload-Id': String(requestId),
      });
    }
    expect(deliveriesOf(running, requestId)).toMatchObject(
      [3, 1].map((destinationId) => ({ destinationId, status: 'success', httpStatus: 200, eventType: 'EMAIL_REPLY' })),
    );
  });

  test('does not forward a type that no binding names', async () => {
    const running = createRunningWorld();
    running.send(SOURCE, smartleadEvent('EMAIL_OPEN'));
    await running.advance(HOUR_MS);
    expect(allRows(running.world.state.outbox)).toEqual([]);
  });

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

  test('a transient failure is tried eight times with a row each; others are final', async () => {
    const running = createRunningWorld(({ url }) => (url.includes('crm-events') ? 503 : 410));
    routeToReceiver(running.world, 'hooks.example.com', 'alerts.example.org');
    const { requestId } = running.send(SOURCE, smartleadEvent('EMAIL_REPLY'));
    await running.advance(24 * HOUR_MS);
    const rows = deliveriesOf(running, requestId);
    const of = (id: number) => rows.filter(({ destinationId }: { destinationId: number }) => destinationId === id);
    expect(of(3)).toMatchObject([{ status: 'error', httpStatus: 410, error: 'The destination answered 410' }]);
    expect(of(1)).toHaveLength(8);
    expect(new Set(of(1).map(({ httpStatus }: { httpStatus: number }) => httpStatus))).toEqual(new Set([503]));
    expect(new Set(of(1).map(({ id }: { id: number }) => id)).size).toBe(8);
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
    expect(allRows(running.world.state.outbox)).toEqual([]);
  });

  test('retry: adds one new sync, even when requested twice', async () => {
    const running = createRunningWorld();
    const { world } = running;
    const failed = allRows(world.state.data.syncs).findLast(
      (row) => row.status === 'error' && row.connectionId === 1 && row.payloadId !== null,
    );
    const before = world.state.data.syncs.length;
    for (let count = 0; count < 2; count += 1) {
      expect(running.call('POST', `/syncs/${failed?.id}/retry`).json).toEqual({ queued: true, syncId: failed?.id });
    }
    await running.settle();
    expect(world.state.data.syncs).toHaveLength(before + 1);
    expect(findRow(world.state.data.syncs, failed?.id ?? 0)).toBe(failed);
    const { payloadId, eventType, toEmail, sourceId } = failed ?? {};
    expect(allRows(world.state.data.syncs).at(-1)).toMatchObject({
      status: 'success',
      payloadId,
      eventType,
      toEmail,
      sourceId,
    });
    applyScenarios(world, ['syncs-failing'], { now: NOW });
    running.call('POST', `/syncs/${failed?.id}/retry`);
    await running.settle();
    expect(allRows(world.state.data.syncs).at(-1)).toMatchObject({ status: 'error', payloadId });
  });
});
