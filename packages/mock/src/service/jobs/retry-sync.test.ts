/** A retry writes the event that its sync knows, or reads it from the received payload. */
import { payloadUnreadableError, syncDisabledError } from '@svc/domain/syncs/sync-errors';
import { expect, test } from 'vitest';
import { NOW } from '../../../test/support/demo.ts';
import { smartleadEvent } from '../../../test/support/payloads.ts';
import { createRunningWorld, type RunningWorld } from '../../../test/support/running.ts';
import { allRows, changeRow } from '../../state/log.ts';
import { applyScenarios } from '../../state/scenarios.ts';
import { update, updateData } from '../../state/world.ts';

const SOURCE = 'demo-smartlead';
/** Newest first. */
const syncsOf = ({ world }: RunningWorld, requestId: number) =>
  allRows(world.state.data.syncs)
    .filter(({ payloadId }) => payloadId === requestId)
    .toReversed();

/** Creates a failed sync, then replaces the received payload with `body`. */
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

test('reads the event from the received payload', async () => {
  const running = createRunningWorld();
  const received = JSON.parse(smartleadEvent('EMAIL_REPLY', { to: 'Maren.Holt@example.org' }));
  const { id, requestId } = await failedSync(running, received);
  running.call('POST', `/syncs/${id}/retry`);
  await running.settle();
  const [retried] = syncsOf(running, requestId);
  expect(retried).toMatchObject({ status: 'success', toEmail: 'maren.holt@example.org', eventType: 'EMAIL_REPLY' });
});

test.each([
  ['for another lead', JSON.parse(smartleadEvent('EMAIL_REPLY', { to: 'somebody.else@example.org' }))],
  ['of another type', JSON.parse(smartleadEvent('EMAIL_SENT', { to: 'Maren.Holt@example.org' }))],
  ['unreadable', { odd: true }],
])('fails with payload_unreadable when the payload is %s', async (_name, body) => {
  const running = createRunningWorld();
  const { id, requestId } = await failedSync(running, body);
  running.call('POST', `/syncs/${id}/retry`);
  await running.settle();
  expect(syncsOf(running, requestId)).toHaveLength(2);
  // A retry of the new sync fails in the same way.
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

test("an unreadable payload counts as a failure for the source's health", async () => {
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

test('fails with sync_disabled while the capability is off', async () => {
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

test('a sync that knows its event does not need the payload', async () => {
  const running = createRunningWorld();
  const { id, requestId } = await failedSync(running, { odd: true });
  const { syncs } = running.world.state.data;
  updateData(running.world, { syncs: changeRow(syncs, id, (row) => ({ ...row, isEventKnown: true })) });
  running.call('POST', `/syncs/${id}/retry`);
  await running.settle();
  expect(syncsOf(running, requestId)[0]).toMatchObject({ status: 'success', eventType: 'EMAIL_REPLY' });
});
