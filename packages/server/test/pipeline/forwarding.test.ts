/**
 * From a sequencer's POST to a customer's destination, on both databases, over real HTTP, with a manual clock. `writes/inbound.test.ts` of the
 * conformance suite proves which events go to which destination, when, and what the endpoints show.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { getEventsToForward } from '@svc/engine/store/forwarding';
import { anyBackend, backends } from '@svc/engine/test/backends';
import {
  ALERTS,
  DELAY_MS,
  FOREIGN,
  SECOND_WAREHOUSE,
  WAREHOUSE,
  type ForwardingServer,
  startForwardingServer,
} from '../support/forwarding-server.ts';

describe.each(backends)('forwarding on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('of received events', () => {
    let server: ForwardingServer;
    beforeAll(async () => {
      server = await startForwardingServer(backend);
    });
    afterAll(async () => {
      await server.close();
    });
    beforeEach(() => server.reset());

    test('reads the events that are forwarded and no others of their source', async () => {
      const { db } = server.running.ctx;
      await db.transaction(async (tx) => {
        const countReads = async () => {
          const { rows } = await tx.query<{ reads: number }>(
            `select idx_tup_fetch + seq_tup_read as reads from pg_stat_xact_user_tables where relname = 'inbound_events'`,
          );
          return rows[0]?.reads ?? 0;
        };
        const { rows } = await tx.query<{ id: number }>(
          `insert into inbound_events (request_id, source_id, connection_id, event_key, event_type, to_email, platform,
              normalized, created_at)
            select 0, 1, 1, 'key-' || i, 'EMAIL_REPLY', 'ada@example.org', 'smartlead', '{}', now()
            from generate_series(1, 1000) i returning id`,
        );
        await tx.query('set local plan_cache_mode = force_generic_plan');
        const keys = rows.slice(0, 4).map(({ id }) => ({ eventId: id, destinationId: 1, receivedAt: null }));
        const readsBefore = await countReads();
        expect((await getEventsToForward(tx, keys)).map((event) => event?.sourceId)).toEqual([1, 1, 1, 1]);
        expect((await countReads()) - readsBefore).toBe(4);
      });
    });

    test('forwards the received bytes with their content type, and no other header of the post', async () => {
      const json = JSON.stringify(
        server.event({ to_email: 'Exact.Bytes@Example.org', note: 'naïve ☂', spaced: 1.0 }),
        null,
        3,
      );
      // A byte order mark and an invalid UTF-8 byte are kept and forwarded.
      const bytes = Buffer.concat([
        Buffer.from([0xef, 0xbb, 0xbf]),
        Buffer.from(json.replace('Yes!', 'Yes')),
        Buffer.from('\n\t '),
      ]);
      bytes[bytes.indexOf('Yes') + 1] = 0xff;
      const response = await fetch(`${server.url}/webhooks/demo-smartlead`, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'x-secret': 'not forwarded' },
        body: bytes,
      });
      const { requestId } = (await response.json()) as { requestId: number };
      await server.settle();

      const posts = server.receiver.posts();
      expect(posts.map((post) => `https://${post.host}${post.path}`).sort()).toEqual([
        'https://alerts.example.org/replies',
        'https://hooks.example.com/crm-events',
      ]);
      for (const post of posts) {
        expect(post.bytes.equals(bytes)).toBe(true);
        expect(post.headers).toEqual({
          host: post.host,
          connection: 'keep-alive',
          'content-length': String(bytes.length),
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'svc-forwarding/1',
          'service-payload-id': String(requestId),
        });
      }
    });

    test('forwards a body without content type as JSON', async () => {
      await fetch(`${server.url}/webhooks/demo-smartlead`, {
        method: 'POST',
        body: Buffer.from(JSON.stringify(server.event())),
      });
      await server.settle();
      expect(server.receiver.posts().map((post) => post.headers['content-type'])).toEqual([
        'application/json',
        'application/json',
      ]);
    });

    describe('what is forwarded', () => {
      test('a binding without event types forwards nothing', async () => {
        await server.unbindAll();
        await server.bind(WAREHOUSE, 1, []);
        await server.receive();
        await server.settle();
        expect(await server.reached()).toEqual([]);
      });

      test('an unparsed payload is not forwarded', async () => {
        const requestId = await server.receive('["not", "an event"]');
        await server.settle();
        const { rows } = await server.db.query('select outcome from requests where id = $1', [requestId]);
        expect([rows, await server.reached()]).toEqual([[{ outcome: 'unparsed' }], []]);
      });

      test('a payload of several new events is forwarded once to each destination, under the first event its binding allows', async () => {
        const opened = server.event({ event_type: 'EMAIL_OPEN' });
        const known = server.event({ event_type: 'EMAIL_SENT' });
        await server.receive(known);
        await server.settle();
        server.receiver.reset();
        server.clock.advance(1);
        server.startedAt = server.clock.now();
        const clicked = server.event({ event_type: 'EMAIL_LINK_CLICK' });
        const replied = server.event();
        const body = JSON.stringify([known, opened, clicked, replied]);
        await server.receive(body);
        await server.settle();
        expect(server.receiver.posts().map((post) => post.body)).toEqual([body, body]);
        const labels = (await server.deliveries()).map(
          (row: { destinationId: number; eventType: string; toEmail: string }) => [
            row.destinationId,
            row.eventType,
            row.toEmail,
          ],
        );
        expect(labels.sort()).toEqual([
          [WAREHOUSE, 'EMAIL_LINK_CLICK', clicked.to_email],
          [ALERTS, 'EMAIL_REPLY', replied.to_email],
        ]);
      });

      test('the delay counts from the receipt, however late the receipt is processed', async () => {
        await server.receive(
          { event_type: 'reply_received', lead_email: 'late@example.org', email_id: 'd-2' },
          'demo-instantly',
        );
        await server.waitAndSettle(DELAY_MS);
        expect(await server.reached()).toEqual([SECOND_WAREHOUSE, ALERTS]);
      });
    });

    // The statements are the same as above, so one database shows the rest.
    if (backend !== anyBackend) return;

    describe('changes between receipt and forwarding', () => {
      const receiveDelayed = async () => {
        await server.unbindAll();
        await server.bind(ALERTS, 1, ['EMAIL_REPLY'], true);
        await server.receive();
        await server.settle();
        expect(await server.waitingForwards()).toBe(1);
      };

      test.each([
        ['the capability is gone', `update connections set capability_destinations = false where id = 1`],
        ['the binding is gone', 'delete from destination_bindings'],
        ['the binding allows other events', `update destination_bindings set event_types = '{EMAIL_SENT}'`],
      ])('%s when it is due: nothing is posted, no row is added, and the job ends', async (_name, change) => {
        await receiveDelayed();
        await server.db.query(change);
        await server.waitAndSettle(DELAY_MS);
        expect([server.receiver.posts(), await server.deliveries(), await server.waitingForwards()]).toEqual([
          [],
          [],
          0,
        ]);
      });

      test('a capability switched on after the receipt does not forward it', async () => {
        await server.unbindAll();
        await server.bind(ALERTS, 1, ['EMAIL_REPLY'], true);
        await server.db.query('update connections set capability_destinations = false where id = 1');
        await server.receive();
        await server.settle();
        await server.db.query('update connections set capability_destinations = true where id = 1');
        await server.waitAndSettle(DELAY_MS);
        expect(server.receiver.posts()).toEqual([]);
      });

      test("uses the destination's current URL", async () => {
        await receiveDelayed();
        await server.setUrl(ALERTS, 'https://moved.example.org/here');
        await server.waitAndSettle(DELAY_MS);
        expect(server.receiver.posts()).toMatchObject([{ host: 'moved.example.org', path: '/here' }]);
        expect(await server.deliveries()).toMatchObject([{ destinationUrl: 'https://moved.example.org/here' }]);
      });

      test('a deleted payload is a final error', async () => {
        await receiveDelayed();
        await server.db.query('update requests set body = null where created_at >= $1', [server.startedAt]);
        await server.waitAndSettle(DELAY_MS);
        const error = 'The received payload is not kept any more';
        expect(await server.deliveries()).toMatchObject([{ status: 'error', httpStatus: null, error }]);
        expect(await server.waitingForwards()).toBe(0);
      });
    });

    test('with destinations switched off, writes the event to the CRM and forwards nothing; a replay says why nothing was sent', async () => {
      await server.db.query('truncate reply_relay_bindings');
      await server.receive();
      await server.settle();
      const [delivered] = await server.deliveries();
      await server.db.query('update connections set capability_destinations = false where id = 1');
      await server.receive();
      const path = `/api/v1/destinations/${delivered.destinationId}/deliveries/${delivered.id}/replay`;
      const replay = await server.post(path, '', { authorization: 'Bearer osapi_demo_write' });
      expect(replay.status).toBe(200);
      await server.settle();
      const error = expect.stringContaining('switched off');
      expect(await server.deliveries()).toContainEqual(
        expect.objectContaining({ destinationId: delivered.destinationId, status: 'error', httpStatus: null, error }),
      );
      expect(server.receiver.posts()).toHaveLength(2);
      expect(server.crm.engagements()).toHaveLength(2);
      expect((await server.db.query('select from jobs')).rowCount).toBe(0);
    });

    test('with sync switched off, keeps the receipt, syncs nothing, and forwards it once', async () => {
      await server.db.query('update connections set capability_sync = false where id = 1');
      const body = server.event();
      const requestId = await server.receive(body);
      await server.receive(body);
      await server.settle();
      expect(await server.reached()).toEqual([WAREHOUSE, ALERTS]);
      expect(server.crm.engagements()).toEqual([]);
      const { rows } = await server.db.query('select outcome, outcome_reason from requests where id >= $1', [
        requestId,
      ]);
      const off = { outcome: 'ignored', outcome_reason: 'Syncing is switched off on the connection.' };
      expect(rows).toEqual([off, off]);
      expect((await server.db.query('select from syncs where payload_id = $1', [requestId])).rowCount).toBe(0);
    });

    describe('tenants', () => {
      test('a binding across connections forwards nothing', async () => {
        await server.unbindAll();
        await server.bind(FOREIGN, 1, ['EMAIL_REPLY']);
        await server.receive();
        await server.settle();
        expect(server.receiver.posts()).toEqual([]);
      });
    });
  });
});
