import { describe, expect, test } from 'vitest';
import { createFakeService, hang, json, networkFault, refusal } from '../../test/fake-service.ts';
import { createClient } from '../client.ts';
import {
  AbortError,
  ConflictError,
  InvalidResponseError,
  NetworkError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '../errors/errors.ts';
import type { RetryInfo, WaitInfo } from './send-with-retries.ts';

const ME_BODY = { account: { id: 1 }, apiKey: {}, connections: [] };
const ME = json(ME_BODY);

describe('retries', () => {
  test('a GET is retried after network and server errors, with doubling waits', async () => {
    const service = createFakeService(
      networkFault('ECONNRESET', 'read'),
      refusal(502, 'bad gateway'),
      refusal(408, 'slow'),
      ME,
    );
    const retries: RetryInfo[] = [];
    const client = createClient({ ...service.options, onRetry: (info) => retries.push(info) });
    expect(await client.me.get()).toEqual(ME_BODY);
    expect(service.requests).toHaveLength(4);
    expect(service.waits).toEqual([250, 500, 1000]);
    expect(retries.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 250],
      [2, 500],
      [3, 1000],
    ]);
  });

  test('gives up after maxRetries and reports the number of attempts', async () => {
    const service = createFakeService(refusal(503, 'maintenance'));
    const client = createClient({ ...service.options, maxRetries: 1 });
    await expect(client.me.get()).rejects.toMatchObject({ name: 'ServerError', status: 503, attempts: 2 });
    await expect(client.me.get({ maxRetries: 0 })).rejects.toMatchObject({ attempts: 1 });
  });

  test('a 409 is never retried', async () => {
    const service = createFakeService(refusal(409, 'Sync is not eligible for retry'));
    const call = createClient(service.options).me.get();
    await expect(call).rejects.toThrow(ConflictError);
    expect(service.requests).toHaveLength(1);
  });

  test.each([
    ['500', refusal(500, 'x'), 1],
    ['a reset after sending', networkFault('ECONNRESET', 'read'), 1],
    ['a host that went away after sending', networkFault('EHOSTUNREACH', 'read'), 1],
    ['a network that went away while sending', networkFault('ENETUNREACH', 'write'), 1],
    ['a host that cannot be reached', networkFault('EHOSTUNREACH', 'connect'), 4],
    ['a refused connection', networkFault('ECONNREFUSED', 'connect'), 4],
    ['a name that is not known', networkFault('EAI_AGAIN', 'getaddrinfo'), 4],
    ['a connection that takes too long', networkFault('UND_ERR_CONNECT_TIMEOUT'), 4],
    ['429', refusal(429, 'x', { 'retry-after': '1' }), 4],
  ])('a POST meeting %s', async (_name, reaction, attempts) => {
    const service = createFakeService(reaction);
    const post = createClient(service.options).raw.POST('/api/v1/webhooks', { body: { url: 'https://a.example' } });
    await post.catch(() => {});
    expect(service.requests).toHaveLength(attempts);
    // Every attempt sends the complete body.
    for (const request of service.requests) expect(await request.json()).toEqual({ url: 'https://a.example' });
  });

  test('a body that breaks off is a failed attempt', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"acc')),
          pull: (controller) => controller.error(networkFault('UND_ERR_SOCKET')),
        }),
        { headers: { 'content-type': 'application/json' } },
      );
    const service = createFakeService(broken, ME);
    expect(await createClient(service.options).me.get()).toEqual(ME_BODY);
    expect(service.requests).toHaveLength(2);
  });
});

