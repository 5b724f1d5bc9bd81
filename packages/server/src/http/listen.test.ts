/** Connections and requests before the server's application runs. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { readConfig } from '@svc/engine/config/config';
import { createHeldBodies } from '../inbound/held-bodies.ts';
import { readBody } from '../inbound/read-body.ts';
import { bindAdminServer, type BoundServer, bindServer } from './listen.ts';

const LINK = '<https://api.example.com/svc/api/v1/openapi.json>; rel="service-desc"';
const config = readConfig({
  SVC_PORT: '0',
  SVC_PUBLIC_URL: 'https://api.example.com/svc',
  SVC_HEADER_PREFIX: 'Acme-',
});

let bound: BoundServer;
afterEach(async () => {
  vi.useRealTimers();
  await bound.close(0);
});

/** @param from an address of this machine */
async function open(from = '127.0.0.1') {
  const port = Number(new URL(bound.url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress: from }).setEncoding('utf8');
  await once(socket, 'connect');
  return socket;
}

test("while the service starts, every request gets a 503 with Retry-After and the API's headers", async () => {
  bound = await bindServer(config);
  const answer = await fetch(`${bound.url}/api/v1/me`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ statusCode: 503, error: 'Service Unavailable' });
  expect(answer.headers.get('link')).toContain(LINK);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('acme-request-id')).toMatch(/^[\da-f-]{36}$/);
});

test("too large headers get a 431 with the API's headers", async () => {
  bound = await bindServer(config);
  const socket = await open();
  let text = '';
  socket.on('data', (chunk) => (text += chunk));
  socket.write(`GET /api/v1/me HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).toContain('HTTP/1.1 431 Request Header Fields Too Large');
  expect(head).toContain(`Link: ${LINK}`);
  expect(head).toMatch(/Acme-Request-Id: [\da-f-]{36}/);
  expect(JSON.parse(body)).toMatchObject({ statusCode: 431, message: 'The request headers are too large' });
});

test('connections beyond SVC_MAX_CONNECTIONS are closed at once', async () => {
  bound = await bindServer({ ...config, connectionsMax: 1 });
  const first = await open();
  const second = await open();
  await once(second, 'close');
  expect(first.closed).toBe(false);
  first.destroy();
  expect(() => readConfig({ SVC_MAX_CONNECTIONS: '0' })).toThrow('SVC_MAX_CONNECTIONS');
});

const SHARE = { ...config, connectionsPerAddressMax: 2 };

/** Opens one connection more than the share of an address; returns whether the last one is closed. */
async function isLimited(from: string): Promise<boolean> {
  const sockets = [await open(from), await open(from), await open(from)];
  const answers = sockets.map((socket) => Promise.race([once(socket, 'close'), once(socket, 'data')]));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await Promise.all(answers);
  const closed = sockets.map((socket) => socket.destroyed);
  for (const socket of sockets) socket.destroy();
  expect(closed.slice(0, 2)).toEqual([false, false]);
  return closed[2] === true;
}

test('connections of one address beyond its share are closed at once; others keep theirs', async () => {
  bound = await bindServer(SHARE);
  const silent = [await open('127.0.0.2'), await open('127.0.0.2')];
  await once(await open('127.0.0.2'), 'close');
  const answer = await fetch(`${bound.url}/api/v1/me`);
  expect(answer.status).toBe(503);
  // A connection that ends gives its place back.
  const ended = new Promise<void>((resolve) =>
    bound.http.once('connection', (socket) => socket.once('close', resolve)),
  );
  for (const socket of silent) socket.destroy();
  (await open('127.0.0.3')).destroy();
  await ended;
  expect(await isLimited('127.0.0.2')).toBe(true);
});

test.each([
  [false, '127.0.0.2', true],
  [0, '127.0.0.2', true],
  [1, '127.0.0.2', false],
  [['127.0.0.2'], '127.0.0.2', false],
  [['127.0.0.2'], '127.0.0.3', true],
  [['10.0.0.0/8', '127.0.0.2/31'], '127.0.0.3', false],
  [['::1'], '127.0.0.2', true],
] as const)('with SVC_TRUST_PROXY %j the share of %s holds: %s', async (trustProxy, from, expected) => {
  bound = await bindServer({ ...SHARE, trustProxy: typeof trustProxy === 'object' ? [...trustProxy] : trustProxy });
  expect(await isLimited(from)).toBe(expected);
});

test('the administrative listener has no share', async () => {
  const admin = await bindAdminServer({ ...SHARE, adminListener: { host: '127.0.0.1', port: 0 } });
  bound = admin ?? expect.fail('no listener');
  expect(await isLimited('127.0.0.2')).toBe(false);
});

test('headers have 10 s to arrive, and are looked at every second', async () => {
  bound = await bindServer(config);
  expect(bound.http.headersTimeout).toBe(10_000);
  expect(Reflect.get(bound.http, 'connectionsCheckingInterval')).toBe(1_000);
});

test('a request that timed out is closed a second after its 408 even when the client does not close', async () => {
  bound = await bindServer(config);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const held = createHeldBodies({ bodyLimitBytes: 100 }).begin('path');
  const received = Promise.withResolvers<unknown>();
  bound.serve((request) => {
    readBody(request, held, 100).then(received.resolve, received.reject);
    // Node emits this after `requestTimeout`.
    bound.http.emit('clientError', { code: 'ERR_HTTP_REQUEST_TIMEOUT' }, request.socket);
  });
  const { port } = new URL(bound.url);
  const client = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8');
  client.write('POST /webhooks/path HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nunfinished');
  const [answer] = await once(client, 'data');
  expect(answer).toContain('HTTP/1.1 408 ');
  vi.advanceTimersByTime(1_000);
  await expect(received.promise).rejects.toThrow('the connection ended before it was complete');
  const { promise: connections, resolve } = Promise.withResolvers<number>();
  bound.http.getConnections((_error, count) => resolve(count));
  expect(await connections).toBe(0);
  client.destroy();
});

const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';

/** A connection that has had an answer and stays open. */
async function openIdle() {
  const socket = await open();
  socket.write(REQUEST);
  expect(String(await once(socket, 'data'))).toMatch(/Connection: keep-alive/i);
  return socket;
}

test('a request that was on its way when the server stopped is answered, and its connection closes', async () => {
  bound = await bindServer(config);
  const socket = await openIdle();
  const closing = bound.close(60_000, 60_000);
  await expect(fetch(bound.url)).rejects.toThrow('fetch failed');
  socket.write(REQUEST);
  const [answer] = await once(socket, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*Connection: close/i);
  await Promise.all([closing, once(socket, 'close')]);
});

test('connections that stay idle are closed after a while', async () => {
  bound = await bindServer(config);
  const socket = await openIdle();
  const ended = once(socket, 'end');
  await bound.close(60_000, 1);
  await expect(ended).resolves.toEqual([]);
});
