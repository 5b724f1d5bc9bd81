/** What a retry writes: the event that a sync knows, or as it is read from what was received. */
import { payloadUnreadableError, syncDisabledError } from '@svc/domain/syncs/sync-errors';
import { expect, test } from 'vitest';
import { NOW } from '../../../test/demo.ts';
import { smartleadEvent } from '../../../test/payloads.ts';
import { createRunningWorld, type RunningWorld } from '../../../test/running.ts';
import { allRows, changeRow } from '../../state/log.ts';
import { applyScenarios } from '../../state/scenarios.ts';
import { update, updateData } from '../../state/world.ts';

const SOURCE = 'demo-smartlead';
/** Newest first. */
const syncsOf = ({ world }: RunningWorld, requestId: number) =>
  allRows(world.state.data.syncs)
    .filter(({ payloadId }) => payloadId === requestId)
    .toReversed();

/** A failed sync of what was just received, whose receipt is then as `body` says. */
async function failedSync(running: RunningWorld, body: object) {
  const { world } = running;
  applyScenarios(world, ['syncs-failing'], { now: NOW });
  const { requestId } = running.send(SOURCE, smartleadEvent('EMAIL_REPLY', { to: 'Maren.Holt@example.org' }));
  await running.settle();
  update(world, { settings: { ...world.state.settings, crmFailures: [] } });
  const id = syncsOf(running, requestId)[0]?.id ?? 0;
  const { requests, syncs } = world.state.data;
  updateData(world, {
    requests: changeRow(requests, requestId, ({ received: _received, ...row }) => ({ ...row, body: { ...body } })),
    syncs: changeRow(syncs, id, ({ isEventKnown: _known, ...row }) => ({ ...row, toEmail: 'MAREN.HOLT@example.org' })),
  });
  return { id, requestId };
}

test('the event is read from what was received', async () => {
  const running = createRunningWorld();
  const received = JSON.parse(smartleadEvent('EMAIL_REPLY', { to: 'Maren.Holt@example.org' }));
  const { id, requestId } = await failedSync(running, received);
  running.call('POST', `/syncs/${id}/retry`);
  await running.settle();
  const [retried] = syncsOf(running, requestId);
  expect(retried).toMatchObject({ status: 'success', toEmail: 'maren.holt@example.org', eventType: 'EMAIL_REPLY' });
});

test.each([
  ['of another lead', JSON.parse(smartleadEvent('EMAIL_REPLY', { to: 'somebody.else@example.org' }))],
  ['of another type', JSON.parse(smartleadEvent('EMAIL_SENT', { to: 'Maren.Holt@example.org' }))],
  ['nothing that could be read', { odd: true }],
])('what was received is %s now, and the new sync says so', async (_name, body) => {
  const running = createRunningWorld();
  const { id, requestId } = await failedSync(running, body);
  running.call('POST', `/syncs/${id}/retry`);
  await running.settle();
  expect(syncsOf(running, requestId)).toHaveLength(2);
  // The new one does not know its event either.
  running.call('POST', `/syncs/${syncsOf(running, requestId)[0]?.id}/retry`);
  await running.settle();
  expect(syncsOf(running, requestId)).toHaveLength(3);
  expect(syncsOf(running, requestId)[0]).toMatchObject({
    status: 'error',
    error: payloadUnreadableError(),
    eventType: 'EMAIL_REPLY',
    toEmail: 'MAREN.HOLT@example.org',
  });
});

test('it is a failure like any other for the health of the source', async () => {
  const running = createRunningWorld();
  const { id } = await failedSync(running, { odd: true });
  const failures = () =>
    running.world.state.data.syncHealth.find(({ sourceId, connectionId }) => sourceId === 1 && connectionId === 1)
      ?.consecutiveFailures;
  const before = failures() ?? 0;
  running.call('POST', `/syncs/${id}/retry`);
  await running.settle();
  expect(failures()).toBe(before + 1);
});

test('while syncing is switched off nothing is written, and the new sync says so', async () => {
  const running = createRunningWorld();
  const received = JSON.parse(smartleadEvent('EMAIL_REPLY', { to: 'Maren.Holt@example.org' }));
  const { id, requestId } = await failedSync(running, received);
  updateData(running.world, {
    connections: running.world.state.data.connections.map((row) => ({
      ...row,
      capabilities: { ...row.capabilities, sync: false },
    })),
  });
  running.call('POST', `/syncs/${id}/retry`);
  await running.settle();
  expect(syncsOf(running, requestId)[0]).toMatchObject({ status: 'error', error: syncDisabledError() });
});

test('a sync that was made here knows its event, whatever became of what was received', async () => {
  const running = createRunningWorld();
  const { id, requestId } = await failedSync(running, { odd: true });
  const { syncs } = running.world.state.data;
  updateData(running.world, { syncs: changeRow(syncs, id, (row) => ({ ...row, isEventKnown: true })) });
  running.call('POST', `/syncs/${id}/retry`);
  await running.settle();
  expect(syncsOf(running, requestId)[0]).toMatchObject({ status: 'success', eventType: 'EMAIL_REPLY' });
});
