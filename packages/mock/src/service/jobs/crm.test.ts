/** Writes and block lists that the CRM refuses, by the status of its answer. */
import { beforeEach, expect, test } from 'vitest';
import { smartleadEvent } from '../../../test/support/payloads.ts';
import { createRunningWorld, MINUTE_MS, type RunningWorld } from '../../../test/support/running.ts';
import { allRows } from '../../state/log.ts';
import type { CrmFailure } from '../../state/settings.ts';
import { update } from '../../state/world.ts';

let running: RunningWorld;
beforeEach(() => {
  running = createRunningWorld();
});

function fail(httpStatus: number | null, rule: Partial<CrmFailure> = {}): void {
  const { world } = running;
  const error = { code: 'refused', message: `answered ${httpStatus}`, httpStatus };
  const crmFailures = httpStatus === null ? [] : [{ status: 'error' as const, error, ...rule }];
  update(world, { settings: { ...world.state.settings, crmFailures } });
}

/** Returns the statuses of a request's syncs. */
const statusesOf = (requestId: number) =>
  allRows(running.world.state.data.syncs)
    .filter(({ payloadId }) => payloadId === requestId)
    .map(({ status }) => status);
const send = async () => {
  const { requestId } = running.send('demo-smartlead', smartleadEvent('EMAIL_OPEN'));
  await running.settle();
  return requestId;
};
const connection = () => running.call('GET', '/connections').json.connections[0];
const list = () => running.call('GET', '/blocklists').json.blocklists[0];

test('a recorded 503 is tried on, and the result is the next sync', async () => {
  fail(503);
  const requestId = await send();
  await running.advance(9 * 60 * MINUTE_MS);
  expect(statusesOf(requestId)).toEqual(['error']);
  fail(null);
  await running.advance(15 * MINUTE_MS);
  expect(statusesOf(requestId)).toEqual(['error', 'success']);
});

test('a lasting 503 is given up after 24 hours', async () => {
  fail(503);
  const requestId = await send();
  await running.advance(24 * 60 * MINUTE_MS - 1_000);
  expect(statusesOf(requestId)).toEqual(['error']);
  await running.advance(24 * 60 * MINUTE_MS);
  expect(statusesOf(requestId)).toEqual(['error', 'error']);
  expect(allRows(running.world.state.data.syncs).at(-1)?.error).toMatchObject({
    message: 'answered 503 (given up after 24 hours: retry the sync)',
  });
});

test('a refusal of a recorded write is the next sync', async () => {
  fail(503);
  const requestId = await send();
  await running.advance(60 * MINUTE_MS);
  fail(400);
  await running.advance(60 * MINUTE_MS);
  expect(statusesOf(requestId)).toEqual(['error', 'error']);
  fail(null);
  await running.advance(60 * MINUTE_MS);
  expect(statusesOf(requestId)).toEqual(['error', 'error']);
});

test('a retry makes the pending write due, and adds no second one', async () => {
  fail(503);
  const requestId = await send();
  await running.advance(60 * MINUTE_MS);
  const { id } = allRows(running.world.state.data.syncs).at(-1) ?? { id: 0 };
  expect(running.call('POST', `/syncs/${id}/retry`).status).toBe(200);
  await running.settle();
  expect(statusesOf(requestId)).toEqual(['error']);
  fail(null);
  expect(running.call('POST', `/syncs/${id}/retry`).status).toBe(200);
  await running.settle();
  expect(statusesOf(requestId)).toEqual(['error', 'success']);
  await running.advance(24 * 60 * MINUTE_MS);
  expect(statusesOf(requestId)).toEqual(['error', 'success']);
});

test('a retry is deferred too, and only one is pending', async () => {
  fail(400);
  const requestId = await send();
  expect(statusesOf(requestId)).toEqual(['error']);
  const { id } = allRows(running.world.state.data.syncs).at(-1) ?? { id: 0 };
  fail(503);
  for (let count = 0; count < 3; count += 1) {
    expect(running.call('POST', `/syncs/${id}/retry`).status).toBe(200);
    await running.settle();
  }
  expect(statusesOf(requestId)).toEqual(['error']);
  fail(null);
  await running.advance(MINUTE_MS);
  expect(statusesOf(requestId)).toEqual(['error', 'success']);
});

test.each([
  [400, 'ready'],
  [401, 'disconnected'],
])('a list whose CRM answers %i gets lastError, and the connection is %s', async (httpStatus, status) => {
  fail(httpStatus);
  running.call('POST', `/blocklists/${list().id}/resync`);
  await running.advance(MINUTE_MS);
  expect(list()).toMatchObject({ status: 'SYNCED', lastError: expect.stringContaining(`answered ${httpStatus}`) });
  expect(connection().status).toBe(status);
});

test('a list whose CRM answers 503 is fetched again; failures of a single source do not affect it', async () => {
  fail(503);
  running.call('POST', `/blocklists/${list().id}/resync`);
  await running.advance(MINUTE_MS);
  expect(list()).toMatchObject({ status: 'FETCHING', lastError: null });
  fail(503, { sourceId: 1 });
  await running.advance(5 * MINUTE_MS);
  expect(list()).toMatchObject({ status: 'SYNCED', pendingCount: 0, lastError: null });
});
