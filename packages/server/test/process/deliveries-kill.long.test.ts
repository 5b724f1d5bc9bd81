/**
 * Webhook deliveries keep the promises of `listWebhookDeliveries` while a receiver fails one time in
 * five and one of two servers is killed: real processes, real HTTP, one PostgreSQL. The clocks of all processes are
 * moved together whenever no work is due, so the hours of the schedule pass quickly.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { verifySignature } from '@svc/domain/webhooks/webhook-signature';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase } from '../../../../scripts/vitest/database.ts';
import { sized } from '../../../../scripts/vitest/size.ts';
import { generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import type { Database } from '@svc/engine/store/database/db';
import { openPostgres } from '@svc/engine/store/database/postgres';
import { isPlannedRight, jitterOf, problemWith, type StoredDelivery } from '../support/delivery-schedule.ts';
import { type Answer, createFlakyReceiver, type FlakyReceiver, type Post } from '../support/flaky-receiver.ts';
import type { MovedClockOrder } from '../support/moved-clock-server.ts';
import { type MovedClockServer, runServerCommandHere, startMovedClockServer } from '../support/processes.ts';

const EVENTS = sized(1_500);
const SEED = 20_260_301;
const databaseUrl = inject('databaseUrl');
const minimalWorld = new URL('../../../../fixtures/minimal-world.json', import.meta.url);

/** The number of jobs a server runs at a time, which a kill can interrupt. */
const AT_WORK_MAX = 256;
/** How much further the clock moves than to the next due attempt, so that attempts also come in bursts. */
const STRIDE_MS = 120_000;
/** A burst takes time, and the jobs of a killed server wait for the end of their leases. */
const LATEST_MS = STRIDE_MS + 120_000;

const KEYS = ['osapi_minimal', 'osapi_second'] as const;
const WEBHOOKS_EACH = 20;

interface Webhook {
  id: string;
  key: string;
  url: string;
  secret: string;
}

/** One endpoint is gone (410) and one never works; the others fail one time in five, a few of them for good. */
function planAnswers(url: string, random: () => number): Answer[] {
  return Array.from({ length: 8 }, () => {
    const chance = random();
    if (url === '/gone') return 404;
    if (url === '/broken') return chance < 0.3 ? 'reset' : 500;
    if (chance < 0.01) return 404;
    if (chance < 0.06) return 'reset';
    return chance < 0.2 ? 500 : 200;
  });
}

