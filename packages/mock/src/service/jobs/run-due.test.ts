/** Posts to slow receivers: what runs meanwhile, and when they time out. */
import { expect, test } from 'vitest';
import {
  createGate,
  createRunningWorld,
  HOUR_MS,
  routeToReceiver,
  type RunningWorld,
} from '../../../test/support/running.ts';
import { freezeAt, readClock } from '../../state/clock.ts';
import { resetWorld } from '../../state/snapshots.ts';
import { update } from '../../state/world.ts';

const TIMEOUT_MS = 10_000;

/** Two webhooks at different hosts. Posts to the slow one wait for the gate. */
function start() {
  const gate = createGate();
  const running = createRunningWorld(async ({ url }) => {
    if (url.includes('slow.example.com')) await gate.opened;
    return 200;
  });
  routeToReceiver(running.world, 'slow.example.com', 'quick.example.com');
  const [slow, quick] = ['slow', 'quick'].map((name) => {
    const body = JSON.stringify({ url: `https://${name}.example.com/` });
    const { id } = running.call('POST', '/webhooks', { body }).json;
    return {
      ping: () => running.call('POST', `/webhooks/${id}/test`),
      shown: () => running.call('GET', `/webhooks/${id}/deliveries?limit=100`).json.data,
    };
  });
  if (slow === undefined || quick === undefined) throw new Error('not reached');
  const names = () => running.posts.map(({ url }) => /(slow|quick)\.example/.exec(url)?.[1]);
  return { running, gate, slow, quick, names };
}

/** Sets the clock without running what is due on the way. */
function jump({ world, deps }: RunningWorld, ms: number): void {
  const now = readClock(world.state.clock, deps.realNow);
  update(world, { clock: freezeAt(new Date(now.getTime() + ms)) });
}

test('a hanging receiver delays no other host; posts to one host are made one after the other', async () => {
  const { running, gate, slow, quick, names } = start();
  for (let count = 0; count < 3; count += 1) slow.ping();
  quick.ping();
  const settled = running.settle();
  await expect.poll(names).toEqual(['slow', 'quick']);
  await expect.poll(quick.shown).toMatchObject([{ status: 'SUCCEEDED' }]);
  // Work that is added while it hangs is done too.
  quick.ping();
  await expect.poll(names).toEqual(['slow', 'quick', 'quick']);
  expect(slow.shown()).toMatchObject([{ status: 'PENDING' }, { status: 'PENDING' }, { status: 'PENDING' }]);
  gate.open();
  await settled;
  expect(names()).toEqual(['slow', 'quick', 'quick', 'slow', 'slow']);
  expect(slow.shown()).toMatchObject([{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }]);
});

test.each([
  ['advanced', (running: RunningWorld, ms: number) => running.advance(ms)],
  ['set ahead', async (running: RunningWorld, ms: number) => jump(running, ms)],
])('a post times out once the clock is %s by ten seconds, not a millisecond earlier', async (_name, move) => {
  const { running, slow, names } = start();
  slow.ping();
  const settled = running.settle();
  await expect.poll(names).toEqual(['slow']);
  await move(running, TIMEOUT_MS - 1);
  expect(slow.shown()).toMatchObject([{ status: 'PENDING', attemptCount: 0 }]);
  await move(running, 1);
  await settled;
  const lastAttemptAt = readClock(running.world.state.clock, running.deps.realNow).toISOString();
  expect(slow.shown()).toMatchObject([
    { status: 'PENDING', attemptCount: 1, lastAttemptAt, lastError: 'No answer within 10 seconds' },
  ]);
});

test('advance waits for the posts that it makes, not for earlier ones', async () => {
  const { running, gate, slow, quick, names } = start();
  slow.ping();
  const settled = running.settle();
  await expect.poll(names).toEqual(['slow']);
  quick.ping();
  await running.advance(1_000);
  expect(quick.shown()).toMatchObject([{ status: 'SUCCEEDED' }]);
  gate.open();
  await settled;
  expect(slow.shown()).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 1 }]);
});

test('a post from before a reset changes nothing after it', async () => {
  const { running, gate, slow, names } = start();
  running.world.initial = running.world.state;
  slow.ping();
  const settled = running.settle();
  await expect.poll(names).toEqual(['slow']);
  resetWorld(running.world);
  const { state } = running.world;
  await settled;
  gate.open();
  await running.advance(HOUR_MS);
  expect(running.world.state.data).toBe(state.data);
  expect(slow.shown()).toEqual([]);
});
