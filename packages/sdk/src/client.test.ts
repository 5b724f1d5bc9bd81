import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { API_KEY, createFakeService, json, refusal } from '../test/fake-service.ts';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type Client,
  ConfigurationError,
  ConflictError,
  createClient,
  InvalidResponseError,
  NotFoundError,
  PayloadTooLargeError,
  PermissionError,
  RateLimitError,
  SDK_VERSION,
  ServerError,
  SvcError,
  UnsupportedMediaTypeError,
} from './index.ts';

const ME = { account: { id: 1 }, apiKey: {}, connections: [] };
/** A body that every operation accepts. */
const EVERYTHING = {
  ...ME,
  ...{ doNotContact: { value: false } },
  ...{ data: [], hasMore: false, nextCursor: null },
  ...{ ready: true, blockers: [], warnings: [], sources: [] },
  ...{ id: 42, status: 'ok', createdAt: '', success: 0, warning: 0, error: 0 },
  ...{ checks: {}, openapi: '3.1.0', paths: {} },
};
const sync = (id: number, createdAt: string) => ({ id, createdAt, status: 'success' });

test('SDK_VERSION is the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(SDK_VERSION).toBe(version);
});

describe('requests', () => {
  test('key, user agent, own headers, per-call overrides', async () => {
    const service = createFakeService(json(ME));
    const client = createClient({ ...service.options, headers: { 'X-Team': 'a' } });
    await client.me.get();
    await client.me.get({ apiKey: 'osapi_other', headers: { 'X-Team': 'b' } });
    const [first, second] = service.requests;
    expect(first?.headers.get('authorization')).toBe(`Bearer ${API_KEY}`);
    expect(first?.headers.get('user-agent')).toMatch(new RegExp(`^svc-sdk/${SDK_VERSION} Node\\.js/\\d+$`));
    expect(first?.headers.get('x-team')).toBe('a');
    expect(second?.headers.get('authorization')).toBe('Bearer osapi_other');
    expect(second?.headers.get('x-team')).toBe('b');
  });

  test('names of headers are compared without case, and a header without a value is left out', async () => {
    const service = createFakeService(json(ME));
    const client = createClient({
      ...service.options,
      headers: { 'X-Team': 'a', authorization: 'Bearer other', 'X-None': undefined as never },
    });
    await client.me.get();
    await client.me.get({ headers: { 'x-team': 'b' } });
    expect(service.requests.map(({ headers }) => [headers.get('x-team'), headers.get('authorization')])).toEqual([
      ['a', `Bearer ${API_KEY}`],
      ['b', `Bearer ${API_KEY}`],
    ]);
    expect(service.requests[0]?.headers.has('x-none')).toBe(false);
    const impossible = createClient({ ...service.options, headers: { 'two words': 'x' } });
    await expect(impossible.me.get()).rejects.toThrow(TypeError);
  });

  test('a value in the path is escaped, and so are values in the query', async () => {
    const service = createFakeService(json(EVERYTHING));
    const client = createClient(service.options);
    await client.webhooks.get('a/b?c&d');
    await client.contacts.outreach({ email: 'a+b&c@example.org' });
    expect(service.requests.map(({ url }) => url)).toEqual([
      'http://svc.test/api/v1/webhooks/a%2Fb%3Fc%26d',
      'http://svc.test/api/v1/contacts/outreach?email=a%2Bb%26c%40example.org',
    ]);
  });

  test('the user agent names the application; browsers send their own', async () => {
    const service = createFakeService(json(ME));
    await createClient({ ...service.options, appInfo: 'my-app/1.2 (+https://example.com)' }).me.get();
    expect(service.requests[0]?.headers.get('user-agent')).toMatch(
      /^svc-sdk\/\S+ Node\.js\/\d+ my-app\/1\.2 \(\+https:\/\/example\.com\)$/,
    );
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' });
    await createClient(service.options).me.get();
    expect(service.requests[1]?.headers.has('user-agent')).toBe(false);
  });

  test("the prefix of the service's own headers is an option", async () => {
    const service = createFakeService(json(ME, 200, { 'Acme-Request-Id': 'req-7' }));
    const { requestId } = await createClient({ ...service.options, headerPrefix: 'Acme' })
      .me.get()
      .withResponse();
    expect(requestId).toBe('req-7');
    const plain = await createClient(service.options).me.get().withResponse();
    expect(plain.requestId).toBeNull();
  });

  test('an undefined option of a call counts as omitted, also when the method has its own default', async () => {
    const { discovery } = createClient(createFakeService(json({ status: 'error' }, 503)).options);
    await expect(discovery.ready({ maxRetries: undefined })).rejects.toMatchObject({ attempts: 1 });
    await expect(discovery.live({ maxRetries: undefined, timeoutMs: undefined })).rejects.toMatchObject({
      attempts: 1,
    });
    await expect(discovery.live({ maxRetries: 1 })).rejects.toMatchObject({ attempts: 2 });
  });

  test('a base URL may have a path and slashes at its end', async () => {
    const service = createFakeService(json(ME));
    await createClient({ ...service.options, baseUrl: 'http://svc.test/proxy//' }).me.get();
    expect(service.requests[0]?.url).toBe('http://svc.test/proxy/api/v1/me');
  });

  test('each operation requests its path', async () => {
    const service = createFakeService(json(EVERYTHING));
    const client = createClient(service.options);
    const range = { from: '2026-02-01', to: '2026-02-02' };
    const calls: (() => Promise<unknown>)[] = [
      () => client.me.get(),
      () => client.account.status(),
      () => client.connections.list(),
      () => client.sources.list(),
      () => client.sources.listSyncs(7, { ...range, status: 'error', connectionId: 3 }).toArray(),
      () => client.syncs.list({ ...range, sourceId: 5 }).toArray(),
      () => client.syncs.get(42),
      () => client.syncs.metrics({ ...range, connectionId: 3 }),
      () => client.discovery.live(),
      () => client.discovery.ready(),
      () => client.discovery.openapiJson(),
      () => client.discovery.openapiYaml(),
    ];
    for (const call of calls) await call();
    expect(service.requests.map(({ method, url }) => `${method} ${url.replace('http://svc.test', '')}`)).toEqual([
      'GET /api/v1/me',
      'GET /api/v1/account/status',
      'GET /api/v1/connections',
      'GET /api/v1/sources',
      'GET /api/v1/sources/7/syncs?status=error&connectionId=3&from=2026-02-01&to=2026-02-02&limit=500',
      'GET /api/v1/syncs?sourceId=5&from=2026-02-01&to=2026-02-02&limit=500',
      'GET /api/v1/syncs/42',
      'GET /api/v1/syncs/metrics?connectionId=3&from=2026-02-01&to=2026-02-02',
      'GET /health/live',
      'GET /health/ready',
      'GET /api/v1/openapi.json',
      'GET /api/v1/openapi.yaml',
    ]);
  });
});

