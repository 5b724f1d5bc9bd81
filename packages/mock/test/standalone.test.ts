/** The mock on a real port: concurrent worlds, failures on sockets, requests of browsers and scripts. */
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { demoWorld } from '../src/demo-world.ts';
import { createEngine, type Engine } from '../src/service/engine.ts';
import type { HttpServer } from '../src/skins/node/http-server.ts';
import { startStandalone } from '../src/skins/node/standalone.ts';
import { postWithFetch } from '../src/skins/post-with-fetch.ts';
import { setBackgroundTimer } from '../src/skins/timers.ts';
import { resetWorld } from '../src/state/snapshots.ts';
import { smartleadEvent } from './support/payloads.ts';

const NOW = new Date('2026-03-31T12:00:00.000Z');
let engine: Engine;
let server: HttpServer;

beforeAll(async () => {
  engine = createEngine({
    file: demoWorld(),
    now: NOW,
    realNow: () => new Date(),
    setTimer: setBackgroundTimer,
    post: postWithFetch,
    baseUrl: 'http://127.0.0.1',
    reportError: (error) => {
      throw error;
    },
  });
  server = await startStandalone(engine);
});
afterAll(async () => {
  engine.close();
  await server.close();
});
beforeEach(() => resetWorld(engine.worlds.default));

interface Options {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

async function call(method: string, path: string, { key = 'osapi_demo_write', body, headers }: Options = {}) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: asJson(text) };
}

function asJson(text: string): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const addFault = (effect: object, rule: object = {}) => call('POST', '/__svc/faults', { body: { ...rule, effect } });

describe('50 worlds at once', () => {
  /** Creates a world, changes it, and checks that it holds these changes only. */
  async function live(number: number): Promise<void> {
    const { json: world } = await call('POST', '/__svc/worlds', { body: { id: `w${number}` } });
    const key: string = world.keys.osapi_demo_write;
    const at = (path: string) => ({ of: (method: string, body?: unknown) => call(method, path, { key, body }) });
    await at('/__svc/clock').of('POST', { advance: number * 100 });
    await at('/__svc/faults').of('POST', {
      operations: ['getMe'],
      times: number,
      effect: { kind: 'status', status: 503 },
    });
    for (let count = 0; count < number % 5; count += 1) {
      const { json: webhook } = await at('/api/v1/webhooks').of('POST', {
        url: `https://w${number}.example.com/${count}`,
      });
      await at(`/api/v1/webhooks/${webhook.id}/test`).of('POST');
    }
    const url = new URL(world.sources[0].url);
    const { json: posted } = await call('POST', url.pathname, {
      key: null,
      body: smartleadEvent('EMAIL_OPEN', { number }),
    });
    expect(posted.received).toBe(true);
    await at('/__svc/settle').of('POST');

    const me = await Promise.all(Array.from({ length: 3 }, () => at('/api/v1/me').of('GET')));
    expect(me.map(({ status }) => status).toSorted()).toEqual(
      [0, 1, 2].map((index) => (index < number ? 503 : 200)).toSorted(),
    );
    expect((await at('/__svc/clock').of('GET')).json.now).toBe(new Date(NOW.getTime() + number * 100).toISOString());
    const { json: outbox } = await at('/__svc/outbox').of('GET');
    expect(outbox.outbox.map((post: { url: string }) => new URL(post.url).hostname)).toEqual(
      Array.from({ length: number % 5 }, () => `w${number}.example.com`),
    );
    const verify = async (operation: string, times: number) =>
      (await at('/__svc/verify').of('POST', { operation, times })).json;
    expect(await verify('getMe', 3)).toMatchObject({ ok: true });
    expect(await verify('inbound', 1)).toMatchObject({ ok: true });
    expect(await verify('testWebhook', number % 5)).toMatchObject({ ok: true });

    await at('/__svc/reset').of('POST');
    expect((await at('/__svc/requests').of('GET')).json.requests).toEqual([]);
    expect((await at('/__svc/clock').of('GET')).json.now).toBe(NOW.toISOString());
    expect((await at('/api/v1/me').of('GET')).status).toBe(200);
    expect(await verify('getMe', 1)).toMatchObject({ ok: true });
  }

  test('do not affect each other', { timeout: 60_000 }, async () => {
    const before = engine.worlds.default.state;
    await Promise.all(Array.from({ length: 50 }, (_, number) => live(number)));
    expect(engine.worlds.list()).toHaveLength(51);
    expect(engine.worlds.default.state).toEqual(before);
    await Promise.all(
      engine.worlds
        .list()
        .slice(1)
        .map(({ id }) => call('DELETE', `/__svc/worlds/${id}`)),
    );
    expect((await call('GET', '/__svc/health')).json).toEqual({ status: 'ok', worlds: 1 });
  });
});

