/** The mock behind MSW 2 and MSW 3 in Node, called by the runtime's own `fetch`. */
import { createClient } from '@svc/sdk';
import { http, HttpResponse } from 'msw';
import { HttpNetworkFrame } from 'msw/experimental';
import { setupServer } from 'msw/node';
import { http as http2, HttpResponse as HttpResponse2, type RequestHandler as RequestHandler2 } from 'msw2';
import { setupServer as setupServer2 } from 'msw2/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { createMswHandler } from '../src/skins/msw.ts';
import type { FaultEffect } from '../src/state/fault.ts';

const NOW = '2026-03-31T12:00:00.000Z';
const API = 'https://api.example.com/svc';
const ME = `${API}/api/v1/me`;

const mock = createMock({ now: NOW });
const withKey = { headers: { Authorization: `Bearer ${mock.keys.osapi_demo_read}` } };
const fail = (effect: FaultEffect) => mock.faults.add({ operations: ['getMe'], effect });
beforeEach(() => mock.reset());
afterAll(() => mock.close());

/** The common interface of both versions of MSW. */
interface Msw {
  /** @param onUnhandled called with the URL of a call that no handler answers; the call then fails */
  listen(onUnhandled: (url: string) => void): void;
  replaceMe(): void;
  onRequest(note: (event: { request: Request }) => void): void;
  resetHandlers(): void;
  close(): void;
}

function startMsw3(): Msw {
  const server = setupServer(...mock.handlers(API));
  return {
    listen: (onUnhandled) =>
      server.listen({
        onUnhandledFrame({ frame }) {
          if (!(frame instanceof HttpNetworkFrame)) return;
          onUnhandled(frame.data.request.url);
          frame.errorWith(Response.error());
        },
      }),
    replaceMe: () => server.use(http.get(ME, () => HttpResponse.json({ mine: true }))),
    onRequest: (note) => void server.events.on('request:start', note),
    resetHandlers: () => server.resetHandlers(),
    close: () => server.close(),
  };
}

function startMsw2(): Msw {
  // `handlers()` has MSW 3's type here; a project that has MSW 2 sees MSW 2's.
  const server = setupServer2(...mock.handlers(API).map((handler: unknown) => handler as RequestHandler2));
  return {
    listen: (onUnhandled) =>
      server.listen({
        onUnhandledRequest({ url }) {
          onUnhandled(url);
          throw Response.error();
        },
      }),
    replaceMe: () => server.use(http2.get(ME, () => HttpResponse2.json({ mine: true }))),
    onRequest: (note) => void server.events.on('request:start', note),
    resetHandlers: () => server.resetHandlers(),
    close: () => server.close(),
  };
}

