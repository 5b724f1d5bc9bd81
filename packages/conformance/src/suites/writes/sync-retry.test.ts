/** `retrySync`: `POST /syncs/:id/retry`. */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import { beforeEach, describe, expect, test } from 'vitest';
import { proveAccess } from '../../cases/access.ts';
import { newEvent, send, SOURCE } from '../../cases/inbound.ts';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { provePathIds } from '../../cases/parameters.ts';
import { WRITE_KEY } from '../../cases/webhooks.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { findRow, UNKNOWN_ID, visibleSyncs, WORLD } from '../../harness/world.ts';

const CRM_OF = new Map(WORLD.connections.map(({ id, crm }) => [id, crm]));
const MAIN = visibleSyncs('osapi_demo_read');
const hasContext = (row: (typeof MAIN)[number]) => row.sourceId !== null && row.payloadId !== null;
const ofCrm = (crm: string) => MAIN.filter(({ connectionId }) => CRM_OF.get(connectionId) === crm);
const failedOn = (crm: string) => ofCrm(crm).filter((row) => row.status === 'error' && hasContext(row));
const NOT_ELIGIBLE = ERROR_MESSAGES.syncNotEligibleForRetry;
/** Failed syncs of a connection without API access and of another account. */
const HIDDEN_SYNCS = [4, 5, 6].map((connectionId) => {
  const matches = (row: (typeof MAIN)[number]) => row.status === 'error' && row.connectionId === connectionId;
  return findRow(WORLD.syncs, matches, `failed sync of connection ${connectionId}`).id;
});

