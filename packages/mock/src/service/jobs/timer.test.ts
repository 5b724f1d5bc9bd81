/** Timers that run due jobs. */
import { expect, test } from 'vitest';
import { createDemoWorld, DEPS, NOW } from '../../../test/support/demo.ts';
import { createGate } from '../../../test/support/running.ts';
import { allRows, changeRow } from '../../state/log.ts';
import { resetWorld } from '../../state/snapshots.ts';
import { addJob, type JobWork } from '../../state/world-data.ts';
import { update, updateData, type World } from '../../state/world.ts';
import type { JobDeps } from './job-run.ts';
import { runDueJobsByTimer } from './timer.ts';

const PROBE: JobWork = { kind: 'top-up-blocklist', blocklistId: 999, run: 0 };

/** Starts a world with recorded timers and a real clock that the test moves. */
function start(
  options: { readonly isRunning?: boolean; readonly settings?: object; readonly post?: JobDeps['post'] } = {},
) {
  const timers: { callback: () => void; delayMs: number; isCancelled: boolean }[] = [];
  const real = { now: NOW };
  const errors: unknown[] = [];
  const world = createDemoWorld({ data: { jobs: [] }, ...(options.settings && { settings: options.settings }) });
  if (options.isRunning === true) update(world, { clock: { mode: 'running', offsetMs: 0 } });
  const deps: JobDeps = {
    ...DEPS,
    realNow: () => real.now,
    post: options.post ?? (() => Promise.resolve({ status: 200, error: null })),
    reportError: (error) => errors.push(error),
  };
  const end = runDueJobsByTimer(world, deps, (callback, delayMs) => {
    const timer = { callback, delayMs, isCancelled: false };
    timers.push(timer);
    return () => {
      timer.isCancelled = true;
    };
  });
  const pending = () => timers.filter(({ isCancelled }) => !isCancelled);
  return {
    world,
    real,
    errors,
    end,
    timers,
    delays: () => pending().map(({ delayMs }) => delayMs),
    /** Fires the only pending timer. */
    fire() {
      const [timer, ...others] = pending();
      expect(others).toEqual([]);
      if (timer === undefined) throw new Error('no timer is set');
      timer.isCancelled = true;
      timer.callback();
    },
  };
}

const enqueue = (world: World, work: JobWork, dueMs: number) =>
  updateData(world, addJob(world.state.data, work, new Date(NOW.getTime() + dueMs)));
const countOfJobs = (world: World) => world.state.data.jobs.length;

test('frozen clock: due work runs at once, later work has no timer', async () => {
  const { world, delays, fire } = start();
  enqueue(world, PROBE, 1);
  expect(delays()).toEqual([]);
  enqueue(world, PROBE, 0);
  expect(delays()).toEqual([0]);
  fire();
  await expect.poll(() => countOfJobs(world)).toBe(1);
  expect(delays()).toEqual([]);
});

test('running clock: the timer is set for the earliest job, again when an earlier one is added', async () => {
  const { world, delays, fire, real } = start({ isRunning: true });
  enqueue(world, PROBE, 60_000);
  expect(delays()).toEqual([60_000]);
  enqueue(world, PROBE, 10_000);
  expect(delays()).toEqual([10_000]);
  real.now = new Date(NOW.getTime() + 10_000);
  fire();
  await expect.poll(delays).toEqual([50_000]);
  expect(countOfJobs(world)).toBe(1);
});

test('updates of the world do not postpone due work', () => {
  const { world, real, timers } = start();
  enqueue(world, PROBE, 0);
  for (let count = 1; count <= 50; count += 1) {
    real.now = new Date(NOW.getTime() + count);
    update(world, { callCount: count });
  }
  expect(timers).toHaveLength(1);
  expect(timers[0]).toMatchObject({ delayMs: 0, isCancelled: false });
});

test('a wait beyond the longest timer is split', async () => {
  const { world, delays, fire, real } = start({ isRunning: true });
  enqueue(world, PROBE, 30 * 86_400_000);
  expect(delays()).toEqual([2_147_483_647]);
  real.now = new Date(NOW.getTime() + 2_147_483_647);
  fire();
  await expect.poll(delays).toEqual([30 * 86_400_000 - 2_147_483_647]);
});

test('sets no timer when runsJobs is false', () => {
  const { world, timers } = start({ settings: { runsJobs: false } });
  enqueue(world, PROBE, 0);
  expect(timers).toEqual([]);
});

test('sets no timer after it ended, not even from a job in progress', async () => {
  const gate = createGate();
  const { world, fire, end, timers } = start({
    isRunning: true,
    settings: { receivers: { 'hooks.example.com': 'http://127.0.0.1:9000' } },
    async post() {
      await gate.opened;
      return { status: 500, error: null };
    },
  });
  enqueue(world, { kind: 'replay-delivery', deliveryId: 1 }, 0);
  enqueue(world, PROBE, 60_000);
  const before = world.state.data.deliveries.length;
  fire();
  end();
  gate.open();
  await expect.poll(() => world.state.data.deliveries.length).toBe(before + 1);
  // Lets the end of the run finish too.
  await new Promise(setImmediate);
  enqueue(world, PROBE, 0);
  expect(timers).toHaveLength(1);
});

test('after a reset, new work does not wait for a job in progress', async () => {
  const { world, fire, delays } = start({
    settings: { receivers: { 'hooks.example.com': 'http://127.0.0.1:9000' } },
    post: () => new Promise(() => {}),
  });
  enqueue(world, { kind: 'replay-delivery', deliveryId: 1 }, 0);
  fire();
  await expect.poll(delays).toEqual([]);
  resetWorld(world);
  enqueue(world, PROBE, 0);
  expect(delays()).toEqual([0]);
  fire();
  await expect.poll(() => countOfJobs(world)).toBe(0);
});

test('a job that throws is reported and dropped, and the next one runs', async () => {
  const { world, fire, errors } = start();
  const broken = { text: 'no JSON', contentType: null };
  const { requests } = world.state.data;
  const requestId = allRows(requests).findLast(({ sourceId }) => sourceId === 1)?.id ?? 0;
  updateData(world, { requests: changeRow(requests, requestId, (row) => ({ ...row, received: broken })) });
  enqueue(world, { kind: 'process-request', requestId, headers: {}, bodyHash: '' }, 0);
  enqueue(world, PROBE, 0);
  fire();
  await expect.poll(() => countOfJobs(world)).toBe(0);
  expect(errors).toHaveLength(1);
});