describe('rate limits', () => {
  test('all calls of the bucket wait for the whole Retry-After', async () => {
    const service = createFakeService(refusal(429, 'Too many', { 'retry-after': '42' }), ME);
    const waits: WaitInfo[] = [];
    const client = createClient({ ...service.options, onWait: (info) => waits.push(info) });
    await client.me.get();
    expect(service.waits).toEqual([42_000]);

    // A call without retries closes the bucket for the next one too.
    const strict = createFakeService(refusal(429, 'Too many', { 'retry-after': '30' }), ME);
    const second = createClient({ ...strict.options, onWait: (info) => waits.push(info), maxRetries: 0 });
    await expect(second.me.get()).rejects.toMatchObject({ name: 'RateLimitError', retryAfterSeconds: 30 });
    await second.me.get();
    expect(waits).toEqual([{ bucket: 'general', waitMs: 30_000, reason: 'refused' }]);
  });

  test('a wait beyond maxRetryAfterMs is an error', async () => {
    const service = createFakeService(refusal(429, 'Too many', { 'retry-after': '3600' }));
    const call = createClient(service.options).me.get();
    await expect(call).rejects.toThrow(RateLimitError);
    await expect(call).rejects.toMatchObject({ retryAfterSeconds: 3600, attempts: 1 });
  });

  test('calls fail at once while they would have to wait beyond maxRetryAfterMs', async () => {
    const service = createFakeService(refusal(429, 'Too many', { 'retry-after': '60' }), ME);
    const { me } = createClient({ ...service.options, maxRetryAfterMs: 10_000 });
    await expect(me.get()).rejects.toThrow(RateLimitError);
    await service.options.sleep(10_000);
    const call = me.get();
    await expect(call).rejects.toThrow(RateLimitError);
    await expect(call).rejects.toMatchObject({
      message: 'The rate limit is used up for another 50 s',
      ...{ status: 429, retryAfterSeconds: 50, attempts: 0, method: 'GET', path: '/api/v1/me', requestId: null },
    });
    expect(service.requests).toHaveLength(1);
    await service.options.sleep(45_000);
    expect(await me.get()).toEqual(ME_BODY);
    expect(service.waits).toEqual([10_000, 45_000, 5000]);
  });

  test.each([
    { maxRetryAfterMs: 10_000, closedMs: 60_000 },
    { maxRetryAfterMs: 90_000, closedMs: 90_000 },
  ])(
    'no Retry-After closes the bucket for longer than a window or the longest wait: %j',
    async ({ maxRetryAfterMs, closedMs }) => {
      for (const value of ['86400', '9'.repeat(20), 'Fri, 31 Dec 9999 23:59:59 GMT']) {
        const service = createFakeService(refusal(429, 'Too many', { 'retry-after': value }), ME);
        const { me } = createClient({ ...service.options, maxRetryAfterMs });
        await expect(me.get()).rejects.toThrow(RateLimitError);
        await service.options.sleep(closedMs - 1);
        expect(await me.get()).toEqual(ME_BODY);
        expect(service.waits).toEqual([closedMs - 1, 1]);
      }
    },
  );

  test.each(['0', '-1', 'Thu, 01 Jan 1970 00:00:00 GMT', 'soon'])(
    'Retry-After: %s does not cause retries without a pause',
    async (value) => {
      const service = createFakeService(refusal(429, 'Too many', { 'retry-after': value }));
      const client = createClient(service.options);
      await expect(client.me.get()).rejects.toThrow(RateLimitError);
      expect(service.waits).toEqual([250, 500, 1000]);
      await expect(client.me.get({ maxRetries: 0 })).rejects.toThrow(RateLimitError);
      expect(service.waits).toEqual([250, 500, 1000, 250]);
    },
  );

  test('health checks neither wait for a closed bucket nor close one', async () => {
    const service = createFakeService(refusal(429, 'x', { 'retry-after': '60' }), json({ status: 'ok' }));
    const client = createClient({ ...service.options, maxRetries: 0 });
    await expect(client.me.get()).rejects.toThrow(RateLimitError);
    expect(await client.discovery.live()).toEqual({ status: 'ok' });
    expect(service.waits).toEqual([]);
  });
});

