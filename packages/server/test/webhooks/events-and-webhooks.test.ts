/** Reading webhooks, their deliveries and the event log on both databases through real HTTP. */
import type { OperationId } from '@svc/contract/operations';
import { compareNewestFirst } from '@svc/domain/requests/page';
import { toPlatformEventWithDeliveries, toWebhookDelivery, toWebhookEndpoint } from '@svc/domain/resources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

describe.each(backends)('webhooks and events on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('operations', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(backend);
    });
    afterAll(async () => {
      await server.close();
    });

    const webhooksOf = (accountId: number) =>
      server.world.webhooks
        .filter((webhook) => webhook.accountId === accountId && webhook.deletedAt === null)
        .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1));
    const eventsOf = (accountId: number, connectionIds: number[]) =>
      server.world.events
        .filter((e) => e.accountId === accountId && (e.connectionId === null || connectionIds.includes(e.connectionId)))
        .sort(compareNewestFirst);
    const deliveriesOf = (eventId: string) => server.world.webhookDeliveries.filter((d) => d.eventId === eventId);
    const allPages = async (operationId: OperationId, path: string, key?: string) => {
      const rows: { id: string }[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const suffix: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { json } = await server.get(operationId, `${path}${suffix}`, key);
        rows.push(...json.data);
        cursor = json.nextCursor;
      }
      return rows;
    };

    describe('listWebhooks', () => {
      test("200: the account's own, oldest first, without deleted ones and without secrets", async () => {
        const { json } = await server.get('listWebhooks', '/api/v1/webhooks');
        expect(json).toEqual({ webhooks: webhooksOf(1).map(toWebhookEndpoint) });
        expect(JSON.stringify(json)).not.toContain('oswhsec_');
      });

      test('403 for a connection-scoped key and for an account without webhooks, in the order of the checks', async () => {
        const scoped = await server.get('listWebhooks', '/api/v1/webhooks', 'osapi_demo_connection_read');
        expect(scoped.json.message).toBe('Webhook endpoint management requires an account-scoped API key');
        const disabled = await server.get('listWebhooks', '/api/v1/webhooks', 'osapi_demo_no_webhooks');
        expect(disabled.json.message).toBe('Platform webhooks are not enabled for this account');
      });
    });

    describe('getWebhook', () => {
      test('200 with the same body as in the list', async () => {
        const [webhook] = webhooksOf(1);
        if (!webhook) throw new Error('the demo world has webhooks');
        const { json } = await server.get('getWebhook', `/api/v1/webhooks/${webhook.id}`);
        expect(json).toEqual(toWebhookEndpoint(webhook));
      });

      test('404 for a webhook of another tenant, a deleted one, and an invalid id', async () => {
        const deleted = server.world.webhooks.find((webhook) => webhook.deletedAt !== null)?.id;
        const foreign = webhooksOf(2)[0]?.id;
        for (const id of [deleted, foreign, 'oswhk_nobody', '17', 'oswhk_']) {
          expect(id).toBeDefined();
          const answer = await server.get('getWebhook', `/api/v1/webhooks/${id}`);
          expect([answer.status, answer.json.message]).toEqual([404, `Webhook ${id} not found`]);
        }
      });
    });

    describe('listWebhookDeliveries', () => {
      const busiest = () =>
        webhooksOf(1)
          .map((webhook) => ({
            id: webhook.id,
            rows: server.world.webhookDeliveries.filter((d) => d.webhookId === webhook.id),
          }))
          .sort((a, b) => b.rows.length - a.rows.length)[0] ?? { id: '', rows: [] };

      test.each([1, 7, 100])('200: the pages contain each delivery once, newest first (limit %d)', async (limit) => {
        const { id, rows } = busiest();
        const listed = await allPages('listWebhookDeliveries', `/api/v1/webhooks/${id}/deliveries?limit=${limit}`);
        expect(listed).toEqual(rows.sort(compareNewestFirst).map(toWebhookDelivery));
        expect(rows.length).toBeGreaterThan(10);
      });

      test('200 filtered by status, 25 by default', async () => {
        const { id, rows } = busiest();
        const { json } = await server.get(
          'listWebhookDeliveries',
          `/api/v1/webhooks/${id}/deliveries?status=SUCCEEDED&limit=100`,
        );
        expect(json.data).toHaveLength(rows.filter((row) => row.status === 'SUCCEEDED').length);
        const first = await server.get('listWebhookDeliveries', `/api/v1/webhooks/${id}/deliveries`);
        expect(first.json.data).toHaveLength(Math.min(25, rows.length));
      });

      test.each(['limit=101', 'limit=0', 'status=succeeded', 'cursor=x', 'status=DEAD&status=DEAD'])(
        '400 for %s',
        async (query) => {
          expect(
            (await server.get('listWebhookDeliveries', `/api/v1/webhooks/${busiest().id}/deliveries?${query}`)).status,
          ).toBe(400);
        },
      );

      test('404 for a webhook of another tenant', async () => {
        const foreign = webhooksOf(2)[0]?.id;
        expect((await server.get('listWebhookDeliveries', `/api/v1/webhooks/${foreign}/deliveries`)).status).toBe(404);
      });
    });

    describe('listEvents', () => {
      test.each([1, 9, 100])('200: the pages contain each event once, newest first (limit %d)', async (limit) => {
        const listed = await allPages('listEvents', `/api/v1/events?limit=${limit}`);
        expect(listed.map((event) => event.id)).toEqual(eventsOf(1, [1, 2, 3]).map((event) => event.id));
      });

      test("200 with a connection key: that connection's events and those of the account itself", async () => {
        const listed = await allPages('listEvents', '/api/v1/events?limit=100', 'osapi_demo_connection_read');
        const expected = eventsOf(1, [1]);
        expect(listed.map((event) => event.id)).toEqual(expected.map((event) => event.id));
        expect(expected.some((event) => event.connectionId === null)).toBe(true);
      });

      test('200 filtered by repeated types with duplicates, and by delivered', async () => {
        const path = '/api/v1/events?limit=100&type=test.ping&type=sync.recovered&type=test.ping';
        const byType = await allPages('listEvents', path);
        const expected = eventsOf(1, [1, 2, 3]).filter((event) => event.type !== 'sync.failed');
        expect(byType.map((event) => event.id)).toEqual(expected.map((event) => event.id));
        for (const delivered of [true, false]) {
          const listed = await allPages('listEvents', `/api/v1/events?limit=100&delivered=${delivered}`);
          const isDelivered = (id: string) => deliveriesOf(id).some((delivery) => delivery.status === 'SUCCEEDED');
          const wanted = eventsOf(1, [1, 2, 3]).filter((event) => isDelivered(event.id) === delivered);
          expect(listed.map((event) => event.id)).toEqual(wanted.map((event) => event.id));
          expect(wanted.length).toBeGreaterThan(0);
        }
      });

      test.each(['type=sync.broken', 'type=', 'delivered=1', 'limit=101', 'cursor=x'])('400 for %s', async (query) => {
        expect((await server.get('listEvents', `/api/v1/events?${query}`)).status).toBe(400);
      });

      test('403 for an account without webhooks', async () => {
        expect((await server.get('listEvents', '/api/v1/events', 'osapi_demo_no_webhooks')).status).toBe(403);
      });
    });

    describe('getEvent', () => {
      test('200 with its deliveries, newest first', async () => {
        const event = eventsOf(1, [1, 2, 3]).find((one) => deliveriesOf(one.id).length > 1);
        if (!event) throw new Error('the demo world has events with several deliveries');
        const { json } = await server.get('getEvent', `/api/v1/events/${event.id}`);
        expect(json).toEqual(toPlatformEventWithDeliveries(event, deliveriesOf(event.id)));
      });

      test('404 for events of another tenant, another or a hidden connection, and an invalid id', async () => {
        const idOf = (connectionId: number) =>
          server.world.events.find((event) => event.connectionId === connectionId)?.id;
        const cases: [string | undefined, string][] = [
          [eventsOf(2, [5])[0]?.id, 'osapi_demo_read'],
          [idOf(4), 'osapi_demo_read'],
          [idOf(2), 'osapi_demo_connection_read'],
          ['osevt_nobody', 'osapi_demo_read'],
          ['1', 'osapi_demo_read'],
        ];
        for (const [id, key] of cases) {
          expect(id).toBeDefined();
          const answer = await server.get('getEvent', `/api/v1/events/${id}`, key);
          expect([answer.status, answer.json.message]).toEqual([404, `Event ${id} not found`]);
        }
      });
    });
  });
});
