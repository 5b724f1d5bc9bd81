import { PREFIXES, WEBHOOK_DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import { toWebhookDelivery } from '@svc/domain/resources';
import type { WebhookDeliveryRow } from '@svc/domain/world';
import { describe, expect, test } from 'vitest';
import { proveAccess } from '../../cases/access.ts';
import { proveFeed, proveFeedRefusals } from '../../cases/feeds.ts';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { readAll } from '../../cases/paging.ts';
import { provePrefixedPathIds } from '../../cases/parameters.ts';
import { onlyPost, signatureOf, useWebhooks, WRITE_KEY } from '../../cases/webhooks.ts';
import { TIED_DELIVERY_IDS } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { findRow, WORLD } from '../../harness/world.ts';

const webhookIds = { param: 'id', resource: 'Webhook', prefix: PREFIXES.webhook } as const;
const deliveriesOf = (webhookId: string) => WORLD.webhookDeliveries.filter((row) => row.webhookId === webhookId);
const BUSIEST = 'oswhk_demo01';
/** A key of each account that may use webhooks. */
const KEY_OF_ACCOUNT = new Map([
  [1, 'osapi_demo_read'],
  [2, 'osapi_demo_other'],
]);

onEveryTarget(
  (api) => {
    const { make, ping, deliveries } = useWebhooks(api);

    describe('listWebhookDeliveries', () => {
      const rows = deliveriesOf(BUSIEST);
      const call = { params: { id: BUSIEST } };
      proveFeed(api, { operationId: 'listWebhookDeliveries', call, rows, toResource: toWebhookDelivery });

      test('200 with the deliveries of each webhook', async () => {
        for (const { id, accountId, deletedAt } of WORLD.webhooks) {
          const key = KEY_OF_ACCOUNT.get(accountId);
          if (key === undefined || deletedAt !== null) continue;
          const all = await readAll(api, 'listWebhookDeliveries', { key, params: { id } });
          const expected = deliveriesOf(id).map(toWebhookDelivery);
          expect(all).toHaveLength(expected.length);
          expect(all).toEqual(expect.arrayContaining(expected));
        }
      });

      test.each(WEBHOOK_DELIVERY_STATUSES)('200 with the deliveries of status %s, page by page', async (status) => {
        let found = 0;
        for (const id of [BUSIEST, 'oswhk_demo02', 'oswhk_demo03', 'oswhk_demo04']) {
          const all = await readAll(api, 'listWebhookDeliveries', { params: { id }, query: { status, limit: 3 } });
          const expected = deliveriesOf(id).filter((row) => row.status === status);
          expect(new Set(all)).toEqual(new Set(expected.map(toWebhookDelivery)));
          found += all.length;
        }
        expect(found).toBeGreaterThan(0);
      });

      test('200: deliveries of the same millisecond are ordered by descending id, compared bytewise', async () => {
        const all = await readAll(api, 'listWebhookDeliveries', { ...call, query: { limit: 1 } });
        const ids = all.flatMap((row) => (isTied(row) ? [row.id] : []));
        expect(ids).toEqual(TIED_DELIVERY_IDS.toSorted((a, b) => (a < b ? 1 : -1)));
      });

      test('200 and empty for a webhook without deliveries', async () => {
        const answer = await api.read('listWebhookDeliveries', { params: { id: 'oswhk_demo07' } });
        expect(answer).toEqual({ data: [], hasMore: false, nextCursor: null });
      });

      test('200: a cursor works with another status and in the list of another webhook', async () => {
        const { nextCursor } = await api.read('listWebhookDeliveries', { ...call, query: { limit: 5 } });
        const fifth = (await readAll(api, 'listWebhookDeliveries', call))[4];
        for (const [id, status] of [
          [BUSIEST, 'SUCCEEDED'],
          ['oswhk_demo02', undefined],
        ] as const) {
          const query = { cursor: nextCursor, status, limit: 100 };
          const { data } = await api.read('listWebhookDeliveries', { params: { id }, query });
          const all = await readAll(api, 'listWebhookDeliveries', { params: { id }, query: { status, limit: 100 } });
          expect(data).toEqual(all.filter((row) => isBelow(row, fifth)));
          expect(data.length).toBeGreaterThan(3);
        }
      });

      proveFeedRefusals(api, 'listWebhookDeliveries', call, 'webhook-delivery', [
        ...['', 'dead', 'success', 'PENDING,DEAD', 'DEAD '].map((status) => ({ status })),
        { status: ['DEAD', 'DEAD'] },
      ]);
      test('400 comes before 404', async () => {
        const broken = await api.call('listWebhookDeliveries', { params: { id: 'x' }, query: { limit: 0 } });
        expect(broken.status).toBe(400);
        expect((await api.call('listWebhookDeliveries', { params: { id: 'x' } })).status).toBe(404);
      });
      test('404 for a deleted webhook and for one of another account', async () => {
        for (const id of ['oswhk_demo05', 'oswhk_other01']) {
          const answer = await api.call('listWebhookDeliveries', { params: { id } });
          expect([answer.status, answer.json.message]).toEqual([404, `Webhook ${id} not found`]);
        }
      });
      provePrefixedPathIds(api, 'listWebhookDeliveries', {}, webhookIds);
      proveAccess(api, 'listWebhookDeliveries', call, { params: { id: 'x' }, query: { limit: 0 } });
      proveKeyRefusals(api, 'listWebhookDeliveries', call, { ...call, query: { limit: 0 } });
    });

    describe('replayWebhookDelivery', () => {
      const replay = (id: string, deliveryId: string, key = WRITE_KEY) =>
        api.call('replayWebhookDelivery', { key, params: { id, deliveryId } });
      /** Returns a delivery of the world in a status; the webhook of the FAILED one is inactive. */
      const inStatus = (status: string): WebhookDeliveryRow =>
        findRow(
          WORLD.webhookDeliveries,
          (row) => row.status === status && row.webhookId !== 'oswhk_demo05' && row.webhookId !== 'oswhk_other01',
          `delivery that is ${status}`,
        );
      const shownIn = async (webhookId: string, id: string) =>
        (await deliveries(webhookId)).find((row) => row.id === id);

      test.each(WEBHOOK_DELIVERY_STATUSES)(
        '200 for a delivery in status %s: creates a delivery of the same event',
        async (status) => {
          const { id, webhookId, eventId } = inStatus(status);
          const webhook = findRow(WORLD.webhooks, (row) => row.id === webhookId, webhookId);
          const receiver = await api.target().openReceiver(new URL(webhook.url).host);
          const before = await shownIn(webhookId, id);
          await api.advance(1);
          const replayedAt = api.target().clock.now().toISOString();
          const answer = await replay(webhookId, id);
          expect(answer.json).toEqual({
            id: expect.stringMatching(/^oswhd_/),
            endpointId: webhookId,
            status: 'PENDING',
            attemptCount: 0,
            lastAttemptAt: null,
            lastHttpStatus: null,
            lastError: null,
            replayOfDeliveryId: id,
            createdAt: replayedAt,
            updatedAt: replayedAt,
          });
          expect(answer.json.id).not.toBe(id);
          expect((await deliveries(webhookId))[0]).toEqual(answer.json);
          await api.target().settle();

          const posts = receiver.posts.filter(({ headers }) => headers['service-delivery-id'] === answer.json.id);
          expect(posts).toHaveLength(1);
          expect(posts[0]?.headers['service-event-id']).toBe(eventId);
          const event = await api.read('getEvent', { params: { id: eventId } });
          expect(event.deliveries[0]).toMatchObject({
            id: answer.json.id,
            status: 'SUCCEEDED',
            replayOfDeliveryId: id,
          });
          expect(event.delivered).toBe(true);
          expect(await shownIn(webhookId, id)).toEqual(before);
          expect((await api.read('getWebhook', { params: { id: webhookId } })).isActive).toBe(webhook.isActive);
        },
      );

      test('200 for repeated replays: each creates a delivery with the bytes of the first', async () => {
        const { id, receiver, secret } = await make();
        await ping(id);
        await api.target().settle();
        const [original] = await deliveries(id);
        const replays = [await replay(id, original?.id ?? ''), await replay(id, original?.id ?? '')];
        await api.advance(60_000);
        expect(receiver.posts).toHaveLength(3);
        const [first, ...others] = receiver.posts;
        for (const post of others) {
          expect(post.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
          expect(signatureOf(post).isValidFor(secret)).toBe(true);
          expect(signatureOf(post).t).toBe(signatureOf(first ?? post).t + 60);
        }
        const ids = new Set(receiver.posts.map(({ headers }) => headers['service-delivery-id']));
        expect(ids).toEqual(new Set([original?.id, ...replays.map(({ json }) => json.id)]));
      });

      test('200 for a replay of a replay: replayOfDeliveryId is the replay', async () => {
        const { id } = await make();
        await ping(id);
        const [original] = await deliveries(id);
        const first = await replay(id, original?.id ?? '');
        const second = await replay(id, first.json.id);
        expect([first.json.replayOfDeliveryId, second.json.replayOfDeliveryId]).toEqual([original?.id, first.json.id]);
      });

      test('200: a failed replay is retried', async () => {
        const { id, receiver } = await make();
        await ping(id);
        await api.target().settle();
        const [original] = await deliveries(id);
        receiver.plan(500);
        await api.advance(1);
        await replay(id, original?.id ?? '');
        await api.target().settle();
        expect((await deliveries(id))[0]).toMatchObject({ status: 'PENDING', attemptCount: 1, lastHttpStatus: 500 });
        await api.advance(6 * 60_000);
        expect((await deliveries(id))[0]).toMatchObject({ status: 'SUCCEEDED', attemptCount: 2 });
      });

      test('404 for a delivery to another webhook or of another account, and for a destination delivery', async () => {
        const { id } = await make();
        await ping(id);
        await api.target().settle();
        const [own] = await deliveries(id);
        const ofOthers = deliveriesOf('oswhk_other01')[0]?.id ?? '';
        for (const [webhookId, deliveryId] of [
          [BUSIEST, own?.id ?? ''],
          [id, deliveriesOf(BUSIEST)[0]?.id ?? ''],
          [id, ofOthers],
          [id, '3'],
        ] as const) {
          const answer = await replay(webhookId, deliveryId);
          expect([answer.status, answer.json.message]).toEqual([404, `Delivery ${deliveryId} not found`]);
        }
        const answer = await replay('oswhk_other01', ofOthers);
        expect([answer.status, answer.json.message]).toEqual([404, 'Webhook oswhk_other01 not found']);
        await api.target().settle();
        expect(await deliveries(id)).toHaveLength(1);
      });

      test('404 names the webhook first', async () => {
        const answer = await replay('oswhk_nobody', 'oswhd_nobody');
        expect(answer.json.message).toBe('Webhook oswhk_nobody not found');
      });

      const params = { id: BUSIEST, deliveryId: deliveriesOf(BUSIEST)[0]?.id ?? '' };
      const call = { key: WRITE_KEY, params };
      provePrefixedPathIds(api, 'replayWebhookDelivery', call, webhookIds);
      provePrefixedPathIds(api, 'replayWebhookDelivery', call, {
        param: 'deliveryId',
        resource: 'Delivery',
        prefix: PREFIXES.webhookDelivery,
      });
      proveAccess(api, 'replayWebhookDelivery', { params }, { params: { id: 'x', deliveryId: 'y' } });
      proveKeyRefusals(api, 'replayWebhookDelivery', { params }, { params: { id: 'x', deliveryId: 'y' } });
    });

    describe('testWebhook', () => {
      const sendTest = (id: string, key = WRITE_KEY) => api.call('testWebhook', { key, params: { id } });

      test('202 with the id of an event that is sent to this webhook only', async () => {
        const [one, other] = [await make(), await make()];
        await api.advance(1);
        const answer = await sendTest(one.id);
        expect(answer.json).toEqual({ eventId: expect.stringMatching(/^osevt_/) });
        const { eventId } = answer.json;
        const params = { id: eventId };
        expect(await api.read('getEvent', { params })).toMatchObject({
          type: 'test.ping',
          connectionId: null,
          sourceId: null,
          delivered: false,
          deliveries: [{ endpointId: one.id, status: 'PENDING', attemptCount: 0, replayOfDeliveryId: null }],
          createdAt: api.target().clock.now().toISOString(),
        });
        await api.target().settle();
        expect(onlyPost(one.receiver).headers['service-event-id']).toBe(eventId);
        expect(other.receiver.posts).toHaveLength(0);
        expect(await api.read('getEvent', { params })).toMatchObject({
          delivered: true,
          deliveries: [
            { endpointId: one.id, status: 'SUCCEEDED', attemptCount: 1, lastHttpStatus: 200, lastError: null },
          ],
        });
        expect((await api.read('listEvents', { query: { limit: 1 } })).data[0].id).toBe(eventId);
      });

      test('202 for a webhook with any subscription, and for an inactive one, which stays inactive', async () => {
        const { id, receiver } = await make({ enabledEvents: ['sync.recovered'] });
        await ping(id);
        await api.target().settle();
        await api.call('updateWebhook', { key: WRITE_KEY, params: { id }, body: { isActive: false } });
        expect((await sendTest(id)).status).toBe(202);
        await api.target().settle();
        expect(receiver.posts).toHaveLength(2);
        expect(await deliveries(id)).toMatchObject([{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }]);
        expect((await api.read('getWebhook', { params: { id } })).isActive).toBe(false);
      });

      test('202 with a new event each time; the body is ignored', async () => {
        const { id, receiver } = await make();
        const bodies = ['', '{', { eventId: 'osevt_own' }];
        const answers = [];
        for (const body of bodies) {
          answers.push(
            await api.call('testWebhook', { key: WRITE_KEY, params: { id }, body, contentType: 'text/plain' }),
          );
        }
        await api.target().settle();
        const ids = answers.map(({ json }) => json.eventId);
        expect(new Set(ids).size).toBe(3);
        expect(new Set(receiver.posts.map(({ headers }) => headers['service-event-id']))).toEqual(new Set(ids));
      });

      test('404 for a webhook of another account, which receives nothing', async () => {
        const receiver = await api.target().openReceiver('hooks.example.net');
        expect((await sendTest('oswhk_other01')).json.message).toBe('Webhook oswhk_other01 not found');
        await api.target().settle();
        expect(receiver.posts).toHaveLength(0);
      });

      provePrefixedPathIds(api, 'testWebhook', { key: WRITE_KEY }, webhookIds);
      proveAccess(api, 'testWebhook', { params: { id: BUSIEST } }, { params: { id: 'x' } });
      proveKeyRefusals(api, 'testWebhook', { params: { id: BUSIEST } }, { params: { id: 'x' } });
    });
  },
  { workers: 'off' },
);

function isTied(row: unknown): row is { id: string } {
  return typeof row === 'object' && row !== null && 'id' in row && TIED_DELIVERY_IDS.some((id) => id === row.id);
}

function isBelow(row: unknown, place: unknown): boolean {
  const [a, b] = [row, place] as { createdAt: string; id: string }[];
  if (a === undefined || b === undefined) throw new Error('too few rows for this case');
  return a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id);
}