describe.each([
  ['3', startMsw3],
  ['2', startMsw2],
])('MSW %s', (_version, startMsw) => {
  const server = startMsw();
  const unhandled: string[] = [];
  beforeAll(() => server.listen((url) => unhandled.push(url)));
  beforeEach(() => {
    unhandled.length = 0;
  });
  afterEach(() => server.resetHandlers());
  afterAll(() => server.close());

  test('serves the SDK', async () => {
    const client = createClient({ baseUrl: API, apiKey: mock.keys.osapi_demo_write });
    const me = await client.me.get();
    expect(me.account.id).toBe(1);
    const range = { from: '2026-03-01', to: '2026-03-31' };
    const syncs = await client.syncs.list({ ...range, status: 'error' }).toArray();
    expect(syncs.length).toBeGreaterThan(5);
    const [failed] = syncs.filter(({ sourceId, payloadId }) => sourceId !== null && payloadId !== null);
    const path = `/api/v1/syncs/${failed?.id}/retry`;
    const post = { method: 'POST', headers: { Authorization: `Bearer ${mock.keys.osapi_demo_write}` } };
    expect((await fetch(`${API}${path}`, post)).status).toBe(200);
    expect(mock.verify({ operation: 'retrySync', times: 1, path })).toHaveLength(1);
  });

  test('answers show the address of the handlers', async () => {
    const response = await fetch(`${API}/api/v1/sources`, withKey);
    expect(response.headers.get('link')).toContain(`<${API}/api/v1`);
    const { sources } = JSON.parse(await response.text());
    expect(sources[0].url).toMatch(/^https:\/\/api\.example\.com\/svc\/webhooks\//);
  });

  test('answers 404 for an unknown API path, and leaves other addresses unhandled', async () => {
    const response = await fetch(`${API}/api/v1/nothing`, withKey);
    expect([response.status, await response.json()]).toMatchObject([404, { statusCode: 404, error: 'Not Found' }]);
    expect(mock.journal.find({ isUnmatched: true })).toHaveLength(1);
    for (const url of ['https://api.example.com/svcx/api/v1/me', 'https://other.example.com/svc/api/v1/me']) {
      await expect(fetch(url)).rejects.toMatchObject({ cause: { type: 'error' } });
      expect(unhandled).toEqual([url]);
      unhandled.length = 0;
    }
    expect(mock.journal.all()).toHaveLength(1);
  });

  test('server.use() replaces one operation until resetHandlers()', async () => {
    server.replaceMe();
    expect(await (await fetch(ME, withKey)).json()).toEqual({ mine: true });
    expect((await fetch(`${API}/api/v1/connections`, withKey)).status).toBe(200);
    server.resetHandlers();
    expect(await (await fetch(ME, withKey)).json()).toHaveProperty('account');
    expect(unhandled).toEqual([]);
  });

  describe('faults', () => {
    test('status: answers it with Retry-After', async () => {
      fail({ kind: 'status', status: 429, retryAfterSeconds: 7 });
      const response = await fetch(ME, withKey);
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    });

    test('reset: fails with a network error', async () => {
      fail({ kind: 'reset' });
      await expect(fetch(ME, withKey)).rejects.toThrow(TypeError);
    });

    test('truncate: the body breaks off', async () => {
      fail({ kind: 'truncate', bytes: 10 });
      const response = await fetch(ME, withKey);
      expect(response.status).toBe(200);
      const reader = response.body?.getReader();
      expect((await reader?.read())?.value).toHaveLength(10);
      await expect(reader?.read()).rejects.toThrow('terminated');
    });

    test('hang: waits until the caller aborts', async () => {
      fail({ kind: 'hang' });
      const controller = new AbortController();
      const answer = fetch(ME, { ...withKey, signal: controller.signal });
      await expect.poll(() => mock.journal.all().length).toBe(1);
      controller.abort(new Error('enough'));
      await expect(answer).rejects.toThrow('enough');
    });

    test('latency: delays the answer', async () => {
      fail({ kind: 'latency', latencyMs: 20 });
      const startedAt = performance.now();
      expect((await fetch(ME, withKey)).status).toBe(200);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(19);
    });
  });

  test('reads a clone of the request, so that listeners of MSW can read the body too', async () => {
    const bodies: Promise<string>[] = [];
    const note = ({ request }: { request: Request }) => void bodies.push(request.clone().text());
    server.onRequest(note);
    const init = { method: 'POST', body: JSON.stringify({ url: 'http://127.0.0.1/' }) };
    const headers = { Authorization: 'Bearer osapi_demo_write', 'Content-Type': 'application/json' };
    const response = await fetch(`${API}/api/v1/webhooks`, { ...init, headers });
    expect(response.status).toBe(400);
    expect(await Promise.all(bodies)).toEqual([init.body]);
  });
});

describe('at an origin that serves other paths too, such as the page itself', () => {
  const origin = 'https://app.example.com';
  const own = createMswHandler(origin, mock.fetch);
  const answerTo = async (path: string, init: RequestInit = {}) => {
    const result = await own.run({ request: new Request(`${origin}${path}`, init), requestId: 'r1' });
    return result?.response?.status ?? null;
  };

  test.each([
    ['GET', '/api/v1/me', 200],
    ['GET', '/api/v1/nothing', 404],
    ['GET', '/api/v1', 404],
    ['PATCH', '/api/v1/me', 404],
    ['GET', '/health/live', 200],
    ['POST', '/webhooks/nobody', 404],
  ])('answers %s %s with %i', async (method, path, status) => {
    const init = method === 'GET' ? { method } : { method, body: '{}' };
    expect(await answerTo(path, { ...init, ...withKey })).toBe(status);
  });

  test.each(['/', '/assets/app.js', '/api/v2/me', '/api/v1x', '/webhooks', '/health', '/docs'])(
    'does not handle %s',
    async (path) => {
      expect(await answerTo(path)).toBeNull();
      expect(mock.journal.all()).toEqual([]);
    },
  );
});

test('a bug in the mock rejects with its own error, not with a network error', async () => {
  const broken = createMswHandler(API, () => Promise.reject(new TypeError('undefined is not a function')));
  const run = broken.run({ request: new Request(ME), requestId: 'r1' });
  await expect(run).rejects.toThrow('undefined is not a function');
});

test('supports early releases of MSW 2: they read `__kind` and redefine `response.url`', async () => {
  const [handler] = mock.handlers(API);
  expect(handler).toHaveProperty('__kind', 'RequestHandler');
  const result = await handler?.run({ request: new Request(ME), requestId: 'r1' });
  expect(Object.getOwnPropertyDescriptor(result?.response, 'url')).toMatchObject({ value: ME, configurable: true });
});