describe('errors', () => {
  test.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [409, ConflictError],
    [413, PayloadTooLargeError],
    [415, UnsupportedMediaTypeError],
    [429, RateLimitError],
    [500, ServerError],
    [503, ServerError],
    [418, ApiError],
  ])('%i', async (status, ErrorClass) => {
    const service = createFakeService(refusal(status, 'the words of the service', { 'retry-after': '7' }));
    const error = await createClient({ ...service.options, maxRetries: 0 })
      .syncs.get(42)
      .catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toMatchObject({
      name: ErrorClass.name,
      message: 'the words of the service',
      status,
      requestId: `req-${status}`,
      retryAfterSeconds: 7,
      attempts: 1,
      method: 'GET',
      path: '/api/v1/syncs/42',
    });
  });

  test('a message that is a list is joined', async () => {
    const answer = json({ statusCode: 400, message: ['url must be a URL', 'events must be a list'] }, 400);
    const call = createClient(createFakeService(answer).options).me.get();
    await expect(call).rejects.toMatchObject({ message: 'url must be a URL; events must be a list' });
  });

  test.each([
    ['HTML', new Response('<h1>Bad gateway</h1>', { status: 400 }), '<h1>Bad gateway</h1>'],
    ['nothing', new Response('', { status: 400 }), ''],
    ['declared as empty', new Response('', { status: 400, headers: { 'content-length': '0' } }), undefined],
    ['another shape', json({ errors: ['x'] }, 400), { errors: ['x'] }],
    ['an empty list', json({ message: [] }, 400), { message: [] }],
    ['a list of others', json({ message: [{ path: 'url' }] }, 400), { message: [{ path: 'url' }] }],
    ['null', json(null, 400), null],
  ])('an error body that is %s gives an ApiError', async (_name, response, body) => {
    const error = await createClient(createFakeService(response).options)
      .me.get()
      .catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ message: 'GET /api/v1/me answered 400', body });
  });

  test.each([
    ['HTML', new Response('<h1>Welcome to the hotel</h1>')],
    ['empty', new Response('', { headers: { 'content-length': '0' } })],
    ['cut off', new Response('{"data": [')],
  ])('a success that is %s is an InvalidResponseError', async (_name, response) => {
    const call = createClient(createFakeService(response).options).me.get();
    await expect(call).rejects.toThrow(InvalidResponseError);
    await expect(call).rejects.toMatchObject({ status: 200, attempts: 1, path: '/api/v1/me' });
  });

  const foreign = [{}, [], 'x', null, 7, { success: true, data: [] }, { status: 'ok', connections: [null] }];

  test.each(foreign)('JSON of another service is an InvalidResponseError of every operation: %j', async (body) => {
    const client = createClient(createFakeService(json(body)).options);
    const range = { from: '2026-02-01', to: '2026-02-02' };
    const calls: Promise<unknown>[] = [
      client.me.get(),
      client.account.status(),
      client.connections.list(),
      client.sources.list(),
      client.sources.listSyncs(7, range).toArray(),
      client.syncs.list(range).toArray(),
      client.syncs.get(42),
      client.syncs.metrics(range),
      client.discovery.ready(),
      client.discovery.openapiJson(),
      client.syncs.retry(42),
      client.blocklists.pause(7),
      client.blocklists.resync(7),
      client.webhooks.test('oswhk_1'),
    ];
    for (const [index, result] of (await Promise.allSettled(calls)).entries()) {
      const outcome = result.status === 'rejected' ? result.reason : result.value;
      expect(outcome, `call ${index}`).toBeInstanceOf(InvalidResponseError);
      expect(outcome.message).toContain('is the base URL correct?');
    }
  });

  test.each([
    json({}),
    json([]),
    json('x'),
    json({ data: {}, hasMore: false }),
    json({ data: [null], hasMore: false }),
  ])('a list without rows is an InvalidResponseError', async (answer) => {
    const list = createClient(createFakeService(answer).options).syncs.list({ from: '2026-02-01' });
    await expect(list.toArray()).rejects.toThrow(InvalidResponseError);
  });

  test('status narrows the type', () => {
    expectTypeOf<NotFoundError['status']>().toEqualTypeOf<404>();
    expectTypeOf<RateLimitError>().toExtend<SvcError>();
  });
});

