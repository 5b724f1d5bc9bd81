/** Write policies of a world: which events have a sync, and which find no contact. */
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import { beforeEach, expect, test } from 'vitest';
import { smartleadEvent } from '../../../test/support/payloads.ts';
import { createRunningWorld, HOUR_MS, type RunningWorld } from '../../../test/support/running.ts';
import { allRows } from '../../state/log.ts';
import { updateData } from '../../state/world.ts';

let running: RunningWorld;
beforeEach(() => {
  running = createRunningWorld();
});

const setPolicy = (policy: WritePolicy, of: 'sources' | 'connections' = 'sources') => {
  const { world } = running;
  updateData(world, { [of]: world.state.data[of].map((row) => ({ ...row, policy })) });
};
const send = async (type: Parameters<typeof smartleadEvent>[0], key: string) => {
  const body = { ...JSON.parse(smartleadEvent(type)), stats_id: key, to_email: 'new@example.org' };
  const { requestId } = running.send('demo-smartlead', JSON.stringify({ ...body, sl_lead_email: 'new@example.org' }));
  await running.settle();
  return () =>
    allRows(running.world.state.data.syncs)
      .filter(({ payloadId }) => payloadId === requestId)
      .map(({ status, error }) => (error === null ? status : `${status} ${String(error['code'])}`));
};

test('an event of which nothing is written has no sync', async () => {
  setPolicy({ events: [{ when: { types: ['EMAIL_OPEN'] }, write: [] }] }, 'connections');
  expect((await send('EMAIL_OPEN', 'a'))()).toEqual([]);
  expect((await send('EMAIL_REPLY', 'b'))()).toEqual(['success']);
});

test('without a contact the sync is one warning, and the event follows daily once the contact is there', async () => {
  setPolicy({ create: 'on-reply' });
  const opened = await send('EMAIL_OPEN', 'a');
  expect(opened()).toEqual(['warning no_matching_contact']);
  await running.advance(47 * HOUR_MS);
  expect(opened()).toHaveLength(1);
  expect((await send('EMAIL_REPLY', 'b'))()).toEqual(['success']);
  await running.advance(HOUR_MS);
  expect(opened()).toEqual(['warning no_matching_contact', 'success']);
  expect(running.world.state.data.jobs).toEqual([]);
});

test('after 30 days nothing more is asked, and nothing is recorded', async () => {
  setPolicy({ create: 'never' });
  const opened = await send('EMAIL_OPEN', 'a');
  await running.advance(29.5 * 24 * HOUR_MS);
  expect(running.world.state.data.jobs).toHaveLength(1);
  await running.advance(24 * HOUR_MS);
  expect(running.world.state.data.jobs).toEqual([]);
  expect(opened()).toEqual(['warning no_matching_contact']);
});

test('fields, last values, outcomes and associations are written: the CRM of a world has what a policy names', async () => {
  setPolicy({
    fields: [{ to: 'region', from: 'custom.region', write: 'fill' }],
    lastValues: true,
    associations: { company: true, deal: true },
    outcomes: [
      {
        when: {},
        leadStatus: 'CONNECTED',
        deal: { stage: 'appointmentscheduled', name: '{person}' },
        task: { subject: 'Call back', due: '4h' },
      },
    ],
  });
  expect((await send('EMAIL_OPEN', 'a'))()).toEqual(['success']);
  expect(running.world.state.data.jobs).toEqual([]);
});
