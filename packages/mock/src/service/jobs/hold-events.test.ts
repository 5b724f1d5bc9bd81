/** Events that a write policy holds, by the rules that the server has too (`domain/policy/hold.ts`). */
import { writePolicySchema } from '@svc/domain/policy/write-policy';
import { expect, test } from 'vitest';
import { smartleadCategory, smartleadEvent } from '../../../test/support/payloads.ts';
import { createRunningWorld, HOUR_MS, type RunningWorld } from '../../../test/support/running.ts';
import { NOW } from '../../../test/support/demo.ts';
import { readClock } from '../../state/clock.ts';
import { allRows } from '../../state/log.ts';
import { applyScenarios } from '../../state/scenarios.ts';
import { updateData } from '../../state/world.ts';
import { dropHeldEvents, listHeldEvents, releaseHeldEvents } from './hold-events.ts';

const HOLD = { holdUntil: { reply: true, categories: ['Interested'], dropAfter: '2d' } };
const LEAD = 'ada@held.example';

/** Returns a world whose source has this policy, and functions for one lead. */
function start(policy: unknown = HOLD) {
  const running = createRunningWorld();
  const { world } = running;
  const before = world.state.data.syncs.length;
  const setPolicy = (given: unknown) =>
    updateData(world, {
      sources: world.state.data.sources.map((row) =>
        row.id === 1 ? { ...row, policy: writePolicySchema.parse(given) } : row,
      ),
    });
  setPolicy(policy);
  return {
    ...running,
    setPolicy,
    async receive(...bodies: string[]) {
      for (const body of bodies) running.send('demo-smartlead', body);
      await running.settle();
    },
    /** The types of what was written, in this order. */
    written: () =>
      allRows(world.state.data.syncs)
        .slice(before)
        .map(({ eventType }) => eventType),
  };
}

const sent = (number: number, to = LEAD) => smartleadEvent('EMAIL_SENT', { number, to });
const opened = (number: number) => smartleadEvent('EMAIL_OPEN', { number, to: LEAD });
const replied = (number: number) => smartleadEvent('EMAIL_REPLY', { number, to: LEAD });
const outreach = ({ call }: RunningWorld, email: string) => call('GET', `/contacts/outreach?email=${email}`).json;

test('events wait without syncs until the lead answers, are written in order, once, and later ones pass', async () => {
  const world = start();
  const deliveries = world.world.state.data.deliveries.length;
  await world.receive(sent(1), opened(2));
  expect(world.written()).toEqual([]);
  // They are forwarded at once.
  expect(world.world.state.data.deliveries.length).toBeGreaterThan(deliveries);
  await world.receive(replied(3), sent(1), replied(3));
  expect(world.written()).toEqual(['EMAIL_SENT', 'EMAIL_OPEN', 'EMAIL_REPLY']);
  await world.receive(sent(4));
  expect(world.written()).toHaveLength(4);
});

test('a category releases its lead only when the policy allows it, and other leads wait on', async () => {
  const lead = 'maren.holt@fjordfreight.example.org';
  const world = start();
  await world.receive(sent(1, lead), sent(2), smartleadCategory('Later'));
  expect(world.written()).toEqual([]);
  await world.receive(smartleadCategory('Interested', 2));
  expect(world.written()).toEqual(['EMAIL_SENT', 'LEAD_CATEGORY_UPDATED', 'LEAD_CATEGORY_UPDATED']);
});

test('what waits too long is dropped; what no policy holds any more is written before the next event', async () => {
  const world = start();
  await world.receive(sent(1));
  await world.advance(47 * HOUR_MS);
  await world.receive(opened(2));
  await world.advance(2 * HOUR_MS);
  world.setPolicy({});
  await world.receive(replied(3));
  expect(world.written()).toEqual(['EMAIL_OPEN', 'EMAIL_REPLY']);
});

test('a held category alone answers the outreach look-up, which finds no held event', async () => {
  const world = start();
  updateData(world.world, { destinations: [], categorySignals: [] });
  await world.receive(sent(1));
  expect(outreach(world, LEAD)).toMatchObject({ found: false });
  const body = JSON.parse(smartleadCategory('Later'));
  await world.receive(JSON.stringify({ ...body, to_email: LEAD }));
  expect(world.written()).toEqual([]);
  expect(outreach(world, LEAD)).toMatchObject({ found: true });
});

test('what is held is listed, released and dropped by hand, as operators do it', async () => {
  const other = 'grace@held.example';
  const world = start();
  const now = () => readClock(world.world.state.clock, world.deps.realNow);
  const waiting = () => listHeldEvents(world.world, now()).map(({ eventType, recipient }) => [eventType, recipient]);
  await world.receive(sent(1), opened(2), sent(3, other));
  expect(waiting()).toEqual([
    ['EMAIL_SENT', LEAD],
    ['EMAIL_OPEN', LEAD],
    ['EMAIL_SENT', other],
  ]);
  expect(releaseHeldEvents(world.world, now(), { sourceId: 2 })).toBe(0);
  expect(releaseHeldEvents(world.world, now(), { recipient: LEAD.toUpperCase() })).toBe(2);
  expect(dropHeldEvents(world.world, now(), {})).toBe(1);
  await world.receive(sent(4), sent(5, other));
  expect(world.written()).toEqual(['EMAIL_SENT', 'EMAIL_OPEN', 'EMAIL_SENT']);
  expect(waiting()).toEqual([['EMAIL_SENT', other]]);
});

test('what no policy holds any more is written when jobs run, without another event', async () => {
  const world = start();
  await world.receive(sent(1), opened(2));
  world.setPolicy({ holdUntil: null });
  await world.settle();
  expect(world.written()).toEqual(['EMAIL_SENT', 'EMAIL_OPEN']);
});

test('the scenarios leads-held and replies-only set the write policies of all sources', async () => {
  const world = start({});
  applyScenarios(world.world, ['leads-held', 'replies-only'], { now: NOW });
  await world.receive(sent(1), opened(2));
  expect(world.written()).toEqual([]);
  await world.receive(replied(3));
  expect(world.written()).toEqual(['EMAIL_REPLY']);
});