describe('timeout and abort', () => {
  test('each attempt has its own timeout', async () => {
    const service = createFakeService('hang', ME);
    const client = createClient({ ...service.options, timeoutMs: 20 });
    expect(await client.me.get()).toEqual(ME_BODY);

    const silent = createClient({ ...createFakeService('hang').options, timeoutMs: 10, maxRetries: 1 });
    const call = silent.me.get();
    await expect(call).rejects.toThrow(TimeoutError);
    await expect(call).rejects.toMatchObject({ timeoutMs: 10, attempts: 2 });
  });

  test('the signal aborts a running request, which is not retried', async () => {
    const controller = new AbortController();
    const service = createFakeService((request) => {
      setImmediate(() => controller.abort(new Error('changed my mind')));
      return hang(request);
    });
    const call = createClient(service.options).me.get({ signal: controller.signal });
    await expect(call).rejects.toThrow(AbortError);
    await expect(call).rejects.toMatchObject({ cause: new Error('changed my mind'), attempts: 1 });
    expect(service.requests).toHaveLength(1);
  });

  test('a fetch that ignores the signal is abandoned', async () => {
    const deaf = { ...createFakeService(ME).options, fetch: () => new Promise<never>(() => {}), timeoutMs: 10 };
    await expect(createClient({ ...deaf, maxRetries: 1 }).me.get()).rejects.toMatchObject({
      name: 'TimeoutError',
      attempts: 2,
    });
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const call = createClient({ ...deaf, timeoutMs: 60_000 }).me.get({ signal: controller.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError', attempts: 1 });
  });

  test('a body that never comes is abandoned', async () => {
    const stalled = () => new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(1)) }));
    const client = createClient({ ...createFakeService(stalled).options, timeoutMs: 10, maxRetries: 0 });
    await expect(client.me.get()).rejects.toThrow(TimeoutError);
  });

  test('nothing is sent when the signal fires in onRequest', async () => {
    const service = createFakeService(ME);
    const controller = new AbortController();
    const client = createClient({ ...service.options, onRequest: () => controller.abort() });
    const call = client.me.get({ signal: controller.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError', attempts: 0 });
    expect(service.requests).toHaveLength(0);
  });

  test('the signal aborts a wait', async () => {
    const { options } = createFakeService(refusal(429, 'x', { 'retry-after': '60' }));
    const { sleep: _fake, ...realSleep } = options;
    const controller = new AbortController();
    const client = createClient({ ...realSleep, onRetry: () => queueMicrotask(() => controller.abort()) });
    await expect(client.me.get({ signal: controller.signal })).rejects.toThrow(AbortError);
  });

  test('nothing is sent when the signal has fired before', async () => {
    const service = createFakeService(ME);
    const call = createClient(service.options).me.get({ signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: 'AbortError', attempts: 0 });
    expect(service.requests).toHaveLength(0);
  });

  test('raw takes a signal too', async () => {
    const { options } = createFakeService('hang');
    const controller = new AbortController();
    const call = createClient(options).raw.GET('/api/v1/me', { signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(call).rejects.toThrow(AbortError);
  });
});

describe('redirects', () => {
  const to = (status: number, location: string) => new Response('', { status, headers: { location } });

  test.each([
    ['another host', to(301, 'https://other.example/api/v1/me?email=a%40b.example')],
    ['another scheme, as from a proxy', to(308, 'https://other.example/api/v1/me')],
    ['a temporary redirect', to(302, 'https://other.example/api/v1/me')],
  ])('%s is not followed, and named without its query', async (_name, reaction) => {
    const service = createFakeService(reaction);
    const call = createClient(service.options).me.get();
    await expect(call).rejects.toThrow(InvalidResponseError);
    await expect(call).rejects.toMatchObject({
      status: reaction.status,
      attempts: 1,
      message: 'The answer to GET /api/v1/me redirects to https://other.example/api/v1/me; is the base URL correct?',
    });
    expect(service.requests.map((request) => request.redirect)).toEqual(['manual']);
  });

  test('also for a POST, a relative address and a missing one', async () => {
    const post = (reaction: Response) =>
      createClient(createFakeService(reaction).options).raw.POST('/api/v1/webhooks', {
        body: { url: 'https://a.example' },
      });
    await expect(post(to(303, '/login'))).rejects.toThrow('redirects to http://svc.test/login');
    await expect(post(new Response('', { status: 307 }))).rejects.toThrow('redirects to another address');
  });

  test.each([
    ['hidden by a browser', { type: 'opaqueredirect', status: 0, url: '' }, 'another address'],
    ['followed by a custom fetch', { redirected: true, url: 'https://other.example/x' }, 'https://other.example/x'],
  ])('%s', async (_name, properties, target) => {
    const reaction = Object.defineProperties(
      json({ account: { id: 1 } }),
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, { value }])),
    );
    const service = createFakeService(() => reaction);
    await expect(createClient(service.options).me.get()).rejects.toThrow(`redirects to ${target}`);
    expect(service.requests).toHaveLength(1);
  });

  test('304 is an answer', async () => {
    const client = createClient(createFakeService(new Response(null, { status: 304 })).options);
    const { response } = await client.raw.GET('/api/v1/openapi.json', { headers: { 'If-None-Match': '"a"' } });
    expect(response.status).toBe(304);
  });
});

