/**
 * Webhook deliveries of the mock: receivers, the outbox, the clock, snapshots. `writes/webhook-attempts.test.ts` of the conformance suite proves
 * the rules of attempts.
 */
import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createGate,
  createRunningWorld,
  HOUR_MS,
  MINUTE_MS,
  type Posted,
  routeToReceiver,
  type RunningWorld,
} from '../../../test/support/running.ts';
import { entriesOf } from '../../state/history.ts';
import { resetWorld, restoreSnapshot, takeSnapshot } from '../../state/snapshots.ts';
import { updateData } from '../../state/world.ts';

const HOST = 'hooks.example.com';

/** Creates a webhook at a host that is routed to the receiver. */
function register(running: RunningWorld, body: object = {}): { id: string; secret: string } {
  routeToReceiver(running.world, HOST);
  const { json } = running.call('POST', '/webhooks', {
    body: JSON.stringify({ url: `https://${HOST}/in?x=1`, ...body }),
  });
  return json;
}

const ping = ({ call }: RunningWorld, id: string): string => call('POST', `/webhooks/${id}/test`).json.eventId;
const deliveriesOf = ({ call }: RunningWorld, id: string) =>
  call('GET', `/webhooks/${id}/deliveries?limit=100`).json.data;

/** Verifies the signature as a receiver would, without code of this repository. */
function expectSigned({ headers, body }: Posted, secret: string): void {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['Service-Signature'] ?? '') ?? [];
  expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'));
}

describe('attempts', () => {
  test('an attempt to a host without a receiver goes to the outbox only and counts as answered 200', async () => {
    const running = createRunningWorld();
    const { id, secret } = register(running, { url: 'https://elsewhere.example.org/x' });
    ping(running, id);
    await running.settle();
    expect(running.posts).toEqual([]);
    const [entry] = entriesOf(running.world.state.outbox);
    expect(entry).toMatchObject({
      kind: 'webhook',
      url: 'https://elsewhere.example.org/x',
      receiver: null,
      status: 200,
    });
    if (entry !== undefined) expectSigned({ ...entry, timeoutMs: 0 }, secret);
    expect(deliveriesOf(running, id)).toMatchObject([{ status: 'SUCCEEDED' }]);
  });

  test("an attempt whose post rejects has no status, and the error's message", async () => {
    const running = createRunningWorld(() => Promise.reject(new Error('socket hang up')));
    const { id } = register(running);
    ping(running, id);
    await running.settle();
    expect(deliveriesOf(running, id)).toMatchObject([
      { status: 'PENDING', attemptCount: 1, lastHttpStatus: null, lastError: 'socket hang up' },
    ]);
  });
});

describe('the schedule', () => {
  test('property: the outcome does not depend on how time is split into steps', async () => {
    const run = async (statuses: readonly number[], steps: readonly number[]) => {
      const running = createRunningWorld((_posted, index) => statuses[index % statuses.length] ?? 200);
      const { id } = register(running);
      for (let count = 0; count < 3; count += 1) ping(running, id);
      for (const ms of steps) await running.advance(ms);
      return { deliveries: deliveriesOf(running, id), posts: running.posts };
    };
    const status = fc.constantFrom(200, 204, 301, 404, 413, 500, 503);
    const step = fc.integer({ min: 0, max: 50 * MINUTE_MS });
    await fc.assert(
      fc.asyncProperty(
        fc.array(status, { minLength: 1, maxLength: 12 }),
        fc.array(step, { maxLength: 20 }),
        async (statuses, steps) => {
          const walked = steps.reduce((sum, ms) => sum + ms, 0);
          const inSteps = await run(statuses, [...steps, 24 * HOUR_MS - Math.min(walked, 24 * HOUR_MS)]);
          const atOnce = await run(statuses, [Math.max(walked, 24 * HOUR_MS)]);
          expect(inSteps).toEqual(atOnce);
          expect(inSteps.deliveries).toHaveLength(3);
          for (const { status: end } of inSteps.deliveries) expect(['SUCCEEDED', 'DEAD']).toContain(end);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('restore and reset during a post', () => {
  test.each([
    ['restore', (running: RunningWorld) => restoreSnapshot(running.world, 'before')],
    ['reset', (running: RunningWorld) => resetWorld(running.world)],
  ] as const)('%s: drops the result of the post, and new work does not wait for it', async (_name, goBack) => {
    const gate = createGate();
    const running = createRunningWorld(async (_posted, index) => {
      if (index === 0) await gate.opened;
      return index === 0 ? 500 : 200;
    });
    const { id } = register(running);
    ping(running, id);
    running.world.initial = running.world.state;
    takeSnapshot(running.world, 'before');
    const { state } = running.world;
    const underWay = running.settle();
    await expect.poll(() => running.posts.length).toBe(1);
    goBack(running);
    expect(running.world.state).toEqual(state);
    await running.settle();
    expect(deliveriesOf(running, id)).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 1 }]);
    const after = running.world.state;
    gate.open();
    await underWay;
    expect(running.world.state).toEqual(after);
  });

  test('a run from before a reset does no work of the new state', async () => {
    const gates = [createGate(), createGate()];
    const running = createRunningWorld(async (_posted, index) => {
      await gates[index]?.opened;
      return 200;
    });
    const { id } = register(running);
    ping(running, id);
    running.world.initial = running.world.state;
    const before = running.settle();
    await expect.poll(() => running.posts.length).toBe(1);
    resetWorld(running.world);
    const after = running.settle();
    await expect.poll(() => running.posts.length).toBe(2);
    gates[0]?.open();
    await before;
    gates[1]?.open();
    await after;
    expect(running.posts).toHaveLength(2);
    expect(deliveriesOf(running, id)).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 1 }]);
  });

  test('a snapshot taken during a post still holds its delivery', async () => {
    const gate = createGate();
    const running = createRunningWorld(async (_posted, index) => {
      if (index === 0) await gate.opened;
      return 200;
    });
    const { id } = register(running);
    ping(running, id);
    const underWay = running.settle();
    await expect.poll(() => running.posts.length).toBe(1);
    takeSnapshot(running.world, 'within');
    gate.open();
    await underWay;
    restoreSnapshot(running.world, 'within');
    expect(deliveriesOf(running, id)).toMatchObject([{ status: 'PENDING', attemptCount: 0 }]);
    await running.settle();
    expect(deliveriesOf(running, id)).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 1 }]);
    expect(running.posts).toHaveLength(2);
  });
});

test('drops the job of a delivery whose event is gone', async () => {
  const running = createRunningWorld();
  const { id } = register(running);
  ping(running, id);
  updateData(running.world, { events: { chunks: [], length: 0 } });
  await running.settle();
  expect(running.posts).toEqual([]);
  expect(running.world.state.data.jobs).toEqual([]);
});