describe('configuration', () => {
  test.each([
    '',
    'svc.test',
    'ftp://svc.test',
    'http://user:secret@svc.test',
    'http://svc.test/?a=1',
    'http://svc.test/#x',
    'http://svc.test/api/v1',
    'http://svc.test/p/api/v1/',
  ])('baseUrl %s is refused', (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow(ConfigurationError);
  });

  test('the error for a baseUrl with the path of the API shows it without the path', () => {
    expect(() => createClient({ baseUrl: 'http://svc.test/p/api/v1' })).toThrow(
      'baseUrl must not include /api/v1; it is added automatically: http://svc.test/p',
    );
  });

  const impossible = [
    ...[0, -1, Number.NaN, 2 ** 31, '30' as never].map((timeoutMs) => ({ timeoutMs })),
    ...[-1, Number.NaN, 1.5, Number.POSITIVE_INFINITY, '3' as never].map((maxRetries) => ({ maxRetries })),
  ];

  test.each(impossible)('%j is refused, by the client and by a call', async (options) => {
    const service = createFakeService(json({}));
    expect(() => createClient({ ...service.options, ...options })).toThrow(ConfigurationError);
    const call = createClient(service.options).me.get(options);
    await expect(call).rejects.toThrow(ConfigurationError);
    await expect(call).rejects.toThrow(/^(timeoutMs|maxRetries) must be /);
    expect(service.requests).toEqual([]);
  });

  test.each([-1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])('maxRetryAfterMs %d is refused', (maxRetryAfterMs) => {
    expect(() => createClient({ baseUrl: 'http://svc.test', maxRetryAfterMs })).toThrow(/^maxRetryAfterMs must be /);
  });

  test('timeoutMs may be Infinity or the largest delay of a timer', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const service = createFakeService(json(ME));
    await createClient({ ...service.options, timeoutMs: Number.POSITIVE_INFINITY }).me.get();
    expect(timers).not.toHaveBeenCalled();
    await createClient({ ...service.options, timeoutMs: 2 ** 31 - 1 }).me.get();
    expect(timers).toHaveBeenCalledOnce();
  });

  test.each(['osapi_line\nbreak', 'osapi_ü', 'two words', ''])(
    'the key %j is refused without being quoted',
    (apiKey) => {
      let message = '';
      try {
        createClient({ baseUrl: 'http://svc.test', apiKey });
      } catch (error) {
        message = inspect(error);
      }
      expect(message).toContain('ConfigurationError');
      if (apiKey !== '') expect(message).not.toContain(apiKey);
    },
  );
});

