/** `listEvents`: an event is `delivered` when one of its deliveries has succeeded. */
import { describe, expect, test } from 'vitest';
import { useWebhooks, WRITE_KEY } from '../../cases/webhooks.ts';
import { onEveryTarget } from '../../harness/suite.ts';

/** The longest wait before a first retry. */
const FIRST_RETRY_MS = 6 * 60_000;

onEveryTarget(
  (api) => {
    const webhooks = useWebhooks(api);
    const isDelivered = async (id: string): Promise<boolean> =>
      (await api.read('getEvent', { key: WRITE_KEY, params: { id } })).delivered;
    const listed = async (delivered: boolean): Promise<string[]> => {
      const { data } = await api.read('listEvents', {
        key: WRITE_KEY,
        query: { delivered: String(delivered), limit: 100 },
      });
      return data.map(({ id }: { id: string }) => id);
    };

    describe('getEvent', () => {
      test('200 with delivered true after the first success, not after failed attempts', async () => {
        const { id, receiver } = await webhooks.make();
        receiver.plan(500, 200);
        const eventId = await webhooks.ping(id);
        expect(await isDelivered(eventId)).toBe(false);
        await api.target().settle();
        expect([receiver.posts.length, await isDelivered(eventId)]).toEqual([1, false]);
        await api.advance(FIRST_RETRY_MS);
        expect([receiver.posts.length, await isDelivered(eventId)]).toEqual([2, true]);
      });

      test('200 with delivered false when the only delivery is DEAD, and true after its replay', async () => {
        const { id, receiver } = await webhooks.make();
        receiver.plan(404, 200);
        const eventId = await webhooks.ping(id);
        await api.target().settle();
        expect(await isDelivered(eventId)).toBe(false);
        const [dead] = await webhooks.deliveries(id);
        await webhooks.write('replayWebhookDelivery', { params: { id, deliveryId: dead?.id ?? '' } });
        await api.target().settle();
        expect(await isDelivered(eventId)).toBe(true);
      });
    });

    describe('listEvents', () => {
      test('200: a delivered event moves to delivered=true', async () => {
        const { id } = await webhooks.make();
        const eventId = await webhooks.ping(id);
        expect([(await listed(false)).includes(eventId), (await listed(true)).includes(eventId)]).toEqual([
          true,
          false,
        ]);
        await api.target().settle();
        expect([(await listed(false)).includes(eventId), (await listed(true)).includes(eventId)]).toEqual([
          false,
          true,
        ]);
      });

      test('200: an event whose delivery is DEAD stays in delivered=false', async () => {
        const made = await webhooks.make();
        made.receiver.answer(413);
        const eventId = await webhooks.ping(made.id);
        await api.target().settle();
        expect([(await listed(false)).includes(eventId), (await listed(true)).includes(eventId)]).toEqual([
          true,
          false,
        ]);
      });
    });
  },
  { workers: 'off' },
);
