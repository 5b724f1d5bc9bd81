/** `pauseBlocklist` and `resyncBlocklist`, and the `status` that follows. */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import type { BlocklistStatus } from '@svc/contract/vocabulary';
import { describe, expect, test } from 'vitest';
import { proveAccess } from '../../cases/access.ts';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { provePathIds } from '../../cases/parameters.ts';
import { WRITE_KEY } from '../../cases/webhooks.ts';
import { FETCHING_LIST_ID, IDLE_LIST_IDS, NEW_LIST_ID } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { findRow, UNKNOWN_ID, visibleRows, WORLD } from '../../harness/world.ts';

const MAIN = visibleRows(WRITE_KEY, WORLD.blocklists);
const find = (what: string, matches: (row: (typeof MAIN)[number]) => boolean) => findRow(MAIN, matches, what).id;
const inStatus = (status: BlocklistStatus) =>
  find(status, (row) => row.status === status && row.isEnabled && row.connectionId === 1 && row.crmListId !== null);
const WITHOUT_SOURCE = find('list without CRM source', ({ crmListId }) => crmListId === null);
const WITHOUT_CAPABILITY = find('list without the capability', ({ connectionId }) => connectionId === 2);
const PAUSED_DURING_FETCH = find('list paused during a fetch', (row) => !row.isEnabled && row.hasActiveFetchJob);
const WITH_ERROR = find('list with an error', ({ lastError }) => lastError !== null);
/** Lists of a connection without API access, and of another account. */
const HIDDEN_LISTS = [4, 5].map(
  (connectionId) =>
    findRow(WORLD.blocklists, (row) => row.connectionId === connectionId, 'list of another connection').id,
);
const OTHER_ACCOUNTS_LIST = HIDDEN_LISTS[1] ?? 0;
/** Idle lists: every case that changes one has its own. */
const [FIRST_LIST, RACED, RACED_SECOND, PAUSED_AT_ONCE, STOPPED, ENABLED, IGNORING, ALONE, PAUSED, LAST] =
  IDLE_LIST_IDS;
const IN_PROGRESS = ERROR_MESSAGES.resyncInProgress;

const STEP_MS = 1_000;
const STEPS_MAX = 60;

interface Shown {
  readonly id: number;
  readonly status: BlocklistStatus;
  readonly isEnabled: boolean;
  readonly syncedCount: number;
  readonly pendingCount: number;
  readonly lastFetchedAt: string | null;
  readonly lastError: string | null;
}

