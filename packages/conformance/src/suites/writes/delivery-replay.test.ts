/** `replayDelivery`: `POST /destinations/:id/deliveries/:deliveryId/replay`. */
import { beforeEach, describe, expect, test } from 'vitest';
import { proveAccess } from '../../cases/access.ts';
import { proveKeyRefusals } from '../../cases/keys.ts';
import { provePathIds } from '../../cases/parameters.ts';
import { onlyPost, WRITE_KEY } from '../../cases/webhooks.ts';
import { DROPPED_PAYLOAD_ID } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import type { ReceiverAnswer } from '../../harness/targets/receivers.ts';
import { findRow, UNKNOWN_ID, visibleDeliveries, WORLD } from '../../harness/world.ts';

const BODY_OF = new Map(WORLD.requests.map(({ id, body }) => [id, body]));
/** Deliveries of the main account whose payloads are stored. */
const REPLAYABLE = visibleDeliveries(WRITE_KEY).filter(
  ({ payloadId }) => payloadId !== null && (BODY_OF.get(payloadId) ?? null) !== null,
);
const WITHOUT_PAYLOAD = findRow(WORLD.deliveries, ({ payloadId }) => payloadId === null, 'delivery without payload');
const OF_OTHERS = findRow(WORLD.deliveries, ({ connectionId }) => connectionId === 5, "another account's delivery");
const inStatus = (status: string) =>
  findRow(REPLAYABLE, (row) => row.status === status && row.destinationId === 1, `delivery that is ${status}`);

