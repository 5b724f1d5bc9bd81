/** Posts to the sources of the demo world, and the proof that each had its effects once. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { outcomeSql } from '@svc/engine/store/receipts';
import type { Database } from '@svc/engine/store/database/db';
import { getJson, type Process, startSimulatorProcess } from './processes.ts';

/** Jobs that must have ended before the results are compared. */
export const KINDS = ['process-receipt', 'write-crm', 'forward-event'];

/** Starts a server with a destination at each path `/1`, `/2`, ... that records its posts. */
export async function startDestination() {
  const received = new Set<string>();
  const http = createServer((request, response) => {
    request.resume().once('end', () => {
      received.add(`${request.url} ${String(request.headers['service-payload-id'])}`);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    got: (destinationId: number, payloadId: number) => received.has(`/${destinationId} ${payloadId}`),
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

/** One of twenty posts is a duplicate, one is not understood, one is a test ping; all others are distinct events. */
export async function inboundPosts(count: number): Promise<{ path: string; body: string }[]> {
  const reply = JSON.parse(
    await readFile(new URL('../../../../fixtures/payloads/smartlead/email-reply.json', import.meta.url), 'utf8'),
  );
  const sent = JSON.parse(
    await readFile(new URL('../../../../fixtures/payloads/instantly/email-sent.json', import.meta.url), 'utf8'),
  );
  const ping = await readFile(
    new URL('../../../../fixtures/payloads/smartlead/odd.test-ping.json', import.meta.url),
    'utf8',
  );
  return Array.from({ length: count }, (_, index) => {
    const lead = `lead-${index}@example.org`;
    switch (index % 20) {
      case 5:
        return { path: 'demo-smartlead', body: '["not", "an event"]' };
      case 6:
        return { path: 'demo-smartlead', body: ping };
      case 7:
        // The same bytes every time: the first is an event, the others repeat it.
        return { path: 'demo-instantly', body: JSON.stringify({ ...sent, lead_email: 'same@example.org' }) };
      default:
        return index % 2 === 0
          ? {
              path: 'demo-smartlead',
              body: JSON.stringify({ ...reply, stats_id: `stats-${index}`, sl_lead_email: lead }),
            }
          : { path: 'demo-instantly', body: JSON.stringify({ ...sent, lead_email: lead }) };
    }
  });
}

/** Starts a CRM and a destination, and returns the environment of servers that use them. */
export async function startLoadTargets(cleanUps: (() => Promise<unknown>)[]) {
  const simulator = await startSimulatorProcess();
  cleanUps.push(() => simulator.stop());
  const destination = await startDestination();
  cleanUps.push(async () => destination.close());
  const quiet = { SVC_LOG_LEVEL: 'error', SVC_RATE_LIMIT: 'off' };
  const env = { SVC_HUBSPOT_URL: simulator.url, SVC_OUTBOUND_ALLOW: '127.0.0.0/8', ...quiet };
  return { simulator, destination, env };
}

/** Waits until the jobs of the posts have ended. */
export async function untilIdle(db: Database): Promise<void> {
  const count = async () => (await db.query('select from jobs where kind = any($1)', [KINDS])).rowCount;
  await expect.poll(count, { timeout: 120_000, interval: 200 }).toBe(0);
}

export type Destination = Awaited<ReturnType<typeof startDestination>>;

/** Points every URL of the world at this machine; returns the id of its last request. */
export async function pointTo(db: Database, url: string): Promise<number> {
  await db.query(`update destinations set url = $1 || id`, [url]);
  await db.query(`update webhooks set url = $1`, [url]);
  const { rows } = await db.query<{ last: number }>('select max(id) as last from requests');
  return rows[0]?.last ?? 0;
}

/**
 * Expects of posts that `inboundPosts` made: no acknowledged receipt is lost, and every event has one first sync and one engagement, and
 * reached its destinations.
 *
 * @param from.before id of the last request before them
 */
export async function expectConserved(
  db: Database,
  from: { before: number; acknowledged: readonly number[]; destination: Destination; simulatorUrl: string },
): Promise<void> {
  const { before, acknowledged, destination, simulatorUrl } = from;
  const { rows: receipts } = await db.query<{ id: number; outcome: string | null }>(
    `select id, ${outcomeSql('requests')} as outcome from requests where id > $1`,
    [before],
  );
  const ids = new Set(receipts.map((receipt) => receipt.id));
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  const outcomes = countBy(receipts.map((receipt) => receipt.outcome ?? 'pending'));
  expect(outcomes['pending']).toBeUndefined();
  for (const outcome of ['synced', 'duplicate', 'unparsed', 'ignored']) expect(outcomes[outcome]).toBeGreaterThan(0);
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(receipts.length);

  const { rows: events } = await db.query<{ first: number; request_id: number }>(
    `select e.request_id, (select count(*) from syncs s where s.inbound_event_id = e.id and s.retry_of_sync_id is null) as first
      from inbound_events e`,
  );
  expect(events.filter((event) => event.first !== 1)).toEqual([]);
  // These payloads contain one event each, so the number of events equals that of receipts.
  expect(events.length).toBe(outcomes['synced']);
  expect((await db.query('select from syncs where inbound_event_id is not null')).rowCount).toBe(events.length);
  expect((await db.query(`select from jobs where kind = any($1)`, [KINDS])).rowCount).toBe(0);

  const { rows: forwardings } = await db.query<{ payload: number; destination: number; delivered: number }>(
    `select e.request_id as payload, b.destination_id as destination, (select count(*) from deliveries d
        where d.payload_id = e.request_id and d.destination_id = b.destination_id and d.status = 'success') as delivered
      from inbound_events e join destination_bindings b on b.source_id = e.source_id
      where e.event_type = any(b.event_types)`,
  );
  expect(forwardings.length).toBeGreaterThan(acknowledged.length / 3);
  expect(forwardings.filter((forwarding) => forwarding.delivered !== 1)).toEqual([]);
  expect(forwardings.filter(({ payload, destination: id }) => !destination.got(id, payload))).toEqual([]);

  const state = await getJson(`${simulatorUrl}/__sim/state`);
  expect(state.counts.engagements).toBe(events.length);
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Between posts that nobody waits for: at full speed they and the writes that follow would take most of a test's time. */
const TRICKLE_MS = 50;

/** Posts to the servers in turn, as a load balancer does: a post that one refuses goes to the next. */
export function createTraffic(posts: { path: string; body: string }[], first: readonly Process[]) {
  const servers = [...first];
  const acknowledged: number[] = [];
  let isEnding = false;
  let turn = 0;
  let wanted = 0;
  const send = async () => {
    while (!isEnding) {
      const post = posts.shift();
      if (post === undefined) throw new Error('There are too few posts for this test.');
      let id: number | null = null;
      while (id === null) {
        turn += 1;
        id = await tryPost(servers[turn % servers.length], post);
      }
      acknowledged.push(id);
      if (acknowledged.length >= wanted) await setTimeout(TRICKLE_MS);
    }
  };
  // One post at a time, so that the workers keep pace on a small machine.
  const sending = send();
  let failure: unknown = null;
  sending.catch((error: unknown) => {
    failure = error;
  });
  return {
    servers,
    posts,
    /** Waits for further acknowledged posts. */
    async atLeast(count: number) {
      wanted = acknowledged.length + count;
      await expect
        .poll(() => failure !== null || acknowledged.length >= wanted, { timeout: 300_000, interval: 5 })
        .toBe(true);
      if (failure !== null) throw failure;
    },
    async end() {
      isEnding = true;
      await sending;
      return acknowledged;
    },
  };
}

/** @returns the id of the receipt; null when the server is stopping */
async function tryPost(server: Process | undefined, { path: source, body }: { path: string; body: string }) {
  const response = await fetch(`${server?.url}/webhooks/${source}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  }).catch(() => null);
  const text = (await response?.text().catch(() => null)) ?? null;
  if (response === null || response.status === 503 || text === null) return null;
  if (response.status !== 200) {
    throw new Error(
      `answered ${response.status}: ${text}; its log ends with: ${server?.stdout().slice(-2_000)}${server?.stderr().slice(-2_000)}`,
    );
  }
  return Number(JSON.parse(text).requestId);
}