onEveryTarget(
  (api) => {
    const pause = (id: number | string, key = WRITE_KEY) => api.call('pauseBlocklist', { key, params: { id } });
    const resync = (id: number | string, key = WRITE_KEY) => api.call('resyncBlocklist', { key, params: { id } });
    const lists = async (key = WRITE_KEY): Promise<Shown[]> => (await api.read('listBlocklists', { key })).blocklists;
    const shown = async (id: number): Promise<Shown> => findRow(await lists(), (row) => row.id === id, `list ${id}`);
    /** Advances time until the list reaches a state; returns the statuses it had. */
    async function passUntil(id: number, isReached: (list: Shown) => boolean): Promise<BlocklistStatus[]> {
      let list = await shown(id);
      const seen = [list.status];
      for (let step = 0; step < STEPS_MAX && !isReached(list); step += 1) {
        await api.advance(STEP_MS);
        list = await shown(id);
        if (list.status !== seen.at(-1)) seen.push(list.status);
      }
      return seen;
    }
    const isSynced = ({ status }: Shown) => status === 'SYNCED';
    const queued = (id: number) => ({ id, queued: true, isEnabled: true, status: 'FETCHING' });

    describe('resyncBlocklist', () => {
      test.each([FIRST_LIST, WITH_ERROR])(
        '200 for list %d, which goes through FETCHING, SYNCING and SYNCED',
        async (id) => {
          const before = await shown(id);
          expect((await resync(id)).json).toEqual(queued(id));
          expect(await shown(id)).toEqual({
            ...before,
            status: 'FETCHING',
            isEnabled: true,
            lastFetchedAt: null,
            lastError: null,
          });
          const startedAt = api.target().clock.now().getTime();
          const seen = await passUntil(id, isSynced);
          expect(seen.filter((status) => status !== 'SYNCING')).toEqual(['FETCHING', 'SYNCED']);
          const after = await shown(id);
          expect(after).toMatchObject({ status: 'SYNCED', isEnabled: true, pendingCount: 0, lastError: null });
          expect(after.syncedCount).toBeGreaterThan(0);
          expect(Date.parse(after.lastFetchedAt ?? '')).toBeGreaterThanOrEqual(startedAt);
        },
      );

      test('200 for one of several concurrent calls, 409 for the others', async () => {
        for (const id of [RACED, RACED_SECOND, NEW_LIST_ID]) {
          const answers = await Promise.all(Array.from({ length: 6 }, () => resync(id)));
          expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
          expect(answers.find(({ status }) => status === 200)?.json).toEqual(queued(id));
          expect((await resync(id)).json.message).toBe(IN_PROGRESS);
          await passUntil(id, isSynced);
          expect(await shown(id)).toMatchObject({ status: 'SYNCED', pendingCount: 0, lastError: null });
        }
      });

      test('200 for concurrent resync and pause; the last one decides the status', async () => {
        const [paused, resynced] = await Promise.all([pause(PAUSED_AT_ONCE), resync(PAUSED_AT_ONCE)]);
        expect([paused.status, resynced.status]).toEqual([200, 200]);
        const { status, isEnabled } = await shown(PAUSED_AT_ONCE);
        expect(status).toBe(isEnabled ? 'FETCHING' : 'SYNCING_NEW_CONTACTS');
      });

      test('200 once the fetch of a paused list has ended without changing its status; 409 before', async () => {
        await resync(STOPPED);
        expect((await pause(STOPPED)).json.status).toBe('SYNCING_NEW_CONTACTS');
        expect((await resync(STOPPED)).json.message).toBe(IN_PROGRESS);
        await api.advance(STEPS_MAX * STEP_MS);
        const afterFetch = { status: 'SYNCING_NEW_CONTACTS', isEnabled: false, syncedCount: 0 };
        expect(await shown(STOPPED)).toMatchObject(afterFetch);
        expect((await resync(STOPPED)).json).toEqual(queued(STOPPED));
        await passUntil(STOPPED, isSynced);
        expect(await shown(STOPPED)).toMatchObject({ status: 'SYNCED', isEnabled: true, pendingCount: 0 });
      });

      test('200 enables a paused list, also with a key of its connection', async () => {
        await pause(ENABLED);
        expect((await resync(ENABLED, 'osapi_demo_connection')).json).toEqual(queued(ENABLED));
        expect((await shown(ENABLED)).isEnabled).toBe(true);
      });

      test('200: the body is ignored', async () => {
        const call = { key: WRITE_KEY, params: { id: IGNORING }, body: '{', contentType: 'text/plain' };
        expect((await api.call('resyncBlocklist', call)).json).toEqual(queued(IGNORING));
      });

      test('200 changes no other list', async () => {
        const others = async () => (await lists()).filter(({ id }) => id !== ALONE);
        const [before, foreign] = [await others(), await lists('osapi_demo_other')];
        expect((await resync(ALONE)).status).toBe(200);
        expect([await others(), await lists('osapi_demo_other')]).toEqual([before, foreign]);
      });

      test('409 for a list in progress, also when it was paused during its fetch', async () => {
        for (const id of [FETCHING_LIST_ID, inStatus('FETCHING'), inStatus('SYNCING'), PAUSED_DURING_FETCH]) {
          const before = await shown(id);
          expect((await resync(id)).json).toEqual({ statusCode: 409, message: IN_PROGRESS, error: 'Conflict' });
          expect(await shown(id)).toEqual(before);
        }
        await pause(FETCHING_LIST_ID);
        expect((await resync(FETCHING_LIST_ID)).json.message).toBe(IN_PROGRESS);
        expect(await shown(FETCHING_LIST_ID)).toMatchObject({ isEnabled: false, status: 'SYNCING_NEW_CONTACTS' });
      });

      test('409 for a list without CRM source', async () => {
        const before = await shown(WITHOUT_SOURCE);
        const message = 'Blocklist has no CRM source to resync from';
        expect((await resync(WITHOUT_SOURCE)).json).toEqual({ statusCode: 409, message, error: 'Conflict' });
        await api.advance(STEP_MS);
        expect(await shown(WITHOUT_SOURCE)).toEqual(before);
      });

      test('403 when the connection has no block lists; the 403 of a read key comes first', async () => {
        const before = await shown(WITHOUT_CAPABILITY);
        const message = 'Block lists are not enabled for this connection';
        for (const key of [WRITE_KEY, 'osapi_demo_connection_salesforce']) {
          const answer = await resync(WITHOUT_CAPABILITY, key);
          expect(answer.json).toEqual({ statusCode: 403, message, error: 'Forbidden' });
        }
        const answer = await resync(WITHOUT_CAPABILITY, 'osapi_demo_read');
        expect(answer.json.message).toBe(ERROR_MESSAGES.actionWriteScopeRequired);
        expect(await shown(WITHOUT_CAPABILITY)).toEqual(before);
      });

      test('404 for a list that the key does not see, before any 403 or 409', async () => {
        const foreign = await lists('osapi_demo_other');
        for (const id of HIDDEN_LISTS) expect((await resync(id)).json.message).toBe(`Blocklist ${id} not found`);
        for (const id of [LAST, WITHOUT_CAPABILITY, WITHOUT_SOURCE, inStatus('FETCHING')]) {
          const answer = await resync(id, 'osapi_demo_other');
          expect([answer.status, answer.json.message]).toEqual([404, `Blocklist ${id} not found`]);
        }
        expect((await resync(WITHOUT_CAPABILITY, 'osapi_demo_connection')).status).toBe(404);
        expect(await lists('osapi_demo_other')).toEqual(foreign);
      });

      provePathIds(api, 'resyncBlocklist', { key: WRITE_KEY }, { param: 'id', resource: 'Blocklist' });
      const ids = [LAST, UNKNOWN_ID, 'x', OTHER_ACCOUNTS_LIST];
      proveAccess(api, 'resyncBlocklist', ...ids.map((id) => ({ params: { id } })));
      proveKeyRefusals(api, 'resyncBlocklist', { params: { id: LAST } }, { params: { id: 'x' } });
    });

    describe('pauseBlocklist', () => {
      test('200 with a connection key; changes no other list and ignores the body', async () => {
        const others = async () => (await lists()).filter(({ id }) => id !== PAUSED);
        const [before, foreign] = [await others(), await lists('osapi_demo_other')];
        const call = {
          key: 'osapi_demo_connection',
          params: { id: PAUSED },
          body: '{"isEnabled": true',
          contentType: null,
        };
        const answer = await api.call('pauseBlocklist', call);
        expect(answer.json).toEqual({ id: PAUSED, isEnabled: false, status: 'SYNCED' });
        expect([await others(), await lists('osapi_demo_other')]).toEqual([before, foreign]);
      });

      test('404 for a list that the key does not see, which is not paused', async () => {
        const foreign = await lists('osapi_demo_other');
        for (const id of HIDDEN_LISTS) {
          const message = `Blocklist ${id} not found`;
          expect((await pause(id)).json).toEqual({ statusCode: 404, message, error: 'Not Found' });
        }
        for (const key of ['osapi_demo_other', 'osapi_demo_connection_salesforce', 'osapi_demo_no_webhooks']) {
          expect((await pause(LAST, key)).json.message).toBe(`Blocklist ${LAST} not found`);
        }
        expect(await lists('osapi_demo_other')).toEqual(foreign);
        expect((await shown(LAST)).isEnabled).toBe(true);
      });

      test('403 pauses nothing', async () => {
        expect((await pause(LAST, 'osapi_demo_read')).status).toBe(403);
        expect((await shown(LAST)).isEnabled).toBe(true);
      });

      provePathIds(api, 'pauseBlocklist', { key: WRITE_KEY }, { param: 'id', resource: 'Blocklist' });
      const ids = [LAST, UNKNOWN_ID, 'x', OTHER_ACCOUNTS_LIST];
      proveAccess(api, 'pauseBlocklist', ...ids.map((id) => ({ params: { id } })));
      proveKeyRefusals(api, 'pauseBlocklist', { params: { id: LAST } }, { params: { id: 'x' } });

      test('200 for a list in each status, and again for a paused list', async () => {
        const before = await lists();
        const afterPause = ({ status }: Shown) =>
          status === 'FETCHING' || status === 'SYNCING' ? 'SYNCING_NEW_CONTACTS' : status;
        expect(new Set(before.map(({ status }) => status)).size).toBe(5);
        for (const list of before) {
          const status = afterPause(list);
          for (let round = 0; round < 2; round += 1) {
            expect((await pause(list.id)).json).toEqual({ id: list.id, isEnabled: false, status });
            expect(await shown(list.id)).toEqual({ ...list, isEnabled: false, status });
          }
        }
        // Hours later no status has changed and nothing was pushed; a running fetch may have loaded entries.
        await api.advance(26 * 3_600_000);
        for (const list of await lists()) {
          const was = findRow(before, ({ id }) => id === list.id, 'list before');
          expect(list).toMatchObject({ isEnabled: false, status: afterPause(was) });
          expect(list.syncedCount).toBeLessThanOrEqual(was.syncedCount);
        }
      });
    });

    // This case comes last, because the connection stays disconnected.
    describe('resyncBlocklist', () => {
      test('200 for a list on a disconnected CRM, which then shows an error', async () => {
        await api.target().crm.failWith(401);
        expect((await resync(LAST)).json).toEqual(queued(LAST));
        await passUntil(LAST, ({ lastError }) => lastError !== null);
        const failed = await shown(LAST);
        expect(failed).toMatchObject({
          status: 'SYNCED',
          isEnabled: true,
          syncedCount: 12,
          lastError: expect.any(String),
        });
        const { connections } = await api.read('listConnections');
        expect(connections[0]).toMatchObject({ id: 1, status: 'disconnected' });
        await api.target().crm.recover();
        expect((await resync(LAST)).json).toEqual(queued(LAST));
        expect(await shown(LAST)).toMatchObject({ status: 'FETCHING', lastError: null });
      });
    });
  },
  { workers: 'off' },
);
