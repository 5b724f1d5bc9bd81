/** The demo world's block lists start as the world describes them and then work as any other. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { type BlocklistServer, expectCountsToHold, startBlocklistServer } from '../support/blocklist-server.ts';

const HOUR_MS = 60 * 60 * 1000;
const [pglite] = backends;
let server: BlocklistServer;
beforeAll(async () => {
  if (!pglite) throw new Error('PGlite is always there.');
  server = await startBlocklistServer(pglite);
});
afterAll(async () => {
  await server.close();
});

const statuses = async (): Promise<Record<number, string>> => {
  const { json } = await server.get('listBlocklists', '/api/v1/blocklists');
  return Object.fromEntries(json.blocklists.map((list: { id: number; status: string }) => [list.id, list.status]));
};

test('nothing changes by itself for almost an hour; then active lists continue', async () => {
  const listsOf = (wanted: (list: (typeof server.world.blocklists)[number]) => boolean) =>
    server.world.blocklists.filter((list) => [1, 2, 3].includes(list.connectionId) && wanted(list));
  const asLoaded = await statuses();
  expect(new Set(Object.values(asLoaded)).size).toBe(5);
  const [pausedInMidFetch] = listsOf((list) => !list.isEnabled && list.hasActiveFetchJob);
  const id = pausedInMidFetch?.id ?? 0;

  await server.settle(HOUR_MS - 1);
  expect(await statuses()).toEqual(asLoaded);
  expect(await server.act(id, 'resync')).toMatchObject({ status: 409 });

  await server.settle(1);
  const underWay = listsOf((list) => list.isEnabled && !['CREATED', 'SYNCED'].includes(list.status));
  expect(underWay.length).toBeGreaterThanOrEqual(3);
  for (const list of underWay) {
    expect(await server.show(list.id)).toMatchObject({ status: 'SYNCED', pendingCount: 0, lastError: null });
  }
  expect(await server.show(id)).toMatchObject({ status: 'SYNCING_NEW_CONTACTS', isEnabled: false, syncedCount: 0 });
  expect(await server.act(id, 'resync')).toMatchObject({ status: 200 });
});

test("a resync of each list with a CRM source and the capability reaches the world's counts", async () => {
  for (const list of server.world.blocklists) await expectCountsToHold(server, list.id);
  await server.settle();
  for (const list of server.world.blocklists.filter((each) => each.connectionId === 1 && each.crmListId !== null)) {
    expect([list.id, (await server.act(list.id, 'resync')).status]).toEqual([list.id, 200]);
    await server.settle();
    const expected = list.syncedCount + list.pendingCount || 25;
    expect(await server.show(list.id)).toMatchObject({ status: 'SYNCED', syncedCount: expected, lastError: null });
    await expectCountsToHold(server, list.id);
  }
  expect(server.sequencer.state().blocklists.map(({ token }) => token)).toContain('demo-sequencer-token');
});

test('the next round of an idle list is due a day after its last', async () => {
  const topUps = (await server.jobs()).filter((job) => job.kind === 'top-up-blocklist');
  // A list of another tenant that no test has changed.
  const other = server.world.blocklists.find((list) => list.connectionId === 5);
  const dueMs = topUps.find((job) => job.ref === `${other?.id}/0`)?.due_at.getTime();
  expect(dueMs).toBe((other?.lastAttemptedAt?.getTime() ?? 0) + 24 * HOUR_MS);
});