describe('failures on sockets', () => {
  test('a status fault has its body and Retry-After', async () => {
    await addFault({ kind: 'status', status: 429, retryAfterSeconds: 7 }, { times: 1 });
    const refused = await call('GET', '/api/v1/me');
    expect([refused.status, refused.headers.get('retry-after'), refused.json.error]).toEqual([
      429,
      '7',
      'Too Many Requests',
    ]);
    expect(refused.headers.get('service-request-id')).not.toBeNull();
    expect((await call('GET', '/api/v1/me')).status).toBe(200);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('a reset %s the call closes the connection, and the call was made %i times', async (when, made) => {
    await addFault({ kind: 'reset', when }, { operations: ['createWebhook'] });
    const count = engine.worlds.default.state.data.webhooks.length;
    const error = await call('POST', '/api/v1/webhooks', { body: { url: 'https://a.example.com/x' } }).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
    expect(engine.worlds.default.state.data.webhooks.length - count).toBe(made);
  });

  /** Sends raw text and returns what arrives until the socket closes. */
  async function raw(text: string): Promise<{ received: string; error: string | null }> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let received = '';
    let error: string | null = null;
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('error', (thrown: NodeJS.ErrnoException) => (error = thrown.code ?? thrown.message));
    socket.write(text);
    await new Promise((resolve) => {
      socket.once('close', resolve);
    });
    return { received, error };
  }
  const GET_ME = 'GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer osapi_demo_read\r\n\r\n';

  test('a reset closes the socket with RST', async () => {
    await addFault({ kind: 'reset' });
    expect(await raw(GET_ME)).toEqual({ received: '', error: 'ECONNRESET' });
  });

  test.each([
    [20, 20],
    [0, 0],
    [undefined, 'half'],
    [10_000_000, 'all but one'],
  ])('truncated after %s bytes: Content-Length announces more than is sent', async (bytes, expected) => {
    await addFault({ kind: 'truncate', ...(bytes === undefined ? {} : { bytes }) });
    const { received } = await raw(GET_ME);
    const [head = '', body = ''] = received.split('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(head).toContain('HTTP/1.1 200 OK');
    const wanted = { half: Math.floor(length / 2), 'all but one': length - 1 };
    expect(Buffer.byteLength(body)).toBe(typeof expected === 'number' ? expected : wanted[expected as 'half']);
    await expect(call('GET', '/api/v1/me')).rejects.toThrow('terminated');
  });

  test('a hang never answers, and other calls are served', async () => {
    await addFault({ kind: 'hang' }, { operations: ['getMe'] });
    const signal = AbortSignal.timeout(150);
    const hanging = fetch(`${server.url}/api/v1/me`, { headers: { authorization: 'Bearer osapi_demo_read' }, signal });
    expect((await call('GET', '/api/v1/connections')).status).toBe(200);
    await expect(hanging).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('latency delays the call', async () => {
    await addFault({ kind: 'latency', latencyMs: 120 }, { operations: ['getMe'] });
    const startedMs = performance.now();
    await call('GET', '/api/v1/me');
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(115);
  });

  test('probability: the same calls fail after a reset, about as many as requested', async () => {
    const run = async () => {
      resetWorld(engine.worlds.default);
      await addFault({ kind: 'status', status: 500 }, { probability: 0.5 });
      const statuses: number[] = [];
      for (let count = 0; count < 40; count += 1) statuses.push((await call('GET', '/api/v1/me')).status);
      return statuses;
    };
    const first = await run();
    expect(await run()).toEqual(first);
    const failed = first.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });
});

describe('browsers', () => {
  const origin = 'https://app.example.com';

  test('may preflight any method and header', async () => {
    const { status, headers } = await call('OPTIONS', '/api/v1/webhooks', {
      key: null,
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,svc-world',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(headers.get('access-control-allow-headers')).toBe('authorization,svc-world');
    expect(headers.get('access-control-max-age')).toBe('86400');
  });

  test('may read every answer, refusals included, with the headers that a client needs', async () => {
    for (const key of ['osapi_demo_read', 'osapi_wrong']) {
      const { headers } = await call('GET', '/api/v1/me', { key, headers: { origin } });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      for (const name of ['Service-Request-Id', 'Retry-After', 'Link', 'WWW-Authenticate']) {
        expect(headers.get('access-control-expose-headers')).toContain(name);
      }
    }
  });

  test('may not control the mock from another site', async () => {
    const { status, json } = await call('POST', '/__svc/reset', { headers: { origin } });
    const message = expect.stringContaining('Start svc-mock with --control-token');
    expect([status, json]).toEqual([403, { statusCode: 403, error: 'Forbidden', message }]);
    expect((await call('POST', '/__svc/reset', { headers: { origin: 'http://localhost:5173' } })).status).toBe(200);
  });

  test('may not call it by a foreign host name that resolves to this machine', async () => {
    const ask = async (path: string, host: string) => {
      const headers = { host, authorization: 'Bearer osapi_demo_read' };
      // `fetch` cannot set the Host header.
      const outgoing = httpRequest(server.url + path, { method: 'POST', headers }).end('{}');
      const [response] = await once(outgoing, 'response');
      return { status: response.statusCode, headers: response.headers, body: await text(response) };
    };
    const paths = ['/api/v1/me', '/health/live', '/nothing', '/webhooks/demo-smartlead'];
    for (const path of [...paths, '/__svc/reset']) {
      const { status, headers, body } = await ask(path, 'rebound.example.com');
      expect([path, status]).toEqual([path, 403]);
      expect(JSON.parse(body).message).toContain('or set --base-url (createMock: baseUrl) to');
      expect(headers['service-request-id'] !== undefined).toBe(paths.includes(path));
      expect(headers['link'] !== undefined).toBe(path === '/api/v1/me');
    }
    const journal = (await call('GET', '/__svc/requests')).json.requests;
    expect(journal).toMatchObject(paths.map((path) => ({ path, status: 403 })));
    expect((await ask('/__svc/reset', 'app.localhost:80')).status).toBe(200);
    expect((await ask('/webhooks/demo-smartlead', '127.1.2.3')).status).toBe(200);
  });

  test('OPTIONS without preflight headers is a 404', async () => {
    expect((await call('OPTIONS', '/api/v1/me')).status).toBe(404);
  });
});

describe('unusual requests', () => {
  test('HEAD answers as GET, without the body', async () => {
    const [head, get] = [await call('HEAD', '/api/v1/connections'), await call('GET', '/api/v1/connections')];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-length', 'content-type', 'link'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect(Number(get.headers.get('content-length'))).toBe(Buffer.byteLength(get.text));
  });

  test('204 has neither body nor length', async () => {
    const { headers, status } = await call('DELETE', '/api/v1/webhooks/oswhk_demo01');
    expect([status, headers.get('content-length')]).toEqual([204, null]);
  });

  test('a body that is too large is a 413, and the server keeps serving', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(3 * 1024 * 1024) });
    expect((await call('POST', '/webhooks/demo-smartlead', { key: null, body: large })).status).toBe(413);
    expect((await call('POST', '/api/v1/webhooks', { body: large })).status).toBe(413);
    expect((await call('POST', '/__svc/clock', { body: large })).status).toBe(413);
    expect((await call('GET', '/health/live')).status).toBe(200);
  });

  test('a malformed body is refused as the API refuses it', async () => {
    expect((await call('POST', '/api/v1/webhooks', { body: '{"url":' })).json).toMatchObject({ statusCode: 400 });
    expect(
      (await call('POST', '/api/v1/webhooks', { body: 'a=b', headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(415);
    expect((await call('POST', '/webhooks/demo-smartlead', { key: null, body: '{' })).status).toBe(400);
  });

  test('a caller that disconnects within its body leaves no journal entry', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(
      'POST /webhooks/demo-smartlead HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{"event_type"',
    );
    await once(socket, 'connect');
    socket.destroy();
    expect((await call('GET', '/health/live')).status).toBe(200);
    expect(
      (await call('GET', '/__svc/requests')).json.requests.filter((it: { method: string }) => it.method === 'POST'),
    ).toEqual([]);
  });

  test('answers "Expect: 100-continue"', async () => {
    const outgoing = httpRequest(`${server.url}/webhooks/demo-smartlead`, {
      method: 'POST',
      headers: { expect: '100-continue' },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end(smartleadEvent('EMAIL_OPEN'));
    const [response] = await once(outgoing, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  test('answers show the listening address', async () => {
    const { json } = await call('GET', '/api/v1/sources');
    expect(json.sources[0].url).toBe(`${server.url}/webhooks/demo-smartlead`);
  });
});

test("a receiver gets signed posts without settle(), and its answer decides the delivery's status", async () => {
  const received: { path: string | undefined; signature: unknown; body: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push({ path: request.url, signature: request.headers['service-signature'], body });
      if (received.length === 1) response.writeHead(302, { location: '/elsewhere' });
      response.end('thanks');
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await call('PUT', '/__svc/receivers', { body: { 'a.example.com': `http://127.0.0.1:${port}/base/` } });
  const { json: webhook } = await call('POST', '/api/v1/webhooks', {
    body: { url: 'https://a.example.com:8443/hook?x=1' },
  });
  await call('POST', `/api/v1/webhooks/${webhook.id}/test`);
  await expect.poll(() => received.length).toBe(1);
  expect(received[0]).toMatchObject({ path: '/base/hook?x=1', signature: expect.stringMatching(/^t=\d+,v1=/) });
  const deliveries = async () => (await call('GET', `/api/v1/webhooks/${webhook.id}/deliveries`)).json.data;
  await expect.poll(deliveries).toMatchObject([{ status: 'PENDING', lastHttpStatus: 302 }]);
  await call('POST', '/__svc/clock', { body: { advance: '6m' } });
  expect(await deliveries()).toMatchObject([{ status: 'SUCCEEDED', attemptCount: 2 }]);
  expect(received.map(({ body }) => body)).toEqual([received[0]?.body, received[0]?.body]);
  expect(received).toHaveLength(2);
  receiver.close();
  receiver.closeAllConnections();
  await call('POST', `/api/v1/webhooks/${webhook.id}/test`);
  await call('POST', '/__svc/settle');
  expect((await deliveries())[0]).toMatchObject({
    status: 'PENDING',
    lastHttpStatus: null,
    lastError: expect.stringContaining('ECONNREFUSED'),
  });
});

test('remote receivers need --allow-remote-receivers; with a control token, only callers that send it have control', async () => {
  const body = { 'a.example.com': 'https://receiver.example.org' };
  const refused = await call('PUT', '/__svc/receivers', { body });
  expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining('--allow-remote-receivers')]);
  const open = await startStandalone(engine, { allowsRemoteReceivers: true, controlToken: 'open' });
  const put = (headers: Record<string, string>) =>
    fetch(`${open.url}/__svc/receivers`, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect([(await put({})).status, (await put({ 'svc-control-token': 'opem' })).status]).toEqual([401, 401]);
  expect((await put({ 'svc-control-token': 'open', origin: 'https://app.example.com' })).status).toBe(200);
  expect((await fetch(`${open.url}/health/live`)).status).toBe(200);
  await open.close();
  engine.setBaseUrl(server.url);
});

describe('the page at /', () => {
  test('lists worlds, their newest calls with hints, and the control endpoints', async () => {
    await call('POST', '/__svc/worlds', { body: { id: 'mine', scenarios: ['not-ready'] } });
    await call('GET', '/api/v1/me', { key: 'osapi_demo_write_mine' });
    // `fetch` would encode these characters.
    await once(httpRequest(server.url, { path: '/api/v1/<b>' }).end(), 'response');
    const { status, headers, text } = await call('GET', '/', { key: null });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [, first = '', mine = '', control = ''] = text.split(/<h2>World |<h2 id="control">/);
    expect(first).toMatch(
      /^default<\/h2>\n<p>2026-03-31T12:00:00.000Z, clock frozen · \d+ keys · 1 call · 0 outgoing posts/,
    );
    expect(first).toContain('404 GET /api/v1/&lt;b&gt;</code> no operation<br>No operation matched. The nearest is ');
    expect(mine).toMatch(
      /^mine<\/h2>.*\n.* scenarios not-ready<\/p>\n<ul>\n<li><code>200 GET \/api\/v1\/me<\/code> getMe<\/li>/,
    );
    expect(control).toContain('<code>POST /__svc/worlds</code> Creates an isolated world');
    await call('DELETE', '/__svc/worlds/mine');
  });

  test('loads nothing: its policy allows only its style sheet', async () => {
    const { headers, text } = await call('GET', '/', { key: null });
    expect(text).not.toMatch(/<script|<img|<iframe|<form|\bon\w+=|\bstyle="/i);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; .*style-src 'sha256-[^']+'$/);
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
  });

  test('is no call of a world, and HEAD gets its head', async () => {
    const { text } = await call('GET', '/');
    const head = await call('HEAD', '/');
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(Buffer.byteLength(text)),
    ]);
    expect((await call('GET', '/__svc/requests')).json.requests).toEqual([]);
    expect((await call('POST', '/')).status).toBe(404);
  });

  test('shows worlds and calls to those only who may call the control endpoints', async () => {
    const other = await startStandalone(engine, { controlToken: 'open' });
    engine.setBaseUrl(server.url);
    const page = async (url: string, headers: Record<string, string>) => (await fetch(url, { headers })).text();
    expect(await page(other.url, {})).toContain('Not shown: The header Svc-Control-Token is missing or wrong.');
    expect(await page(other.url, { 'svc-control-token': 'open' })).toContain('<h2>World default</h2>');
    const foreign = await page(server.url, { origin: 'https://app.example.com' });
    expect(foreign).toContain('Not shown: /__svc is not for pages of other sites.');
    expect(foreign).not.toContain('<h2>World ');
    await other.close();
  });
});

test('close() does not wait for a hanging call', async () => {
  const other = await startStandalone(engine);
  engine.setBaseUrl(server.url);
  await addFault({ kind: 'hang' });
  const hanging = fetch(`${other.url}/api/v1/me`).catch(() => 'gone');
  await expect.poll(async () => (await call('GET', '/__svc/requests')).json.requests.length).toBe(1);
  await other.close();
  expect(await hanging).toBe('gone');
});
