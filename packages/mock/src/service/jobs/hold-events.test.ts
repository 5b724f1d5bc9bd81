/** Events that a write policy holds, by the rules that the server has too (`domain/policy/hold.ts`). */
import { writePolicySchema } from '@svc/domain/policy/write-policy';
import { expect, test } from 'vitest';
import { smartleadCategory, smartleadEvent } from '../../../test/support/payloads.ts';
import { createRunningWorld, HOUR_MS, type RunningWorld } from '../../../test/support/running.ts';
import { allRows } from '../../state/log.ts';
import { updateData } from '../../state/world.ts';

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
