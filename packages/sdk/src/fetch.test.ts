import { describe, expect, test } from 'vitest';
import { createFakeService, json, networkFault, refusal } from '../test/fake-service.ts';
import { createClient } from './client.ts';
import { AbortError, ConflictError, NetworkError, RateLimitError, ServerError, TimeoutError } from './errors.ts';
import type { RetryInfo, WaitInfo } from './fetch.ts';

const ME = json({ account: { id: 1 } });

describe('retries', () => {
  test('a GET is sent again after faults of the network and of the server, with doubling waits', async () => {
    const service = createFakeService(
      networkFault('ECONNRESET'),
      refusal(502, 'bad gateway'),
      refusal(408, 'slow'),
      ME,
    );
    const retries: RetryInfo[] = [];
    const client = createClient({ ...service.options, onRetry: (info) => retries.push(info) });
    expect(await client.me.get()).toEqual({ account: { id: 1 } });
    expect(service.requests).toHaveLength(4);
    expect(service.waits).toEqual([250, 500, 1000]);
    expect(retries.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 250],
      [2, 500],
      [3, 1000],
    ]);
  });

  test('gives up after maxRetries and says how often it tried', async () => {
    const service = createFakeService(refusal(503, 'maintenance'));
    const client = createClient({ ...service.options, maxRetries: 1 });
    await expect(client.me.get()).rejects.toMatchObject({ name: 'ServerError', status: 503, attempts: 2 });
    await expect(client.me.get({ maxRetries: 0 })).rejects.toMatchObject({ attempts: 1 });
  });

  test('a 409 is never sent again', async () => {
    const service = createFakeService(refusal(409, 'Sync is not eligible for retry'));
    const call = createClient(service.options).me.get();
    await expect(call).rejects.toThrow(ConflictError);
    expect(service.requests).toHaveLength(1);
  });

  test.each([
    ['500', refusal(500, 'x'), 1],
    ['a reset after sending', networkFault('ECONNRESET'), 1],
    ['a refused connection', networkFault('ECONNREFUSED'), 4],
    ['429', refusal(429, 'x', { 'retry-after': '1' }), 4],
  ])('a POST meeting %s', async (_name, reaction, attempts) => {
    const service = createFakeService(reaction);
    const post = createClient(service.options).raw.POST('/api/v1/webhooks', { body: { url: 'https://a.example' } });
    await post.catch(() => {});
    expect(service.requests).toHaveLength(attempts);
    // The body is whole at every attempt.
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
    expect(await createClient(service.options).me.get()).toEqual({ account: { id: 1 } });
    expect(service.requests).toHaveLength(2);
  });
});

describe('rate limits', () => {
  test('Retry-After is waited for in full, by the calls of the whole bucket', async () => {
    const service = createFakeService(refusal(429, 'Too many', { 'retry-after': '42' }), ME);
    const waits: WaitInfo[] = [];
    const client = createClient({ ...service.options, onWait: (info) => waits.push(info) });
    await client.me.get();
    expect(service.waits).toEqual([42_000]);

    // A call that is not tried again still closes the bucket for the next one.
    const strict = createFakeService(refusal(429, 'Too many', { 'retry-after': '30' }), ME);
    const second = createClient({ ...strict.options, onWait: (info) => waits.push(info), maxRetries: 0 });
    await expect(second.me.get()).rejects.toMatchObject({ name: 'RateLimitError', retryAfterSeconds: 30 });
    await second.me.get();
    expect(waits).toEqual([{ bucket: 'general', waitMs: 30_000 }]);
  });

  test('a wait beyond the cap is an error instead', async () => {
    const service = createFakeService(refusal(429, 'Too many', { 'retry-after': '3600' }));
    const call = createClient(service.options).me.get();
    await expect(call).rejects.toThrow(RateLimitError);
    await expect(call).rejects.toMatchObject({ retryAfterSeconds: 3600, attempts: 1 });
  });

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
    expect(await client.me.get()).toEqual({ account: { id: 1 } });

    const silent = createClient({ ...createFakeService('hang').options, timeoutMs: 10, maxRetries: 1 });
    const call = silent.me.get();
    await expect(call).rejects.toThrow(TimeoutError);
    await expect(call).rejects.toMatchObject({ timeoutMs: 10, attempts: 2 });
  });

  test('the signal ends a request under way, and it is not tried again', async () => {
    const service = createFakeService('hang');
    const controller = new AbortController();
    const call = createClient(service.options).me.get({ signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    await expect(call).rejects.toThrow(AbortError);
    await expect(call).rejects.toMatchObject({ cause: new Error('changed my mind') });
    expect(service.requests.length).toBeLessThanOrEqual(1);
  });

  test('the signal ends a wait', async () => {
    const { options } = createFakeService(refusal(429, 'x', { 'retry-after': '60' }));
    const { sleep: _fake, ...realSleep } = options;
    const controller = new AbortController();
    const client = createClient({ ...realSleep, onRetry: () => queueMicrotask(() => controller.abort()) });
    await expect(client.me.get({ signal: controller.signal })).rejects.toThrow(AbortError);
  });

  test('a signal that fired before: nothing is sent', async () => {
    const service = createFakeService(ME);
    const call = createClient(service.options).me.get({ signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: 'AbortError', attempts: 0 });
    expect(service.requests).toHaveLength(0);
  });

  test('a signal given to raw works too', async () => {
    const { options } = createFakeService('hang');
    const controller = new AbortController();
    const call = createClient(options).raw.GET('/api/v1/me', { signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(call).rejects.toThrow(AbortError);
  });
});

describe('network faults', () => {
  test('say what the innermost cause was', async () => {
    const service = createFakeService(networkFault('ECONNREFUSED'));
    const call = createClient({ ...service.options, maxRetries: 0 }).me.get();
    await expect(call).rejects.toThrow(NetworkError);
    await expect(call).rejects.toMatchObject({
      message: 'Cannot reach http://svc.test/api/v1/me: connect ECONNREFUSED 127.0.0.1:1',
      code: 'ECONNREFUSED',
      nothingSent: true,
    });
  });

  test('several addresses at once', async () => {
    const inner = Object.assign(new AggregateError([networkFault('ETIMEDOUT')], ''), { code: 'ETIMEDOUT' });
    const service = createFakeService(new TypeError('fetch failed', { cause: inner }));
    const call = createClient({ ...service.options, maxRetries: 0 }).me.get();
    await expect(call).rejects.toMatchObject({ code: 'ETIMEDOUT', nothingSent: false });
  });
});

test('hooks are told of each attempt, without the key', async () => {
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

test('a server error that outlives the retries is thrown as it came', async () => {
  const service = createFakeService(refusal(500, 'x'));
  await expect(createClient(service.options).me.get()).rejects.toThrow(ServerError);
});
