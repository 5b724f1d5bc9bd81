/** `replayDelivery`: an action that is already queued is not queued again. */
import { describe, expect, test } from 'vitest';
import { WRITE_KEY } from '../../cases/webhooks.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { findRow, visibleDeliveries, WORLD } from '../../harness/world.ts';

const BODY_OF = new Map(WORLD.requests.map(({ id, body }) => [id, body]));
const ROW = findRow(
  visibleDeliveries(WRITE_KEY),
  ({ payloadId, destinationId }) =>
    destinationId === 1 && payloadId !== null && (BODY_OF.get(payloadId) ?? null) !== null,
  'delivery that can be replayed',
);

onEveryTarget(
  (api) => {
    describe('replayDelivery', () => {
      test('200 for several calls while one is queued, which cause one post; a later call causes another', async () => {
        const { host } = new URL(findRow(WORLD.destinations, ({ id }) => id === 1, 'destination').url);
        const receiver = await api.target().openReceiver(host);
        const params = { id: 1, deliveryId: ROW.id };
        const replay = () => api.call('replayDelivery', { key: WRITE_KEY, params });
        const answers = [...(await Promise.all([replay(), replay(), replay()])), await replay()];
        const queued = { queued: true, destinationId: 1, payloadId: ROW.payloadId };
        for (const { json } of answers) expect(json).toEqual(queued);
        await api.advance(1);
        expect(receiver.posts).toHaveLength(1);
        expect((await replay()).json).toEqual(queued);
        await api.advance(1);
        expect(receiver.posts).toHaveLength(2);
      });

      test('200 for several calls during a post, which cause one more post', async () => {
        const { host } = new URL(findRow(WORLD.destinations, ({ id }) => id === 1, 'destination').url);
        const receiver = await api.target().openReceiver(host);
        const replay = () => api.call('replayDelivery', { key: WRITE_KEY, params: { id: 1, deliveryId: ROW.id } });
        const answer = Promise.withResolvers<number>();
        receiver.plan(answer.promise);
        await replay();
        await api.target().clock.advance(1);
        const settled = api.target().settle();
        await receiver.arrived(1);
        await Promise.all([replay(), replay()]);
        expect(receiver.posts).toHaveLength(1);
        answer.resolve(500);
        await settled;
        await api.advance(1);
        expect(receiver.posts).toHaveLength(2);
      });
    });
  },
  { workers: 'off' },
);
