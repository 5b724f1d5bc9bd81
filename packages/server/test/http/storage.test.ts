/** Posts and readiness while the database does not answer or takes no writes, and posts whose bodies a stop cuts off. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DatabaseUnavailableError, type Db } from '@svc/engine/store/database/db';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer(anyBackend);
});
afterEach(async () => {
  await server.close();
});

const post = () => server.post('/webhooks/demo-smartlead', { event_type: 'EMAIL_SENT', to_email: 'kim@example.org' });
const databaseCheck = async () => {
  const { status, json } = await server.get('getHealthReady', '/health/ready', null);
  expect(status).toBe(503);
  return json.checks.database;
};

test('a database that does not answer: a post gets 503 after eight seconds, and readiness after two', async () => {
  expect((await post()).status).toBe(200);
  const { query, transaction } = server.db;
  const asked = { store: 0, probe: 0 };
  const hang = <Key extends keyof typeof asked>(what: Key) => {
    asked[what] += 1;
    return new Promise<never>(() => {});
  };
  server.db.query = (statement, values) =>
    typeof statement === 'object' && statement.name === 'inbound-receive' ? hang('store') : query(statement, values);
  server.db.transaction = () => hang('probe');
  try {
    const posted = post();
    await expect.poll(() => asked.store).toBe(1);
    server.clock.advance(8_000);
    const { status, headers } = await posted;
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    const ready = databaseCheck();
    await expect.poll(() => asked.probe).toBe(1);
    server.clock.advance(2_000);
    expect(await ready).toBe('error');
  } finally {
    Object.assign(server.db, { query, transaction });
  }
});

test('a database that takes no writes: not ready from the first post that could not be stored until it takes them again', async () => {
  const { query, transaction } = server.db;
  const full = (handle: Db['query']): Db['query'] => {
    return async (statement, values) => {
      const sql = typeof statement === 'string' ? statement : statement.text;
      if (sql.includes('insert into'))
        throw new DatabaseUnavailableError('could not extend file: No space left on device');
      return handle(statement, values);
    };
  };
  Object.assign(server.db, {
    query: full(query),
    transaction: <T>(work: (tx: Db) => Promise<T>) => transaction((tx) => work({ ...tx, query: full(tx.query) })),
  });
  expect(await databaseCheck()).toBe('ok');
  expect((await post()).status).toBe(503);
  expect([await databaseCheck(), await databaseCheck()]).toEqual(['error', 'error']);
  Object.assign(server.db, { query, transaction });
  expect(await databaseCheck()).toBe('ok');
  expect((await post()).status).toBe(200);
  expect((await server.db.query(`select from service_meta where key like 'write probe%'`)).rowCount).toBe(0);
});

test('a stop answers a post whose body does not become complete, so that it is sent again', async () => {
  const another = await server.startAnother();
  const socket = connect(Number(new URL(another.url).port), '127.0.0.1');
  const answer = text(socket);
  socket.write('POST /webhooks/demo-smartlead HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"event_type"');
  // Until this is answered, the server has begun to read the post.
  await fetch(`${another.url}/health/live`);
  const closed = another.close();
  server.clock.advance(4_000);
  const [head = ''] = (await answer).split('\r\n\r\n');
  await closed;
  expect(head).toMatch(/^HTTP\/1.1 503 /);
  expect(head).toMatch(/^retry-after: 5$/im);
  expect(head).toMatch(/^connection: close$/im);
});

test('while a stop waits for load balancers, each answer closes its connection', async () => {
  const another = await server.startAnother({ drainDelayMs: 3_000 });
  const connectionHeader = async () => (await fetch(`${another.url}/health/live`)).headers.get('connection');
  expect(await connectionHeader()).toBe('keep-alive');
  const closed = another.close();
  expect(await connectionHeader()).toBe('close');
  server.clock.advance(3_000);
  await closed;
});
