/** A server for forwarding tests; `reset` restores the demo world's bindings of destinations and relays. */
import { expect } from 'vitest';
import type { Backend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from './harness.ts';

/**
 * Destinations of the demo world: bound to smartlead, to instantly, to both with instantly delayed, and of the other
 * tenant.
 */
export const WAREHOUSE = 1;
export const SECOND_WAREHOUSE = 2;
export const ALERTS = 3;
export const FOREIGN = 7;

export const DELAY_MS = 5 * 60_000;
export const HOUR_MS = 3_600_000;

export interface ForwardingServer extends TestServer {
  /** When the test began. */
  startedAt: Date;
  /** Deletes what earlier tests did, and begins a new day. */
  reset(): Promise<void>;
  bind(destinationId: number, sourceId: number, eventTypes: readonly string[], isDelayed?: boolean): Promise<unknown>;
  /** Unbinds all destinations and relays from their sources. */
  unbindAll(): Promise<unknown>;
  setUrl(destinationId: number, url: string): Promise<unknown>;
  settle(): Promise<number>;
  waitAndSettle(ms: number): Promise<number>;
  /** Returns an event as smartlead posts it, by default a reply of a new lead. */
  event(changes?: object): { event_type: string; to_email: string };
  /** Posts a body to a source; returns the receipt's id. */
  receive(body?: string | object, path?: string): Promise<number>;
  /** `from` and `to` of this test. */
  range(): string;
  /** Returns the deliveries of this test, newest first. */
  deliveries(key?: string): Promise<ReturnType<typeof JSON.parse>>;
  /** Returns their destinations, ascending. */
  reached(key?: string): Promise<number[]>;
  waitingForwards(): Promise<number>;
}

export async function startForwardingServer(backend: Backend): Promise<ForwardingServer> {
  const server = await startTestServer(backend);
  const { db, clock, world } = server;
  let posted = 0;
  const made: ForwardingServer = {
    ...server,
    startedAt: clock.now(),
    async reset() {
      server.receiver.reset();
      server.crm.reset();
      await db.script('delete from jobs; delete from inbound_events');
      await made.unbindAll();
      for (const { id, url, bindings } of world.destinations) {
        await made.setUrl(id, url);
        for (const { sourceId, eventTypes, isDelayed } of bindings)
          await made.bind(id, sourceId, eventTypes, isDelayed);
      }
      for (const { id, sourceIds } of world.replyRelays) {
        await db.query('insert into reply_relay_bindings select unnest($1::bigint[]), $2', [sourceIds, id]);
      }
      await db.query('update connections set capability_destinations = true, capability_sync = true');
      clock.advance(24 * HOUR_MS);
      made.startedAt = clock.now();
    },
    bind: (destinationId, sourceId, eventTypes, isDelayed = false) =>
      db.query('insert into destination_bindings values ($1, $2, $3, $4)', [
        destinationId,
        sourceId,
        eventTypes,
        isDelayed,
      ]),
    unbindAll: () => db.script('delete from destination_bindings; delete from reply_relay_bindings'),
    setUrl: (destinationId, url) => db.query('update destinations set url = $2 where id = $1', [destinationId, url]),
    settle: () => server.running.runner.runDue(),
    waitAndSettle(ms) {
      clock.advance(ms);
      return made.settle();
    },
    event(changes = {}) {
      posted += 1;
      return {
        event_type: 'EMAIL_REPLY',
        to_email: `lead-${posted}@example.org`,
        stats_id: `forwarding-${posted}`,
        reply_body: 'Yes!',
        ...changes,
      };
    },
    async receive(body = made.event(), path = 'demo-smartlead') {
      const answer = await server.post(`/webhooks/${path}`, body);
      expect(answer.status).toBe(200);
      return answer.json.requestId;
    },
    range: () => `from=${made.startedAt.toISOString()}&to=${clock.now().toISOString()}`,
    deliveries: async (key) =>
      (await server.get('listDeliveries', `/api/v1/deliveries?${made.range()}`, key)).json.data,
    async reached(key) {
      const rows: { destinationId: number }[] = await made.deliveries(key);
      return rows.map((row) => row.destinationId).sort();
    },
    waitingForwards: async () => (await db.query(`select from jobs where kind = 'forward-event'`)).rowCount,
  };
  return made;
}
