/** `listEvents`: failures of the CRM lead to events and webhook deliveries. */
import { createWebhookRequestValidator } from '@svc/contract/strict';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  FAILING_SOURCE,
  inboundUrl,
  newEvent,
  newInstantlyReply,
  newReply,
  send,
  SOURCE,
} from '../../cases/inbound.ts';
import { onlyPost, useWebhooks, WRITE_KEY } from '../../cases/webhooks.ts';
import { HIDDEN_DELIVERY, SWITCHED_OFF_HOST } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import type { Receiver } from '../../harness/targets/receivers.ts';
import { NOW, findRow, WORLD } from '../../harness/world.ts';

const problemsOf = createWebhookRequestValidator();
/** The source of the main account's disconnected PIPEDRIVE connection. */
const PIPEDRIVE_SOURCE_ID = 7;
/** Inbound path of a source of the main account whose connection has no API access. */
const HIDDEN_PATH = 'demo-smartlead-emea';
const [SUBJECT, OTHER_SUBJECT] = [SOURCE, FAILING_SOURCE].map(({ id, connectionId, crm, platform }) => ({
  connectionId,
  crm,
  sourceId: id,
  sourcePlatform: platform,
}));

onEveryTarget(
  (api) => {
    const { make, deliveries, write } = useWebhooks(api);
    const crm = () => api.target().crm;
    const sendNew = async (sourceId: number, count: number, create = newEvent) => {
      for (let index = 0; index < count; index += 1) await send(api, sourceId, [create()]);
    };
    /** Lets the CRM refuse `count` events of a source. */
    const fail = async (count: number, sourceId: number = SOURCE.id) => {
      await crm().failWith(400);
      await sendNew(sourceId, count);
      await crm().recover();
    };
    const succeed = (count: number, sourceId: number = SOURCE.id) => sendNew(sourceId, count);
    const log = async (query = {}) => (await api.read('listEvents', { query: { limit: 100, ...query } })).data;
    const newest = async () => (await log({ limit: 1 }))[0];
    /** Returns the types of the events raised during some work, oldest first. */
    async function typesDuring(work: () => Promise<void>): Promise<string[]> {
      const before = new Set((await log()).map(({ id }: { id: string }) => id));
      await work();
      const added = (await log()).filter(({ id }: { id: string }) => !before.has(id));
      return added.map(({ type }: { type: string }) => type).toReversed();
    }
    const syncsOf = async (query = {}) => {
      const to = api.target().clock.now().toISOString();
      const from = new Date(Date.parse(to) - 60_000).toISOString();
      return (await api.read('listSyncs', { query: { from, to, limit: 500, ...query } })).data;
    };

    let switchedOff: Receiver;
    beforeAll(async () => {
      // Before the pending delivery of the initial world is due.
      switchedOff = await api.target().openReceiver(SWITCHED_OFF_HOST);
    });
    beforeEach(async () => {
      // The source is healthy, and no case sees rows of an earlier one in the last minute.
      await succeed(1);
      await api.advance(120_000);
    });

    describe('listEvents', () => {
      test('200 without an event after two failures in a row, or with a success between failures', async () => {
        const types = await typesDuring(async () => {
          await fail(2);
          await succeed(1);
          await fail(2);
        });
        expect(types).toEqual([]);
        expect(await typesDuring(() => fail(1))).toEqual(['sync.failed']);
      });

      test('200 with one sync.failed, at the third failure in a row', async () => {
        expect(await typesDuring(() => fail(2))).toEqual([]);
        expect(await typesDuring(() => fail(1))).toEqual(['sync.failed']);
        expect(await typesDuring(() => fail(7))).toEqual([]);
      });

      test('200 with the fields of sync.failed', async () => {
        await fail(3);
        const tipping = (await syncsOf({ status: 'error' }))[0];
        const event = await newest();
        expect(event).toEqual({
          id: expect.stringMatching(/^osevt_/),
          type: 'sync.failed',
          summary: expect.stringContaining('smartlead'),
          data: {
            ...SUBJECT,
            reason: expect.stringContaining(tipping.error.message),
            remediation: expect.stringContaining(`${api.target().baseUrl}/dashboard`),
          },
          connectionId: SOURCE.connectionId,
          sourceId: SOURCE.id,
          delivered: true,
          createdAt: tipping.createdAt,
        });
      });

      test('200 with one sync.recovered, at the first success, with the start of the failure', async () => {
        await fail(4);
        const failed = (await log({ type: 'sync.failed', limit: 1 }))[0];
        await api.advance(3_600_000);
        expect(await typesDuring(() => succeed(3))).toEqual(['sync.recovered']);
        const recovered = (await log({ type: 'sync.recovered', limit: 1 }))[0];
        expect(recovered).toMatchObject({
          data: { ...SUBJECT, failedSince: failed.createdAt },
          connectionId: SOURCE.connectionId,
          sourceId: SOURCE.id,
        });
        expect(Object.keys(recovered.data)).toHaveLength(5);
      });

      test('200: three failures after a recovery are a new incident', async () => {
        const types = await typesDuring(async () => {
          await fail(3);
          await succeed(1);
          await fail(2);
          await succeed(1);
          await fail(3);
          await succeed(1);
        });
        expect(types).toEqual(['sync.failed', 'sync.recovered', 'sync.failed', 'sync.recovered']);
      });

      test('200: a warning counts as a success', async () => {
        const warn = async () => {
          await crm().refuseParts();
          await sendNew(SOURCE.id, 1, newReply);
          await crm().recover();
          expect((await syncsOf())[0].status).toBe('warning');
        };
        const types = await typesDuring(async () => {
          await fail(2);
          await warn();
          await fail(2);
          await warn();
        });
        expect(types).toEqual([]);
        await fail(3);
        expect(await typesDuring(warn)).toEqual(['sync.recovered']);
      });

      test('200: sources are counted separately', async () => {
        const types = await typesDuring(async () => {
          await fail(2);
          await fail(1, FAILING_SOURCE.id);
        });
        expect(types).toEqual([]);
        // The other source is failing in the initial world, so it raises only sync.recovered.
        expect(await typesDuring(() => succeed(1, FAILING_SOURCE.id))).toEqual(['sync.recovered']);
        const { failingSince } = findRow(
          WORLD.syncHealth,
          (row) => row.sourceId === FAILING_SOURCE.id,
          'failing source',
        );
        expect((await newest()).data).toEqual({ ...OTHER_SUBJECT, failedSince: failingSince?.toISOString() });
        expect(await typesDuring(() => fail(1))).toEqual(['sync.failed']);
      });

      test('200: retries count too', async () => {
        await fail(2);
        const [last] = await syncsOf({ status: 'error' });
        await crm().failWith(400);
        const types = await typesDuring(async () => {
          await write('retrySync', { params: { id: last.id } });
          await api.advance(1);
        });
        expect(types).toEqual(['sync.failed']);
        await crm().recover();
        const afterwards = await typesDuring(async () => {
          await write('retrySync', { params: { id: last.id } });
          await api.advance(1);
        });
        expect(afterwards).toEqual(['sync.recovered']);
      });

      test('200: concurrent failures are one incident', async () => {
        await crm().failWith(400);
        const types = await typesDuring(async () => {
          const { sources } = await api.read('listSources');
          const { url } = sources.find(({ id }: { id: number }) => id === SOURCE.id);
          const post = () => api.fetch(url, { method: 'POST', body: JSON.stringify(newEvent()) });
          const answers = await Promise.all(Array.from({ length: 12 }, post));
          expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
          await api.advance(1);
        });
        await crm().recover();
        expect(types).toEqual(['sync.failed']);
      });

      test('200 with events for which there was no webhook', async () => {
        const webhooks: { id: string; isActive: boolean }[] = (await api.read('listWebhooks')).webhooks;
        const active = webhooks.filter(({ isActive }) => isActive);
        for (const { id } of active) await write('updateWebhook', { params: { id }, body: { isActive: false } });
        await fail(3);
        const event = await newest();
        expect(event).toMatchObject({ type: 'sync.failed', delivered: false });
        expect((await api.read('getEvent', { params: { id: event.id } })).deliveries).toEqual([]);
        for (const { id } of active) await write('updateWebhook', { params: { id }, body: { isActive: true } });
      });
    });

    test('an account that may not use webhooks gets no posts, not even pending ones', async () => {
      await api.advance(60_000);
      expect(switchedOff.posts).toEqual([]);
    });

    describe('getEvent', () => {
      const fields = { status: 'SUCCEEDED', attemptCount: 1, lastHttpStatus: 200 };
      const deliveriesTo = async (eventId: string, ids: readonly string[]) => {
        const event = await api.read('getEvent', { params: { id: eventId } });
        return event.deliveries.filter(({ endpointId }: { endpointId: string }) => ids.includes(endpointId));
      };

      test('200 with a delivery to each active webhook of the account that subscribes to the type', async () => {
        const all = await make();
        const failures = await make({ enabledEvents: ['sync.failed'] });
        const recoveries = await make({ enabledEvents: ['sync.recovered'] });
        const both = await make({ enabledEvents: ['sync.failed', 'sync.recovered'] });
        const inactive = await make();
        await write('updateWebhook', { params: { id: inactive.id }, body: { isActive: false } });
        const deleted = await make();
        await write('deleteWebhook', { params: { id: deleted.id } });
        const foreign = await make({ key: 'osapi_demo_other' });
        const webhooks = [all, failures, recoveries, both, inactive, deleted, foreign];

        await fail(3);
        await api.target().settle();
        expect(webhooks.map(({ receiver }) => receiver.posts.length)).toEqual([1, 1, 0, 1, 0, 0, 0]);
        const failed = await newest();
        for (const { id, receiver } of [all, failures, both]) {
          const post = onlyPost(receiver);
          expect(problemsOf('sync.failed', post.headers, JSON.parse(post.body.toString()))).toEqual([]);
          expect(post.headers['service-event-id']).toBe(failed.id);
          expect(await deliveries(id)).toMatchObject([fields]);
        }
        const { id, type, summary, data, createdAt } = failed;
        const envelope = { id, type, created: createdAt, summary, data };
        expect(JSON.parse(onlyPost(all.receiver).body.toString())).toEqual(envelope);
        expect(failed.delivered).toBe(true);

        await succeed(1);
        await api.target().settle();
        expect(webhooks.map(({ receiver }) => receiver.posts.length)).toEqual([2, 1, 1, 2, 0, 0, 0]);
        const recovered = onlyPost(recoveries.receiver);
        expect(problemsOf('sync.recovered', recovered.headers, JSON.parse(recovered.body.toString()))).toEqual([]);
        const ids = webhooks.map((webhook) => webhook.id);
        expect(await deliveriesTo(failed.id, ids)).toHaveLength(3);
        expect(await deliveriesTo((await newest()).id, ids)).toHaveLength(3);
      });

      test('200 with a delivery that was queued before the subscription changed', async () => {
        const { id, receiver } = await make({ enabledEvents: ['sync.failed'] });
        receiver.plan(500);
        await fail(3);
        await api.target().settle();
        await write('updateWebhook', { params: { id }, body: { enabledEvents: ['sync.recovered'] } });
        const { id: eventId } = await newest();
        await api.advance(6 * 60_000);
        expect(await deliveriesTo(eventId, [id])).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 2 }]);
      });

      test('200 with FAILED when the webhook became inactive; the delivery can be replayed', async () => {
        const { id, receiver } = await make();
        receiver.plan(500);
        await fail(3);
        await api.target().settle();
        const { id: eventId } = await newest();
        await write('updateWebhook', { params: { id }, body: { isActive: false } });
        await api.advance(6 * 60_000);
        expect(receiver.posts).toHaveLength(1);
        const given = { endpointId: id, status: 'FAILED', attemptCount: 1, lastHttpStatus: 500 };
        const [failed] = await deliveriesTo(eventId, [id]);
        expect(failed).toMatchObject({ ...given, lastError: expect.any(String) });
        // Reactivating the webhook does not resume the delivery.
        await write('updateWebhook', { params: { id }, body: { isActive: true } });
        await api.advance(6 * 60_000);
        expect(await deliveriesTo(eventId, [id])).toEqual([failed]);

        await write('replayWebhookDelivery', { params: { id, deliveryId: failed.id } });
        await api.target().settle();
        expect(receiver.posts).toHaveLength(2);
        expect((await api.read('getEvent', { params: { id: eventId } })).delivered).toBe(true);
      });

      test('200: an auto-disabled webhook gets no events, and its queued deliveries are given up', async () => {
        const { id, receiver } = await make();
        receiver.plan(500);
        receiver.answer(404);
        await fail(3);
        await api.target().settle();
        const { id: eventId } = await newest();
        for (let count = 0; count < 20; count += 1) await write('testWebhook', { params: { id } });
        await api.target().settle();
        expect((await api.read('getWebhook', { params: { id } })).isActive).toBe(false);
        const before = receiver.posts.length;
        await succeed(1);
        await api.advance(6 * 60_000);
        expect(receiver.posts).toHaveLength(before);
        expect(await deliveriesTo(eventId, [id])).toMatchObject([{ status: 'FAILED', attemptCount: 1 }]);
        expect(await deliveriesTo((await newest()).id, [id])).toEqual([]);
      });
    });

    describe('listWebhookDeliveries', () => {
      test('200 without events of a connection without API access', async () => {
        const { id, receiver } = await make();
        const hidden = (await inboundUrl(api, SOURCE.id)).replace(/[^/]+$/, HIDDEN_PATH);
        await crm().failWith(400);
        for (let count = 0; count < 4; count += 1) {
          expect((await api.fetch(hidden, { method: 'POST', body: JSON.stringify(newEvent()) })).status).toBe(200);
          await api.advance(1);
        }
        expect([receiver.posts, await deliveries(id)]).toEqual([[], []]);
        await fail(3);
        await api.target().settle();
        expect([receiver.posts.length, (await deliveries(id)).length]).toEqual([1, 1]);
      });

      test('200 with FAILED for a pending delivery of such an event', async () => {
        const [webhookId, at] = [HIDDEN_DELIVERY.webhookId, api.target().clock.now()];
        await api.advance(Math.max(0, NOW.getTime() + 60_000 - at.getTime()));
        const shown = (await deliveries(webhookId)).find((delivery) => delivery.id === HIDDEN_DELIVERY.id);
        const lastError = 'Given up: API access is not enabled for the connection of the event';
        expect(shown).toMatchObject({ status: 'FAILED', attemptCount: 1, lastHttpStatus: 503, lastError });
      });
    });

    describe('listSyncs', () => {
      test('200 without advice to retry when the CRM does not support it', async () => {
        await send(api, PIPEDRIVE_SOURCE_ID, [newInstantlyReply()]);
        const [sync] = await syncsOf({ sourceId: PIPEDRIVE_SOURCE_ID });
        expect(sync).toMatchObject({ status: 'error', error: { code: 'crm_disconnected' } });
        expect(sync.error.message).toMatch(/^PIPEDRIVE is disconnected: connect it again\.$/);
      });
    });

    describe('listConnections', () => {
      test('200: a CRM that refuses access puts the connection into error until the next success', async () => {
        const statuses = async () => {
          const [connection] = (await api.read('listConnections')).connections;
          const status = await api.read('getAccountStatus');
          const [shown] = status.connections;
          const codes = status.blockers.map(({ code, connectionId }: Record<string, string>) => [code, connectionId]);
          return [connection.status, shown.crmConnection.status, shown.ready, codes];
        };
        // The disconnected PIPEDRIVE connection is the only blocker.
        const shows = (status: string) => [status, status, true, [['crm_disconnected', 3]]];
        expect(await statuses()).toEqual(shows('ready'));
        await crm().failWith(403);
        await sendNew(SOURCE.id, 2);
        await crm().recover();
        expect(await statuses()).toEqual(shows('error'));
        await fail(1);
        expect(await statuses()).toEqual(shows('error'));
        await succeed(1);
        expect(await statuses()).toEqual(shows('ready'));
        await fail(1);
        expect(await statuses()).toEqual(shows('ready'));
      });

      test('200: a CRM that refuses the token disconnects the connection, which is a blocker', async () => {
        await crm().failWith(401);
        await sendNew(SOURCE.id, 1);
        await crm().recover();
        const { connections } = await api.read('listConnections', { key: WRITE_KEY });
        expect(connections[0]).toMatchObject({ id: SOURCE.connectionId, status: 'disconnected' });
        const { blockers } = await api.read('getAccountStatus');
        expect(blockers).toContainEqual(expect.objectContaining({ code: 'crm_disconnected', connectionId: 1 }));
        const [sync] = await syncsOf();
        expect(sync).toMatchObject({ status: 'error', connectionId: SOURCE.connectionId });
        // New events are still recorded, and can be retried.
        await sendNew(SOURCE.id, 1);
        expect((await syncsOf({ status: 'error' })).length).toBe(2);
        expect((await write('retrySync', { params: { id: sync.id } })).json).toEqual({ queued: true, syncId: sync.id });
      });
    });
  },
  { workers: 'off' },
);
