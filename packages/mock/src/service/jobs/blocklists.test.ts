/** The pipeline of a block list, driven by the clock and read from the API. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDemoWorld, NOW } from '../../../test/support/demo.ts';
import { createRunningWorld, HOUR_MS, MINUTE_MS, type RunningWorld } from '../../../test/support/running.ts';
import { update, updateData } from '../../state/world.ts';

const FETCH_MS = 2_000;
const PUSH_MS = 3_000;
const show = ({ call }: RunningWorld, id: number) =>
  call('GET', '/blocklists').json.blocklists.find((list: { id: number }) => list.id === id);
const act = ({ call }: RunningWorld, id: number, action: 'pause' | 'resync') => {
  const { status, json } = call('POST', `/blocklists/${id}/${action}`);
  return [status, json.message ?? json.status];
};

test('a fetch begins at once and takes `blocklistFetchMs`; then the push takes `blocklistPushMs`', async () => {
  const running = createRunningWorld();
  const at = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
  act(running, 1, 'resync');
  await running.settle();
  expect(show(running, 1)).toMatchObject({ status: 'FETCHING', lastAttemptedAt: at(0) });
  await running.advance(FETCH_MS - 1);
  expect(show(running, 1)).toMatchObject({ status: 'FETCHING', lastFetchedAt: null });
  await running.advance(1);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCING', pendingCount: 1_840, lastFetchedAt: at(FETCH_MS) });
  await running.advance(PUSH_MS - 1);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCING' });
  await running.advance(1);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCED', syncedCount: 1_840 });
});

test("paused during the push and resynced: the first run's results are ignored", async () => {
  const running = createRunningWorld();
  act(running, 1, 'resync');
  await running.advance(FETCH_MS + 1_000);
  expect(act(running, 1, 'pause')).toEqual([200, 'SYNCING_NEW_CONTACTS']);
  expect(act(running, 1, 'resync')).toEqual([200, 'FETCHING']);
  // The first run's push is due now; the second run's fetch has just ended.
  await running.advance(PUSH_MS - 1_000);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCING', pendingCount: 1_840 });
  await running.advance(PUSH_MS);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCED', syncedCount: 1_840 });
});

test('a synced list is topped up every day', async () => {
  const running = createRunningWorld();
  act(running, 1, 'resync');
  await running.advance(FETCH_MS + PUSH_MS);
  const isSynced = { status: 'SYNCED', pendingCount: 0 };
  await running.advance(24 * HOUR_MS);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCING_NEW_CONTACTS', isEnabled: true });
  await running.advance(FETCH_MS);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCING_NEW_CONTACTS', pendingCount: 3 });
  await running.advance(PUSH_MS);
  expect(show(running, 1)).toMatchObject({ ...isSynced, syncedCount: 1_843 });
  await running.advance(48 * HOUR_MS + MINUTE_MS);
  expect(show(running, 1)).toMatchObject({ ...isSynced, syncedCount: 1_849 });
});

test('entries that the sequencer refuses stay out, and lastError says how many until none is refused', async () => {
  const running = createRunningWorld();
  const configure = (blocklistRefusedCount: number) =>
    update(running.world, { settings: { ...running.world.state.settings, blocklistRefusedCount } });
  configure(2);
  act(running, 1, 'resync');
  await running.advance(FETCH_MS + PUSH_MS);
  const lastError = '2 entries were refused by the sequencer: a resync tries them again';
  expect(show(running, 1)).toMatchObject({ status: 'SYNCED', syncedCount: 1_838, pendingCount: 0, lastError });
  await running.advance(24 * HOUR_MS + MINUTE_MS);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCED', syncedCount: 1_841, lastError });
  configure(0);
  act(running, 1, 'resync');
  await running.advance(FETCH_MS + PUSH_MS);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCED', lastError: null });
});

test('entries that leave the CRM list are no longer counted, unless too many leave at once', async () => {
  const running = createRunningWorld();
  const configure = (blocklistLeftCount: number) =>
    update(running.world, { settings: { ...running.world.state.settings, blocklistLeftCount } });
  act(running, 1, 'resync');
  await running.advance(FETCH_MS + PUSH_MS);
  configure(5);
  await running.advance(24 * HOUR_MS + MINUTE_MS);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCED', syncedCount: 1_838, pendingCount: 0, lastError: null });
  configure(1_000);
  await running.advance(24 * HOUR_MS + MINUTE_MS);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCED', syncedCount: 1_841 });
});

test('a resync on a disconnected CRM fails and keeps the entries', async () => {
  const running = createRunningWorld();
  const setToken = (crmToken: string | null) =>
    updateData(running.world, {
      connections: running.world.state.data.connections.map((row) => (row.id === 1 ? { ...row, crmToken } : row)),
    });
  setToken(null);
  expect(act(running, 1, 'resync')).toEqual([200, 'FETCHING']);
  await running.advance(FETCH_MS);
  expect(show(running, 1)).toMatchObject({
    status: 'SYNCED',
    syncedCount: 1_840,
    lastError: 'The CRM list could not be read: HUBSPOT is disconnected: connect it again, then resync the list',
  });
  setToken('new-token');
  await running.advance(24 * HOUR_MS + MINUTE_MS);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCED', lastError: null });
});

test('no top-up starts while the capability is off; they continue once it is on', async () => {
  const running = createRunningWorld();
  const allow = (blocklists: boolean) =>
    updateData(running.world, {
      connections: running.world.state.data.connections.map((row) =>
        row.id === 1 ? { ...row, capabilities: { ...row.capabilities, blocklists } } : row,
      ),
    });
  act(running, 1, 'resync');
  await running.advance(FETCH_MS + PUSH_MS);
  allow(false);
  await running.advance(24 * HOUR_MS);
  expect(show(running, 1)).toMatchObject({ status: 'SYNCED', syncedCount: 1_840 });
  expect(act(running, 1, 'resync')).toEqual([403, 'Block lists are not enabled for this connection']);
  allow(true);
  await running.advance(24 * HOUR_MS + MINUTE_MS);
  expect(show(running, 1)).toMatchObject({ syncedCount: 1_843 });
});

test('block lists of a loaded world stay as they are for an hour, then finish', async () => {
  const running = createRunningWorld(() => 200, createDemoWorld());
  const before = running.call('GET', '/blocklists').json;
  await running.advance(HOUR_MS - 1);
  expect(running.call('GET', '/blocklists').json).toEqual(before);
  await running.advance(1 + MINUTE_MS);
  for (const id of [2, 3, 5]) expect(show(running, id)).toMatchObject({ status: 'SYNCED', pendingCount: 0 });
  expect(show(running, 7)).toMatchObject({ status: 'SYNCING_NEW_CONTACTS', isEnabled: false });
  expect(act(running, 6, 'resync')).toEqual([409, 'Blocklist has no CRM source to resync from']);
});

test('property: an active list always has a job, and never two fetches', async () => {
  const action = fc.oneof(
    fc.constantFrom('pause' as const, 'resync' as const),
    fc.integer({ min: 0, max: 5_000 }),
    fc.constantFrom(2_000, 3_000),
    fc.constant(24 * HOUR_MS),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      const running = createRunningWorld();
      for (const each of actions) {
        if (typeof each === 'number') await running.advance(each);
        else act(running, 1, each);
        const jobs = running.world.state.data.jobs.filter((job) => 'blocklistId' in job && job.blocklistId === 1);
        const { status, isEnabled } = show(running, 1);
        expect(jobs.filter(({ kind }) => kind === 'fetch-blocklist').length).toBeLessThanOrEqual(1);
        const { run } = running.world.state.data.blocklists.find(({ id }) => id === 1) ?? {};
        const rounds = jobs.filter((job) => job.kind === 'top-up-blocklist' && job.run === run);
        expect(rounds.length).toBeLessThanOrEqual(1);
        const isAtWork = isEnabled && status !== 'SYNCED' && status !== 'CREATED';
        if (isAtWork) expect(jobs.some(({ kind }) => kind !== 'top-up-blocklist')).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

test.each([['heyreach', 'ADDRESS', 'no call for it is documented']] as const)(
  'a push to %s of type %s fails as on the server',
  async (platform, blockType, reason) => {
    const running = createRunningWorld();
    const { blocklists } = running.world.state.data;
    updateData(running.world, {
      blocklists: blocklists.map((row) => (row.id === 1 ? { ...row, platform, blockType } : row)),
    });
    act(running, 1, 'resync');
    await running.advance(FETCH_MS + PUSH_MS);
    expect(show(running, 1)).toMatchObject({
      status: 'CREATED',
      syncedCount: 0,
      pendingCount: 1_840,
      lastError: expect.stringMatching(`^The entries could not be pushed: the block list of ${platform} .*${reason}`),
    });
  },
);