describe('network faults', () => {
  const meet = (fault: Error) => createClient({ ...createFakeService(fault).options, maxRetries: 0 }).me.get();

  test('the message names the innermost cause', async () => {
    const call = meet(networkFault('ECONNREFUSED', 'connect'));
    await expect(call).rejects.toThrow(NetworkError);
    await expect(call).rejects.toMatchObject({
      message: 'Cannot reach http://svc.test/api/v1/me: connect ECONNREFUSED 127.0.0.1:1',
      code: 'ECONNREFUSED',
      nothingSent: true,
    });
  });

  test('with several addresses, nothing was sent when none was reached', async () => {
    const several = (...faults: Error[]) =>
      new TypeError('fetch failed', { cause: Object.assign(new AggregateError(faults, ''), { code: 'ETIMEDOUT' }) });
    const timeout = networkFault('ETIMEDOUT', 'connect');
    await expect(meet(several(timeout, timeout))).rejects.toMatchObject({ code: 'ETIMEDOUT', nothingSent: true });
    await expect(meet(several(timeout, networkFault('ECONNRESET', 'read')))).rejects.toMatchObject({
      nothingSent: false,
    });
    await expect(meet(several())).rejects.toMatchObject({ nothingSent: false });
  });

  const failed = (reason: string, code?: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(reason), code === undefined ? {} : { code }) });

  test.each([
    ['a forbidden port', failed('bad port')],
    ['a server that does not speak HTTP', failed('Response does not match the HTTP/1.1 protocol')],
    ['a certificate for another name', failed('altnames', 'ERR_TLS_CERT_ALTNAME_INVALID')],
    ['a self-signed certificate', failed('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['an expired certificate', failed('certificate has expired', 'CERT_HAS_EXPIRED')],
    ['an error of a custom fetch', new RangeError('Invalid array length')],
  ])('%s cannot pass and is met once', async (_name, fault) => {
    const service = createFakeService(fault);
    const call = createClient(service.options).me.get();
    await expect(call).rejects.toThrow(NetworkError);
    await expect(call).rejects.toMatchObject({ attempts: 1, message: expect.stringContaining('Cannot reach') });
    expect(service.requests).toHaveLength(1);
  });

  test.each(['fetch failed', 'Failed to fetch', 'Load failed', 'NetworkError when attempting to fetch resource.'])(
    'a generic message is retried: %j',
    async (message) => {
      const service = createFakeService(new TypeError(message), ME);
      expect(await createClient(service.options).me.get()).toEqual(ME_BODY);
    },
  );
});

test.each([999, 600])('an undefined status %i is an InvalidResponseError', async (status) => {
  // No constructor creates such a response, but a server can send it.
  const odd = () => Object.defineProperty(json({}), 'status', { value: status });
  const service = createFakeService(() => Object.defineProperty(odd(), 'ok', { value: false }));
  const call = createClient(service.options).me.get();
  await expect(call).rejects.toThrow(InvalidResponseError);
  await expect(call).rejects.toMatchObject({ status, attempts: 1 });
  await expect(call).rejects.toThrow(`The answer to GET /api/v1/me has the status ${status}`);
});

test('hooks are called for each attempt, without the key', async () => {
  const service = createFakeService(refusal(500, 'x'), ME);
  const told: unknown[] = [];
  const client = createClient({
    ...service.options,
    onRequest: (info) => told.push(info),
    onResponse: (info) => told.push(info),
  });
  await client.me.get();
  const base = { method: 'GET', url: 'http://svc.test/api/v1/me' };
  expect(told).toEqual([
    { ...base, attempt: 1 },
    { ...base, attempt: 1, status: 500, requestId: 'req-500', durationMs: 0 },
    { ...base, attempt: 2 },
    { ...base, attempt: 2, status: 200, requestId: null, durationMs: 0 },
  ]);
});

test('a server error after the last retry is thrown', async () => {
  const service = createFakeService(refusal(500, 'x'));
  await expect(createClient(service.options).me.get()).rejects.toThrow(ServerError);
});