describe('without options', () => {
  afterEach(() => vi.unstubAllEnvs());
  beforeEach(() => {
    vi.stubEnv('SVC_BASE_URL', undefined);
    vi.stubEnv('SVC_API_KEY', undefined);
  });
  const { baseUrl: _baseUrl, apiKey: _apiKey, ...bare } = createFakeService(json(ME)).options;
  const noKey = 'No API key: pass apiKey or set SVC_API_KEY';
  const keyless = () => ({ ...createFakeService(refusal(401, 'Invalid API key')).options, apiKey: undefined });

  test('address and key come from the environment; options win', async () => {
    vi.stubEnv('SVC_BASE_URL', 'http://svc.test/env');
    vi.stubEnv('SVC_API_KEY', 'osapi_env');
    const service = createFakeService(json(ME));
    const { fetch } = service.options;
    await createClient({ fetch }).me.get();
    await createClient({ fetch, baseUrl: 'http://svc.test', apiKey: 'osapi_option' }).me.get();
    await createClient({ fetch, apiKey: null }).me.get();
    expect(service.requests.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
      ['http://svc.test/env/api/v1/me', 'Bearer osapi_env'],
      ['http://svc.test/api/v1/me', 'Bearer osapi_option'],
      ['http://svc.test/env/api/v1/me', null],
    ]);
  });

  test('an empty variable counts as absent', () => {
    vi.stubEnv('SVC_BASE_URL', '');
    expect(() => createClient(bare)).toThrow('No base URL: pass baseUrl or set SVC_BASE_URL');
  });

  test('the key of the environment is in no error', async () => {
    vi.stubEnv('SVC_API_KEY', API_KEY);
    const error = await createClient({
      ...createFakeService(refusal(401, `no such key: ${API_KEY}`)).options,
      apiKey: undefined,
    })
      .me.get()
      .catch((fault: unknown) => fault);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(API_KEY);
    expect(error).toMatchObject({ status: 401, message: expect.stringContaining('no such key') });
  });

  test('a 401 without a key says that there is none', async () => {
    const client = createClient(keyless());
    await expect(client.me.get()).rejects.toMatchObject({ name: 'AuthenticationError', status: 401, message: noKey });
    client.raw.use({ onRequest: ({ request }) => request });
    await expect(client.me.get()).rejects.toThrow(noKey);
  });

  test.each([
    ['a key of the call', { apiKey: 'osapi_wrong' }],
    ['a header of the call', { headers: { authorization: 'Bearer x' } }],
  ])('a 401 with %s has the message of the service', async (_name, options) => {
    await expect(createClient(keyless()).me.get(options)).rejects.toThrow('Invalid API key');
  });

  test('runtimes without process have no environment', async () => {
    vi.stubGlobal('process', undefined);
    try {
      expect(() => createClient(bare)).toThrow('No base URL');
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('the key', () => {
  const hide = (client: Client) => inspect(client, { depth: 10, showHidden: true }) + JSON.stringify(client);

  test('inspecting the client does not show the key', () => {
    expect(hide(createClient(createFakeService(json({})).options))).not.toContain(API_KEY);
  });

  test.each([
    ['a refusal that quotes it', refusal(401, `no such key: ${API_KEY}`)],
    ['a page that quotes it', new Response(`<p>${API_KEY}</p>`, { status: 400 })],
    ['a fault that quotes it', new TypeError(`bad header Bearer ${API_KEY}`, { cause: new Error(API_KEY) })],
    ['an unreadable success', new Response(`<p>${API_KEY}</p>`)],
  ])('is not in %s', async (_name, reaction) => {
    const client = createClient({ ...createFakeService(reaction).options, maxRetries: 0 });
    for (const call of [
      client.me.get(),
      createClient({ ...createFakeService(reaction).options, apiKey: 'osapi_x', maxRetries: 0 }).me.get({
        apiKey: API_KEY,
      }),
    ]) {
      const error = await call.catch((fault: unknown) => fault);
      expect(error).toBeInstanceOf(SvcError);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(API_KEY);
      expect(JSON.stringify(error)).not.toContain(API_KEY);
    }
  });
});

describe('withResponse', () => {
  test('returns the response and the request id as well', async () => {
    const answer = json(sync(42, ''), 200, { 'Service-Request-Id': 'abc' });
    const service = createFakeService(({ url }) => Object.defineProperty(answer, 'url', { value: url }));
    const answered = await createClient(service.options).syncs.get(42).withResponse();
    const { data, response, requestId } = answered;
    expect(data).toEqual(sync(42, ''));
    expect(response).toBeInstanceOf(Response);
    // The body can be read once.
    expect(await answered.response.json()).toEqual(sync(42, ''));
    expect(response.bodyUsed).toBe(true);
    expect(response.status).toBe(200);
    expect(response.url).toBe('http://svc.test/api/v1/syncs/42');
    expect(requestId).toBe('abc');
  });

  test('a failure is reported once, to the caller', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const call = createClient(createFakeService(refusal(404, 'gone')).options)
      .syncs.get(1)
      .withResponse();
    await expect(call).rejects.toThrow(NotFoundError);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
