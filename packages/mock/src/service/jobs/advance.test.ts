import { expect, test } from 'vitest';
import { createDemoWorld, DEPS, NOW } from '../../../test/support/demo.ts';
import { createGate, createRunningWorld, HOUR_MS, routeToReceiver } from '../../../test/support/running.ts';
import { entriesOf } from '../../state/history.ts';
import { resetWorld } from '../../state/snapshots.ts';
import { addJob } from '../../state/world-data.ts';
import { update, updateData } from '../../state/world.ts';
import { advance } from './advance.ts';

const clockOf = ({ world }: ReturnType<typeof createRunningWorld>) => world.state.clock;
const later = (ms: number) => new Date(NOW.getTime() + ms);

test('moves the clock by the given time, whatever was due on the way', async () => {
  const running = createRunningWorld(() => 500, createDemoWorld());
  await running.advance(24 * HOUR_MS);
  expect(clockOf(running)).toEqual({ mode: 'frozen', at: later(24 * HOUR_MS) });
  await running.advance(0);
  expect(clockOf(running)).toEqual({ mode: 'frozen', at: later(24 * HOUR_MS) });
});

test('two concurrent calls add up, and each job runs once', async () => {
  const running = createRunningWorld();
  routeToReceiver(running.world, 'hooks.example.com');
  for (const hours of [1, 2, 3, 4]) {
    const work = { kind: 'replay-delivery', deliveryId: 1 } as const;
    updateData(running.world, addJob(running.world.state.data, work, later(hours * HOUR_MS)));
  }
  await Promise.all([running.advance(2 * HOUR_MS), running.advance(3 * HOUR_MS)]);
  expect(clockOf(running)).toEqual({ mode: 'frozen', at: later(5 * HOUR_MS) });
  expect(entriesOf(running.world.state.outbox).map(({ createdAt }) => createdAt)).toEqual(
    [1, 2, 3, 4].map((hours) => later(hours * HOUR_MS)),
  );
});

test('a running clock keeps running, ahead by the given time', async () => {
  const running = createRunningWorld();
  update(running.world, { clock: { mode: 'running', offsetMs: 0 } });
  await running.advance(HOUR_MS);
  expect(clockOf(running)).toEqual({ mode: 'running', offsetMs: HOUR_MS });
});

test('stops when the world is reset on the way', async () => {
  const gate = createGate();
  const running = createRunningWorld(async () => {
    await gate.opened;
    return 200;
  });
  routeToReceiver(running.world, 'hooks.example.com');
  running.world.initial = running.world.state;
  const work = { kind: 'replay-delivery', deliveryId: 1 } as const;
  updateData(running.world, addJob(running.world.state.data, work, later(HOUR_MS)));
  const advanced = running.advance(2 * HOUR_MS);
  await expect.poll(() => running.posts.length).toBe(1);
  resetWorld(running.world);
  gate.open();
  await advanced;
  expect(clockOf(running)).toEqual({ mode: 'frozen', at: NOW });
});

test.each([-1, Number.NaN, Infinity])('refuses %s', async (ms) => {
  const { world, deps } = createRunningWorld();
  await expect(advance(world, ms, { ...DEPS, ...deps })).rejects.toThrow(RangeError);
});
