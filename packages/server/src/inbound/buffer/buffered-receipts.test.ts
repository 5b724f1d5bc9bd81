/** What becomes of a post when the buffer takes it or not, on a real database. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../../../test/support/harness.ts';
import { createMetrics } from '@svc/engine/runtime/metrics';
import { createSecretBox, generateEncryptionKey } from '@svc/engine/secrets/secret-box';
import { type Database, DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { createKnownPaths } from '../known-paths.ts';
import { createReceiptStore } from '../receive.ts';
import { createBufferedReceipts } from './buffered-receipts.ts';
import type { BufferedPost } from './message.ts';
import type { PublishFailure } from './publisher.ts';
import { createRequestIds, type RequestIds } from './request-ids.ts';
import { storePosts } from './store-posts.ts';

const PATH = 'demo-smartlead';
const POST = { path: PATH, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"a":1}') };

describe.each(backends.filter((backend) => backend.isAvailable))('buffered posts on $name', (backend) => {
  let server: TestServer;
  let db: Database;
  let ids: RequestIds;
  beforeAll(async () => {
    server = await startTestServer(backend);
    db = server.db;
    ids = await createRequestIds({ db, clock: server.clock, log: pino({ level: 'silent' }) });
    ids.stop();
  });
  afterAll(() => server.close());

  async function start(failure: PublishFailure | null, { isAway = false, hasIds = true, isBackNow = false } = {}) {
    const buffered: BufferedPost[] = [];
    let isConnected = failure === null;
    const { clock } = server;
    const log = pino({ level: 'silent' });
    const options = { db, clock, log, secrets: createSecretBox([generateEncryptionKey()]), onStored: () => {} };
    const away: Database = {
      ...db,
      query: () => Promise.reject(new DatabaseUnavailableError('away')),
    };
    const metrics = createMetrics([]);
    const used = { ...options, db: isAway ? away : db };
    const receipts = createBufferedReceipts({
      ...used,
      metrics,
      paths: createKnownPaths(options),
      ids: hasIds ? ids : { ...ids, take: () => null },
      direct: createReceiptStore(used),
      publisher: {
        async publish(post) {
          buffered.push(post);
          return isConnected ? null : failure;
        },
        isUsable: () => isConnected,
        async connectNow() {
          isConnected ||= isBackNow;
          return isConnected;
        },
        depth: async () => ({ waiting: 0, parked: 0, consumers: 0 }),
        close: async () => {},
      },
    });
    return { receipts, buffered, metrics };
  }

  const storedIds = async (ids: readonly (number | null)[]) =>
    (await db.query<{ id: number }>('select id from requests where id = any($1) order by id', [ids])).rows;

  test('without a database and a connection to RabbitMQ, a post connects at once and is buffered when RabbitMQ is back', async () => {
    const { receipts, buffered } = await start('disconnected', { isAway: true, isBackNow: true });
    const id = await receipts.receive(POST);
    expect(buffered.map((post) => post.id)).toEqual([id, id]);
    const away = await start('disconnected', { isAway: true });
    await expect(away.receipts.receive(POST)).rejects.toThrow(DatabaseUnavailableError);
  });

  test('a confirmed post is answered with the id of its later receipt, and stored once however often it arrives', async () => {
    const { receipts, buffered } = await start(null);
    const id = await receipts.receive(POST);
    expect(await storedIds([id])).toEqual([]);
    const [post] = buffered;
    if (!post) throw new Error('nothing was buffered');
    server.clock.advance(60_000);
    expect(await storePosts(db, [post, post], server.clock.now())).toEqual(['stored', 'repeated']);
    expect(await storePosts(db, [post], server.clock.now())).toEqual(['repeated']);
    expect(await storedIds([id])).toEqual([{ id }]);
    const { rows } = await db.query(
      'select created_at, headers, body, source_id is null as detached from requests where id = $1',
      [id],
    );
    expect(rows).toEqual([{ created_at: post.receivedAt, headers: POST.headers, body: POST.body, detached: false }]);
    const jobs = await db.query('select from jobs where kind = $1 and ref = $2', ['process-receipt', String(id)]);
    expect(jobs.rowCount).toBe(1);
  });

  test.each(['disconnected', 'timeout', 'refused'] as const)(
    'a post that is not confirmed (%s) is stored directly, and its message adds nothing',
    async (failure) => {
      const { receipts, buffered, metrics } = await start(failure);
      const id = await receipts.receive(POST);
      expect(await storedIds([id])).toEqual([{ id }]);
      expect(await storePosts(db, buffered, server.clock.now())).toEqual(['repeated']);
      expect(await metrics.text()).toContain(`svc_ingest_publish_failures_total{reason="${failure}"} 1`);
    },
  );

  test('without an id left, a post is stored as without the buffer', async () => {
    const { receipts, buffered } = await start(null, { hasIds: false });
    const id = await receipts.receive(POST);
    expect(buffered).toEqual([]);
    expect(await storedIds([id])).toEqual([{ id }]);
  });

  test('a post that neither takes is refused as temporary', async () => {
    const { receipts, metrics } = await start('disconnected', { isAway: true });
    await expect(receipts.receive(POST)).rejects.toThrow(DatabaseUnavailableError);
    expect(await metrics.text()).toContain('svc_ingest_posts_total{result="refused"} 1');
  });

  test('a post to a source that was removed meanwhile is left out, and the others are stored', async () => {
    const { receipts, buffered } = await start(null);
    const kept = await receipts.receive(POST);
    await receipts.receive({ ...POST, path: 'removed' });
    expect(await storePosts(db, buffered, server.clock.now())).toEqual(['stored', 'source_gone']);
    expect(await storedIds(buffered.map(({ id }) => id))).toEqual([{ id: kept }]);
  });

  test('events reach the CRM in the order in which their posts were received, whatever their ids', async () => {
    const receivedMs = server.clock.now().getTime();
    const posts = [3, 1, 2].map((id, index) => ({
      id: 800_000_000 + id,
      path: PATH,
      receivedAt: new Date(receivedMs + index),
      headers: {},
      body: Buffer.from(
        JSON.stringify({
          event_type: 'EMAIL_REPLY',
          sl_lead_email: `ordered-${id}@example.org`,
          stats_id: `ordered-${id}`,
        }),
      ),
    }));
    server.clock.advance(1_000);
    await storePosts(db, posts, server.clock.now());
    await server.running.runner.runDue();
    const { rows } = await db.query<{ request_id: number }>(
      'select request_id from inbound_events where request_id > 800000000 order by id',
    );
    expect(rows.map(({ request_id }) => request_id - 800_000_000)).toEqual([3, 1, 2]);
  });

  test('a payload that is stored late is dropped with the others', async () => {
    const { receipts, buffered } = await start(null);
    await receipts.receive(POST);
    await db.query(`insert into service_meta (key, value) values ('payloads_dropped_up_to', '900000000')`);
    server.clock.advance(3 * 24 * 3_600_000);
    await storePosts(db, buffered, server.clock.now());
    const { rows } = await db.query<{ value: string }>(
      `select value from service_meta where key = 'payloads_dropped_up_to'`,
    );
    expect(Number(rows[0]?.value)).toBe((buffered[0]?.id ?? 0) - 1);
  });
});
