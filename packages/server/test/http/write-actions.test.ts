/** Delivery replay and block list pause on both databases: calls, effects and refusals. */
import { pauseBlocklist } from '@svc/domain/blocklists/blocklist';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

const WRITE_REFUSED = 'API key requires the "write" scope';

describe.each(backends)('write actions on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('operations', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(backend);
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(() => {
      server.receiver.reset();
      server.clock.advance(1_000);
    });

    const act = (path: string, key = 'osapi_demo_write') =>
      server.post(`/api/v1${path}`, '', { authorization: `Bearer ${key}` });

    describe('replayDelivery', () => {
      const replayable = (status: 'success' | 'error') => {
        const found = server.world.deliveries.find(
          (delivery) =>
            delivery.connectionId === 1 &&
            delivery.status === status &&
            server.world.requests.some((request) => request.id === delivery.payloadId && request.body !== null),
        );
        if (!found) throw new Error(`the demo world has a replayable delivery in ${status}`);
        return found;
      };
      const replay = (destinationId: number | string, deliveryId: number | string, key?: string) =>
        act(`/destinations/${destinationId}/deliveries/${deliveryId}/replay`, key);
      const newest = async (destinationId: number) => {
        const now = server.clock.now().toISOString();
        const path = `/api/v1/destinations/${destinationId}/deliveries?from=${now}&to=${now}`;
        return (await server.get('listDestinationDeliveries', path)).json.data;
      };

      test.each(['success', 'error'] as const)(
        '200 for a delivery in %s: posts the payload and adds a row',
        async (status) => {
          const delivery = replayable(status);
          const answer = await replay(delivery.destinationId, delivery.id);
          expect(answer).toMatchObject({
            status: 200,
            json: { queued: true, destinationId: delivery.destinationId, payloadId: delivery.payloadId },
          });
          await server.running.runner.runDue();
          const payload = server.world.requests.find((request) => request.id === delivery.payloadId)?.body;
          expect(server.receiver.posts().map((post) => JSON.parse(post.body))).toEqual([payload]);
          expect(await newest(delivery.destinationId)).toMatchObject([
            {
              status: 'success',
              httpStatus: 200,
              error: null,
              payloadId: delivery.payloadId,
              eventType: delivery.eventType,
            },
          ]);
        },
      );

      test('200, and the row says so when the destination refuses or is gone', async () => {
        const { id, destinationId } = replayable('error');
        server.receiver.answerNext(500, 'reset');
        for (const expected of [{ httpStatus: 500, error: 'The destination answered 500' }, { httpStatus: null }]) {
          server.clock.advance(1_000);
          await replay(destinationId, id);
          await server.running.runner.runDue();
          expect(await newest(destinationId)).toMatchObject([{ status: 'error', ...expected }]);
        }
      });

      test('403 for a read key before any look-up', async () => {
        const answer = await replay('x', 'y', 'osapi_demo_read');
        expect([answer.status, answer.json.message]).toEqual([403, WRITE_REFUSED]);
      });

      test('404 for a destination of another tenant, a delivery of another destination, and one without payload', async () => {
        const { id, destinationId } = replayable('success');
        const foreign = server.world.destinations.find((destination) => destination.connectionId === 5)?.id ?? 0;
        const other = server.world.destinations.find((d) => d.connectionId === 1 && d.id !== destinationId)?.id ?? 0;
        const bare = server.world.deliveries.find(
          (delivery) => delivery.payloadId === null && delivery.connectionId === 1,
        );
        expect(bare).toBeDefined();
        const cases: [number | string, number | string, string][] = [
          [foreign, id, `Destination ${foreign} not found`],
          ['x', id, 'Destination x not found'],
          [other, id, `Delivery ${id} not found`],
          [destinationId, 99_999_999, 'Delivery 99999999 not found'],
          [bare?.destinationId ?? 0, bare?.id ?? 0, `Delivery ${bare?.id} not found`],
        ];
        for (const [destination, delivery, message] of cases) {
          const answer = await replay(destination, delivery);
          expect([answer.status, answer.json.message]).toEqual([404, message]);
        }
      });
    });

    describe('pauseBlocklist', () => {
      test('200 for every list with the resulting status, and again when already paused', async () => {
        const lists = server.world.blocklists.filter((list) => [1, 2, 3].includes(list.connectionId));
        expect(new Set(lists.map((list) => list.status)).size).toBe(5);
        for (const list of lists) {
          const { status } = pauseBlocklist({ ...list, run: 0 });
          for (let round = 0; round < 2; round += 1) {
            const answer = await act(`/blocklists/${list.id}/pause`);
            expect(answer).toMatchObject({ status: 200, json: { id: list.id, isEnabled: false, status } });
          }
        }
        const { json } = await server.get('listBlocklists', '/api/v1/blocklists');
        expect(json.blocklists.every((list: { isEnabled: boolean }) => !list.isEnabled)).toBe(true);
      });

      test('403 for a read key, 404 for a list of another tenant or hidden connection, and an invalid id', async () => {
        expect((await act('/blocklists/99999999/pause', 'osapi_demo_read')).json.message).toBe(WRITE_REFUSED);
        const idOf = (connectionId: number) =>
          server.world.blocklists.find((list) => list.connectionId === connectionId)?.id;
        for (const id of [idOf(4), 99_999_999, 'x']) {
          expect(id).toBeDefined();
          const answer = await act(`/blocklists/${id}/pause`);
          expect([answer.status, answer.json.message]).toEqual([404, `Blocklist ${id} not found`]);
        }
        const foreign = await act(`/blocklists/${idOf(1)}/pause`, 'osapi_demo_other');
        expect(foreign.status).toBe(404);
      });
    });
  });
});