describe.skipIf(databaseUrl === null)('webhook deliveries of two servers on one PostgreSQL', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let env: Record<string, string>;
  let db: Database;
  let receiver: FlakyReceiver;
  let servers: MovedClockServer[] = [];
  /** How far all clocks are ahead of the machine's. */
  let offsetMs = 0;
  const nowMs = () => Date.now() + offsetMs;

  beforeEach(async () => {
    const database = await createTestDatabase(databaseUrl ?? '');
    cleanUps.push(() => database.drop());
    env = {
      DATABASE_URL: database.url,
      SVC_ENCRYPTION_KEY: generateEncryptionKey(),
      SVC_RATE_LIMIT: 'off',
      SVC_LOG_LEVEL: 'warn',
    };
    await loadTwoTenants();
    db = openPostgres(database.url, { maxConnections: 2 });
    cleanUps.push(() => db.close());
    receiver = createFlakyReceiver({ seed: SEED, nowMs, plan: planAnswers });
    cleanUps.push(() => receiver.close());
    servers = [];
    offsetMs = 0;
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  test(`${EVENTS} events, one SIGKILL: every delivery ends as scheduled, none is lost, and only interrupted ones are sent after a success`, async () => {
    await startServer('stays');
    const killed = await startServer('killed');
    const webhooks = await createWebhooks();

    const pings = sendPings(webhooks);
    await expect.poll(() => receiver.posts.length, { timeout: 300_000 }).toBeGreaterThan(EVENTS / 2);
    const killedAtMs = await new Promise<number>((resolve) => {
      // The endpoint has answered with success, and the server cannot record it.
      receiver.onNextSuccess('killed', () => {
        killed.child.kill('SIGKILL');
        resolve(nowMs());
      });
    });
    await killed.stop('SIGKILL');
    servers = servers.filter((server) => server !== killed);
    await startServer('restarted');
    const eventIds = await pings;
    await letTimePass();

    const deliveries = await readDeliveries();
    const stored = new Set(deliveries.map((delivery) => delivery.eventId));
    expect(eventIds.filter((id) => !stored.has(id))).toEqual([]);
    expect([stored.size, (await db.query('select from events')).rowCount]).toEqual(Array(2).fill(deliveries.length));
    const { rowCount: wrongMarks } = await db.query(`select from events where is_delivered <> exists (
      select from webhook_deliveries where event_id = events.id and status = 'SUCCEEDED')`);
    expect(wrongMarks).toBe(0);
    // A ping without an answer because of the kill was sent again.
    expect(deliveries.length - EVENTS).toBeLessThanOrEqual(AT_WORK_MAX);

    expectOutcomes(deliveries, killedAtMs);
    await expectSignedAndUnchanged(deliveries, webhooks);
    await expectAutoDisabled(deliveries, webhooks);
    for (const server of servers) {
      await server.stop();
      // No lease was lost, and nothing failed except the endpoints. Maintenance gives way to what runs all the time.
      const lines = server
        .stderr()
        .split('\n')
        .filter((line) => !line.includes('the months of a log are in use'));
      expect(lines.join('\n')).toBe('');
    }
  }, 600_000);

  async function loadTwoTenants(): Promise<void> {
    const world = JSON.parse(await readFile(minimalWorld, 'utf8'));
    const second = (row: object) => ({ ...row, id: 2 });
    world.accounts.push(second(world.accounts[0]));
    world.connections.push({ ...second(world.connections[0]), accountId: 2 });
    world.apiKeys.push({ ...second(world.apiKeys[0]), accountId: 2, token: KEYS[1] });
    const directory = await mkdtemp(path.join(os.tmpdir(), 'svc deliveries '));
    cleanUps.push(() => rm(directory, { recursive: true, force: true }));
    const file = path.join(directory, 'world.json');
    await writeFile(file, JSON.stringify(world));
    expect(await runServerCommandHere(['world', 'load', file], env)).toMatchObject({ code: 0 });
  }

  async function startServer(name: string) {
    const server = await startMovedClockServer({ receiverPort: await receiver.openPort(name), offsetMs }, env);
    cleanUps.push(() => server.stop('SIGKILL'));
    servers.push(server);
    return server;
  }

  async function callApi(key: string, method: string, route: string, body?: object) {
    const [first] = servers;
    const response = await fetch(`${first?.url}/api/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(200);
    return JSON.parse(await response.text());
  }

  async function createWebhooks(): Promise<Webhook[]> {
    const webhooks: Webhook[] = [];
    for (const key of KEYS) {
      for (let index = 0; index < WEBHOOKS_EACH; index += 1) {
        const name = ['gone', 'broken'][webhooks.length] ?? `flaky-${webhooks.length}`;
        const body = { url: `https://hooks.example.com/${name}` };
        webhooks.push({ ...(await callApi(key, 'POST', '/webhooks', body)), key });
      }
    }
    return webhooks;
  }

  /** Creates events through the API, 16 at a time, on all servers in turn; one without an answer is requested again. */
  async function sendPings(webhooks: readonly Webhook[]): Promise<string[]> {
    const eventIds: string[] = [];
    let sent = 0;
    const send = async () => {
      while (sent < EVENTS) {
        const index = sent++;
        const webhook = webhooks[index % webhooks.length];
        let answer: Response | null = null;
        for (let attempt = index; answer === null; attempt += 1) {
          answer = await fetch(`${servers[attempt % servers.length]?.url}/api/v1/webhooks/${webhook?.id}/test`, {
            method: 'POST',
            headers: { authorization: `Bearer ${webhook?.key}` },
          }).catch(() => null);
        }
        if (answer.status !== 202) throw new Error(`answered ${answer.status}: ${await answer.text()}`);
        eventIds.push(JSON.parse(await answer.text()).eventId);
      }
    };
    await Promise.all(Array.from({ length: 16 }, send));
    return eventIds;
  }

  /** Moves the clocks from one due attempt to the next until there is none, and checks every delivery in between. */
  async function letTimePass(): Promise<void> {
    const ended = new Map<string, number>();
    const jitters: number[] = [];
    for (let isOver = false; !isOver; ) {
      await expect.poll(countDueOrLeased, { timeout: 300_000, interval: 50 }).toBe(0);
      await orderAll('rest');
      // Attempts that came due meanwhile may have started, but have ended by now.
      const next = await expectPlans(ended, jitters);
      isOver = next === null;
      offsetMs = Math.max(nowMs(), next?.getTime() ?? 0) + STRIDE_MS - Date.now();
      await orderAll({ offsetMs });
      await orderAll('work');
    }
    expect(Math.min(...jitters)).toBeLessThan(60_000);
    expect(Math.max(...jitters)).toBeGreaterThan(240_000);
  }

  async function orderAll(order: MovedClockOrder): Promise<void> {
    await Promise.all(servers.map((server) => server.order(order)));
  }

  /** Counts jobs that are due, running, or leased by the killed server. */
  async function countDueOrLeased(): Promise<number> {
    const { rowCount } = await db.query('select from jobs where is_leased or due_at <= $1', [new Date(nowMs())]);
    return rowCount;
  }

  /**
   * Expects that each pending delivery has a job at the right instant and that no ended one has changed. Workers rest
   * meanwhile. Returns when the next job is due.
   */
  async function expectPlans(ended: Map<string, number>, jitters: number[]): Promise<Date | null> {
    const { rows: jobs } = await db.query<{ ref: string; due_at: Date }>('select ref, due_at from jobs');
    const dueAt = new Map(jobs.map((job) => [job.ref, job.due_at.getTime()]));
    const problems: StoredDelivery[] = [];
    for (const delivery of await readDeliveries()) {
      const isOver = delivery.status !== 'PENDING';
      const isRight = isOver
        ? delivery.nextAttemptAt === null &&
          (ended.get(delivery.id) ?? delivery.updatedAt.getTime()) === delivery.updatedAt.getTime()
        : dueAt.get(delivery.id) === delivery.nextAttemptAt?.getTime() && isPlannedRight(delivery);
      if (!isRight || (isOver && dueAt.has(delivery.id))) problems.push(delivery);
      if (!isOver && delivery.attemptCount === 1) jitters.push(jitterOf(delivery));
      if (isOver) ended.set(delivery.id, delivery.updatedAt.getTime());
    }
    expect(problems).toEqual([]);
    return dueAt.size === 0 ? null : new Date(Math.min(...dueAt.values()));
  }

  async function readDeliveries(): Promise<StoredDelivery[]> {
    const { rows } = await db.query<StoredDelivery>(
      `select id, event_id as "eventId", webhook_id as "webhookId", status, attempt_count as "attemptCount",
        last_attempt_at as "lastAttemptAt", next_attempt_at as "nextAttemptAt", last_http_status as "lastHttpStatus",
        last_error as "lastError", updated_at as "updatedAt" from webhook_deliveries order by updated_at`,
    );
    return rows;
  }

  /**
   * Checks that every end follows from the answers; an attempt that was made but not counted is one that the kill
   * interrupted.
   */
  function expectOutcomes(deliveries: readonly StoredDelivery[], killedAtMs: number): void {
    const postsOf = Map.groupBy(receiver.posts, (post) => post.deliveryId);
    expect([...postsOf.keys()].toSorted()).toEqual(deliveries.map(({ id }) => id).toSorted());
    const problems: string[] = [];
    let cut = 0;
    for (const delivery of deliveries) {
      const posts = postsOf.get(delivery.id) ?? [];
      const mayBeCut = posts.filter((post) => post.sender === 'killed' && post.receivedAtMs <= killedAtMs + 1_000);
      const isCut = posts.length > delivery.attemptCount;
      const readings = isCut ? mayBeCut.map((one) => posts.filter((post) => post !== one)) : [posts];
      const found = readings.map((counted) => problemWith(delivery, counted, LATEST_MS));
      if (!found.includes(null))
        problems.push(`${delivery.id}: ${found[0] ?? `${posts.length} posts, none of them cut`}`);
      if (isCut) cut += 1;
    }
    expect(problems).toEqual([]);
    expect(cut).toBeLessThanOrEqual(AT_WORK_MAX);
  }

  async function expectSignedAndUnchanged(deliveries: readonly StoredDelivery[], webhooks: readonly Webhook[]) {
    const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    const secrets = new Map(webhooks.map((webhook) => [webhook.id, webhook.secret]));
    const bodies = new Map<string, string>();
    const problems: object[] = [];
    for (const post of receiver.posts) {
      const delivery = byId.get(post.deliveryId);
      const verdict = await verifySignature({
        payload: post.body,
        header: post.headers['service-signature'],
        secrets: [secrets.get(delivery?.webhookId ?? '') ?? 'none'],
        toleranceSeconds: 15,
        nowSeconds: post.receivedAtMs / 1_000,
      });
      const first = bodies.get(post.deliveryId) ?? post.body;
      bodies.set(post.deliveryId, first);
      const event = JSON.parse(post.body);
      const isSame =
        post.body === first && event.id === delivery?.eventId && event.id === post.headers['service-event-id'];
      if (!verdict.valid || !isSame) problems.push({ post, verdict });
    }
    expect(problems).toEqual([]);
  }

  /** Checks that a webhook is disabled exactly when twenty deliveries in a row are DEAD, at the twentieth. */
  async function expectAutoDisabled(deliveries: readonly StoredDelivery[], webhooks: readonly Webhook[]) {
    const shown = [];
    for (const key of KEYS) shown.push(...(await callApi(key, 'GET', '/webhooks')).webhooks);
    const disabled: string[] = [];
    for (const { id, url, isActive, autoDisabledAt } of shown) {
      const own = deliveries.filter((delivery) => delivery.webhookId === id);
      const twentieth = longestRunOfDead(own)[19];
      expect({ url, isActive }).toEqual({ url, isActive: twentieth === undefined });
      if (twentieth === undefined) expect(autoDisabledAt).toBeNull();
      // The database decides which of several simultaneous ends was the twentieth.
      else expect(Math.abs(Date.parse(autoDisabledAt) - twentieth.updatedAt.getTime())).toBeLessThan(5_000);
      if (!isActive) disabled.push(new URL(url).pathname);
    }
    expect(shown).toHaveLength(webhooks.length);
    expect(disabled).toEqual(['/gone', '/broken']);
    const attempts = (url: string) =>
      new Set(receiver.posts.filter((post) => post.path === url).map((post) => byDelivery(deliveries, post)));
    expect([attempts('/gone'), attempts('/broken')]).toEqual([new Set([1]), new Set([8])]);
  }
});

function byDelivery(deliveries: readonly StoredDelivery[], post: Post): number | undefined {
  return deliveries.find((delivery) => delivery.id === post.deliveryId)?.attemptCount;
}

/** @param deliveries of one webhook, in the order in which they ended */
function longestRunOfDead(deliveries: readonly StoredDelivery[]): StoredDelivery[] {
  let longest: StoredDelivery[] = [];
  let run: StoredDelivery[] = [];
  for (const delivery of deliveries) {
    run = delivery.status === 'DEAD' ? [...run, delivery] : [];
    if (run.length > longest.length) longest = run;
  }
  return longest;
}