onEveryTarget(
  (api) => {
    describe('retrySync', () => {
      const crm = () => api.target().crm;
      const retry = (id: number | string, key = WRITE_KEY) => api.call('retrySync', { key, params: { id } });
      const shown = (id: number) => api.read('getSync', { params: { id } });
      /** Returns the syncs since an instant, newest first. */
      const since = async (from: Date) => {
        const to = api.target().clock.now().toISOString();
        return (await api.read('listSyncs', { query: { from: from.toISOString(), to, limit: 500 } })).data;
      };
      /** Sends a new event that the CRM refuses, and returns its sync. */
      const makeFailed = async () => {
        await crm().failWith(400);
        const from = api.target().clock.now();
        await send(api, SOURCE.id, [newEvent()]);
        await crm().recover();
        const [failed] = await since(from);
        expect(failed.status).toBe('error');
        await api.advance(1_000);
        return failed;
      };

      beforeEach(() => api.advance(60_000));

      test('200: a retry creates a new sync and does not change the failed one', async () => {
        const failed = await makeFailed();
        const before = await shown(failed.id);
        const from = api.target().clock.now();
        const answer = await retry(failed.id);
        expect(answer.json).toEqual({ queued: true, syncId: failed.id });
        await api.advance(1);
        const [made, ...others] = await since(from);
        expect(others).toEqual([]);
        expect(made).toEqual({
          ...before,
          id: expect.any(Number),
          status: 'success',
          error: null,
          createdAt: expect.any(String),
        });
        expect(made.id).not.toBe(failed.id);
        expect(await shown(failed.id)).toEqual(before);
      });

      test('200 for a failed sync of the initial world', async () => {
        const [row] = failedOn('HUBSPOT').filter(({ sourceId }) => sourceId === SOURCE.id);
        const before = await shown(row?.id ?? 0);
        const from = api.target().clock.now();
        expect((await retry(before.id)).json).toEqual({ queued: true, syncId: before.id });
        await api.advance(1);
        const { eventType, toEmail, platform, payloadId, sourceId, connectionId } = before;
        const made = { status: 'success', eventType, toEmail, platform, payloadId, sourceId, connectionId };
        expect(await since(from)).toMatchObject([made]);
        expect(await shown(before.id)).toEqual(before);
      });

      test('200 before the retry has run', async () => {
        const { id } = await makeFailed();
        const from = api.target().clock.now();
        await retry(id);
        expect(await since(from)).toEqual([]);
        await api.advance(1);
        expect(await since(from)).toHaveLength(1);
      });

      test('200 for several calls while one is queued, which create one new sync', async () => {
        const { id } = await makeFailed();
        const from = api.target().clock.now();
        const answers = [...(await Promise.all([retry(id), retry(id), retry(id), retry(id)])), await retry(id)];
        for (const { json } of answers) expect(json).toEqual({ queued: true, syncId: id });
        await api.advance(1);
        expect(await since(from)).toHaveLength(1);
      });

      test('200 after a finished retry, and for the sync of a failed retry', async () => {
        const { id } = await makeFailed();
        const from = api.target().clock.now();
        await crm().failWith(400);
        await retry(id);
        await api.advance(1);
        await crm().recover();
        const [second] = await since(from);
        expect(second.status).toBe('error');
        for (const again of [id, second.id]) {
          expect((await retry(again)).json).toEqual({ queued: true, syncId: again });
          await api.advance(1);
        }
        const statuses = (await since(from)).map(({ status }: { status: string }) => status);
        expect(statuses).toEqual(['success', 'success', 'error']);
      });

      test('200 for both supported CRM types, with a key of the connection; the body is ignored', async () => {
        const [salesforce] = failedOn('SALESFORCE');
        const [hubspot] = failedOn('HUBSPOT');
        for (const [id, key] of [
          [salesforce?.id, WRITE_KEY],
          [salesforce?.id, 'osapi_demo_connection_salesforce'],
          [hubspot?.id, 'osapi_demo_connection'],
        ] as const) {
          for (const body of [undefined, '{"syncId": 1', { syncId: 1 }]) {
            const call = { key, params: { id: id ?? 0 }, body, contentType: 'text/plain' };
            expect((await api.call('retrySync', call)).json).toEqual({ queued: true, syncId: id });
          }
        }
        await api.advance(1);
      });

      test('200 creates no sync in another account', async () => {
        const before = await api.read('listSyncs', {
          key: 'osapi_demo_other',
          query: monthTo(api.target().clock.now()),
        });
        await retry(failedOn('HUBSPOT')[3]?.id ?? 0);
        await api.advance(1);
        const after = await api.read('listSyncs', {
          key: 'osapi_demo_other',
          query: monthTo(api.target().clock.now()),
        });
        expect(after.data).toEqual(before.data);
      });

      test.each(['success', 'warning'])('409 for a sync in status %s, on every CRM', async (status) => {
        for (const name of ['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE']) {
          const row = findRow(ofCrm(name), (sync) => sync.status === status, `${status} on ${name}`);
          const answer = await retry(row.id);
          expect(answer.json).toEqual({ statusCode: 409, message: NOT_ELIGIBLE, error: 'Conflict' });
        }
      });

      test('409 for a failed sync without source or payload, before the check of the CRM', async () => {
        const rows = MAIN.filter((row) => row.status === 'error' && !hasContext(row));
        const kinds = rows.map((row) => [row.sourceId === null, row.payloadId === null].join());
        expect(new Set(kinds)).toEqual(new Set(['true,true', 'true,false', 'false,true']));
        expect(rows.some(({ connectionId }) => CRM_OF.get(connectionId) === 'PIPEDRIVE')).toBe(true);
        for (const { id } of rows) expect((await retry(id)).json.message).toBe(NOT_ELIGIBLE);
      });

      test('409 for an unsupported CRM', async () => {
        const answer = await retry(failedOn('PIPEDRIVE')[0]?.id ?? 0);
        const message = 'Retry is only supported for HubSpot and Salesforce syncs';
        expect(answer.json).toEqual({ statusCode: 409, message, error: 'Conflict' });
      });

      test('409 for the successful sync of a retry', async () => {
        const { id } = await makeFailed();
        const from = api.target().clock.now();
        await retry(id);
        await api.advance(1);
        expect((await retry((await since(from))[0].id)).json.message).toBe(NOT_ELIGIBLE);
      });

      test('404 for a sync of any status that the key does not see', async () => {
        for (const id of HIDDEN_SYNCS) expect((await retry(id)).json.message).toBe(`Sync ${id} not found`);
        const own = failedOn('HUBSPOT')[0]?.id ?? 0;
        for (const key of ['osapi_demo_other', 'osapi_demo_connection_salesforce', 'osapi_demo_empty']) {
          const answer = await retry(own, key);
          expect([answer.status, answer.json.message]).toEqual([404, `Sync ${own} not found`]);
        }
        const success = findRow(
          WORLD.syncs,
          (row) => row.connectionId === 5 && row.status === 'success',
          'other success',
        );
        expect((await retry(success.id)).status).toBe(404);
      });

      test('404, 403 and 409 queue nothing', async () => {
        await api.advance(1);
        const from = api.target().clock.now();
        const refused = [
          await retry(failedOn('PIPEDRIVE')[0]?.id ?? 0),
          await retry(ofCrm('HUBSPOT').find(({ status }) => status === 'success')?.id ?? 0),
          await retry(failedOn('HUBSPOT')[0]?.id ?? 0, 'osapi_demo_read'),
          await retry(failedOn('HUBSPOT')[0]?.id ?? 0, 'osapi_demo_other'),
        ];
        expect(refused.map(({ status }) => status)).toEqual([409, 409, 403, 404]);
        await api.advance(60_000);
        expect(await since(from)).toEqual([]);
      });

      provePathIds(api, 'retrySync', { key: WRITE_KEY }, { param: 'id', resource: 'Sync' });
      const ids = [failedOn('HUBSPOT')[0]?.id ?? 0, UNKNOWN_ID, 'x', HIDDEN_SYNCS[1] ?? 0];
      proveAccess(api, 'retrySync', ...ids.map((id) => ({ params: { id } })));
      proveKeyRefusals(api, 'retrySync', { params: { id: ids[0] ?? 0 } }, { params: { id: 'x' } });
    });
  },
  { workers: 'off' },
);

function monthTo(now: Date) {
  return { from: new Date(now.getTime() - 31 * 86_400_000).toISOString(), to: now.toISOString(), limit: 500 };
}