onEveryTarget(
  (api) => {
    describe('replayDelivery', () => {
      const replay = (id: number | string, deliveryId: number | string, key = WRITE_KEY) =>
        api.call('replayDelivery', { key, params: { id, deliveryId } });
      /** Returns the deliveries to a destination since an instant, newest first. */
      const since = async (id: number, from: Date, key = WRITE_KEY) => {
        const query = { from: from.toISOString(), to: api.target().clock.now().toISOString() };
        return (await api.read('listDestinationDeliveries', { key, params: { id }, query })).data;
      };
      const urlOf = (id: number) => new URL(findRow(WORLD.destinations, (row) => row.id === id, 'destination').url);
      const listed = async (row: (typeof REPLAYABLE)[number]) => {
        const at = row.createdAt.toISOString();
        const { data } = await api.read('listDeliveries', { query: { from: at, to: at } });
        return data.find(({ id }: { id: number }) => id === row.id);
      };

      beforeEach(() => api.advance(60_000));

      test.each(['success', 'error'])(
        '200 for a delivery in status %s: posts its payload and adds a delivery',
        async (status) => {
          const row = inStatus(status);
          const url = urlOf(row.destinationId);
          const receiver = await api.target().openReceiver(url.host);
          const before = await listed(row);
          const from = api.target().clock.now();
          const answer = await replay(row.destinationId, row.id);
          const { destinationId, payloadId } = row;
          expect(answer.json).toEqual({ queued: true, destinationId, payloadId });
          expect([receiver.posts.length, await since(destinationId, from)]).toEqual([0, []]);
          await api.advance(1);

          const post = onlyPost(receiver);
          expect([post.method, post.path]).toEqual(['POST', url.pathname]);
          expect(JSON.parse(post.body.toString())).toEqual(BODY_OF.get(payloadId ?? 0));
          const made = await since(destinationId, from);
          expect(made).toEqual([
            {
              ...before,
              id: expect.any(Number),
              destinationUrl: url.href,
              status: 'success',
              httpStatus: 200,
              error: null,
              createdAt: expect.any(String),
            },
          ]);
          expect(made[0].id).not.toBe(row.id);
          expect(await listed(row)).toEqual(before);
        },
      );

      const answers: [answer: ReceiverAnswer, status: string, httpStatus: number | null][] = [
        [201, 'success', 201],
        [299, 'success', 299],
        [{ status: 302, location: 'https://redirected.example.com/' }, 'error', 302],
        [404, 'error', 404],
        [500, 'error', 500],
        ['reset', 'error', null],
      ];
      test.each(answers)(
        '200, and the answer %j gives a delivery in status %s',
        async (planned, status, httpStatus) => {
          const row = inStatus('error');
          const receiver = await api.target().openReceiver(urlOf(row.destinationId).host);
          const elsewhere = await api.target().openReceiver('redirected.example.com');
          receiver.plan(planned);
          const from = api.target().clock.now();
          await replay(row.destinationId, row.id);
          await api.advance(1);
          const [made] = (await since(row.destinationId, from)).toReversed();
          expect(made).toMatchObject({ status, httpStatus, payloadId: row.payloadId });
          expect(made.error).toEqual(status === 'success' ? null : expect.any(String));
          expect(elsewhere.posts).toHaveLength(0);
        },
      );

      test('200 for a delivery to each destination', async () => {
        const byDestination = Map.groupBy(REPLAYABLE, ({ destinationId }) => destinationId);
        expect(byDestination.size).toBeGreaterThan(2);
        for (const [id, [row]] of byDestination) {
          expect((await replay(id, row?.id ?? 0)).json).toEqual({
            queued: true,
            destinationId: id,
            payloadId: row?.payloadId,
          });
        }
        await api.advance(1);
      });

      test('200 with a key of the connection; the body is ignored', async () => {
        const { id, destinationId, payloadId } = inStatus('success');
        for (const body of ['', '{', { payloadId: 1, destinationId: 7 }]) {
          const params = { id: destinationId, deliveryId: id };
          const answer = await api.call('replayDelivery', {
            key: 'osapi_demo_connection',
            params,
            body,
            contentType: null,
          });
          expect(answer.json).toEqual({ queued: true, destinationId, payloadId });
        }
        await api.advance(1);
      });

      test('200 for a delivery that a replay created', async () => {
        const { id, destinationId, payloadId } = inStatus('success');
        const from = api.target().clock.now();
        await replay(destinationId, id);
        await api.advance(1_000);
        const [made] = await since(destinationId, from);
        expect((await replay(destinationId, made.id)).json.payloadId).toBe(payloadId);
        await api.advance(1);
        expect(await since(destinationId, from)).toHaveLength(2);
      });

      test('200: a replay counts in the metrics', async () => {
        const { id, destinationId } = inStatus('success');
        const receiver = await api.target().openReceiver(urlOf(destinationId).host);
        const from = api.target().clock.now().toISOString();
        for (const answer of [200, 500]) {
          receiver.plan(answer);
          await replay(destinationId, id);
          await api.advance(1_000);
        }
        const query = { from, to: api.target().clock.now().toISOString() };
        const metrics = await api.read('getDestinationDeliveryMetrics', { params: { id: destinationId }, query });
        expect(metrics.success).toBe(1);
        expect(metrics.error).toBeGreaterThanOrEqual(1);
        expect(metrics.http2xx).toBe(1);
      });

      test('404 for a delivery to another destination, without payload, or with a deleted payload', async () => {
        const row = inStatus('success');
        for (const [destinationId, deliveryId] of [
          [2, row.id],
          [4, row.id],
          [1, findRow(REPLAYABLE, (each) => each.destinationId === 2, 'delivery to destination 2').id],
          [1, OF_OTHERS.id],
          [WITHOUT_PAYLOAD.destinationId, WITHOUT_PAYLOAD.id],
          [1, DROPPED_PAYLOAD_ID],
        ] as const) {
          const answer = await replay(destinationId, deliveryId);
          const message = `Delivery ${deliveryId} not found`;
          expect(answer.json).toEqual({ statusCode: 404, message, error: 'Not Found' });
        }
      });

      test('404 names the destination first when the key does not see it', async () => {
        for (const id of [6, 7, UNKNOWN_ID]) {
          for (const deliveryId of [OF_OTHERS.id, inStatus('success').id, 'x']) {
            expect((await replay(id, deliveryId)).json.message).toBe(`Destination ${id} not found`);
          }
        }
        const { id, destinationId } = inStatus('success');
        for (const key of ['osapi_demo_other', 'osapi_demo_connection_salesforce', 'osapi_demo_empty']) {
          expect((await replay(destinationId, id, key)).json.message).toBe(`Destination ${destinationId} not found`);
        }
      });

      test('404 and 403 post nothing', async () => {
        const row = inStatus('success');
        const receiver = await api.target().openReceiver(urlOf(row.destinationId).host);
        const other = await api.target().openReceiver(urlOf(OF_OTHERS.destinationId).host);
        const from = api.target().clock.now();
        const refused = [
          await replay(row.destinationId, row.id, 'osapi_demo_read'),
          await replay(row.destinationId, row.id, 'osapi_demo_other'),
          await replay(OF_OTHERS.destinationId, OF_OTHERS.id),
          await replay(row.destinationId, OF_OTHERS.id),
          await replay(2, row.id),
        ];
        expect(refused.map(({ status }) => status)).toEqual([403, 404, 404, 404, 404]);
        await api.advance(60_000);
        expect([receiver.posts.length, other.posts.length]).toEqual([0, 0]);
        expect(await since(row.destinationId, from)).toEqual([]);
        expect(await since(OF_OTHERS.destinationId, from, 'osapi_demo_other')).toEqual([]);
      });

      const { id: deliveryId, destinationId: id } = inStatus('success');
      const call = { key: WRITE_KEY, params: { id, deliveryId } };
      provePathIds(api, 'replayDelivery', call, { param: 'id', resource: 'Destination' });
      provePathIds(api, 'replayDelivery', call, { param: 'deliveryId', resource: 'Delivery' });
      const others = [
        { id: UNKNOWN_ID, deliveryId },
        { id: 'x', deliveryId: 'y' },
        { id: OF_OTHERS.destinationId, deliveryId: OF_OTHERS.id },
      ];
      proveAccess(api, 'replayDelivery', { params: call.params }, ...others.map((params) => ({ params })));
      proveKeyRefusals(api, 'replayDelivery', { params: call.params }, { params: { id: 'x', deliveryId: 'y' } });
    });
  },
  { workers: 'off' },
);
