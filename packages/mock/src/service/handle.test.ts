import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { LIMITS } from '@svc/contract/limits';
import { describe, expect, test } from 'vitest';
import { ask, createDemoWorld, DEPS, NOW, refusal, type TestCall, toRequest } from '../../test/support/demo.ts';
import { freezeAt } from '../state/clock.ts';
import type { FaultRule } from '../state/fault.ts';
import { allRows } from '../state/log.ts';
import { update, type World } from '../state/world.ts';
import { handle } from './handle.ts';

const LINK =
  '<http://api.example.com/api/v1/openapi.json>; rel="service-desc"; type="application/json", ' +
  '<http://docs.example.com/v1>; rel="service-doc"; type="text/html"';

const tick = (world: World, ms: number) => {
  const { clock } = world.state;
  if (clock.mode === 'frozen') update(world, { clock: freezeAt(new Date(clock.at.getTime() + ms)) });
};

describe('every answer', () => {
  test.each([
    ['a success', '/api/v1/me', {}, 200],
    ['a public document', '/api/v1/openapi.yaml', { key: null }, 200],
    ['no key', '/api/v1/me', { key: null }, 401],
    ['an unknown route', '/api/v1/accounts', { key: null }, 404],
    ['the prefix itself', '/api/v1', {}, 404],
    ['a known path with another method', '/api/v1/me', { method: 'PUT' }, 404],
    ['a path of another letter case', '/API/V1/me', {}, 404],
  ])('below /api/v1 links to the description: %s', (_name, target, call, status) => {
    const answer = ask(createDemoWorld(), target, call);
    expect([answer.status, answer.headers['Link']]).toEqual([status, LINK]);
  });

  test.each(['/health/live', '/health/ready', '/nowhere', '/api/v10/me'])('elsewhere does not: %s', (target) => {
    expect(ask(createDemoWorld(), target).headers['Link']).toBeUndefined();
  });

  test('has a unique request id, the same in a repeated run, another in another world', () => {
    const ids = (world: World) =>
      Array.from({ length: 50 }, () => ask(world, '/nowhere').headers['Service-Request-Id'] ?? '');
    const first = ids(createDemoWorld());
    expect(new Set(first).size).toBe(50);
    for (const id of first) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
    expect(ids(createDemoWorld())).toEqual(first);
    expect(ids(createDemoWorld({ id: 'other' })).some((id) => first.includes(id))).toBe(false);
  });

  test('HEAD answers as GET, without a body', () => {
    const world = createDemoWorld();
    const get = ask(world, '/api/v1/sources');
    const head = ask(world, '/api/v1/sources', { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
    const length = String(new TextEncoder().encode(get.body).length);
    const id = 'Service-Request-Id';
    expect({ ...head.headers, [id]: '' }).toEqual({ ...get.headers, [id]: '', 'Content-Length': length });
    expect(ask(world, '/api/v1/syncs/1/retry', { method: 'HEAD' }).status).toBe(404);
  });

  test('an unknown route is a 404 "No such route"', () => {
    expect(refusal(createDemoWorld(), '/api/v1/syncs/%zz')).toEqual([404, 'No such route']);
  });
});

describe('401', () => {
  test.each([
    ['a missing key', {}],
    ['an empty header', { authorization: '' }],
    ['another scheme', { authorization: 'Basic osapi_demo_read' }],
    ['a key without its prefix', { authorization: 'Bearer demo_read' }],
    ['two keys', { authorization: 'Bearer osapi_demo_read osapi_demo_write' }],
    ['a key that nobody has', { authorization: 'Bearer osapi_nobody' }],
    ['the name of a property', { authorization: 'Bearer osapi___proto__' }],
    ['a revoked key', { authorization: 'Bearer osapi_demo_revoked' }],
    ['a rotated key', { authorization: 'Bearer osapi_demo_rotated' }],
  ])('has the same body for %s', (_name, headers) => {
    const answer = ask(createDemoWorld(), '/api/v1/me', { key: null, headers });
    expect(answer.json).toEqual({ statusCode: 401, message: 'Invalid API key', error: 'Unauthorized' });
    expect(answer.headers['WWW-Authenticate']).toBe('Bearer realm="api"');
    expect(answer.headers['Content-Type']).toBe('application/json; charset=utf-8');
  });

  test('is also the answer once the key is revoked or its account is gone', () => {
    const world = createDemoWorld();
    expect(ask(world, '/api/v1/me', { headers: { authorization: 'bearer  osapi_demo_read' } }).status).toBe(200);
    const apiKeys = world.state.data.apiKeys.map((key) => ({ ...key, revokedAt: NOW }));
    expect(ask(createDemoWorld({ data: { apiKeys } }), '/api/v1/me').status).toBe(401);
    expect(ask(createDemoWorld({ data: { accounts: [] } }), '/api/v1/me').status).toBe(401);
  });
});

describe('the order of the checks', () => {
  const spec = { settings: { rateLimit: 'spec' } } as const;
  const spend = (world: World, count: number, call: TestCall, target = '/api/v1/me') => {
    const statuses: Record<number, number> = {};
    for (let index = 0; index < count; index += 1) {
      const { status } = ask(world, target, call);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    return statuses;
  };

  test("the address's rate limit comes before the key, and refused requests do not count", () => {
    const world = createDemoWorld(spec);
    expect(spend(world, 125, { key: 'osapi_guess' })).toEqual({ 401: 120, 429: 5 });
    tick(world, 20_500);
    const refused = ask(world, '/api/v1/me');
    expect(refused.json).toEqual({ statusCode: 429, message: 'Too many requests', error: 'Too Many Requests' });
    const { headers } = refused;
    expect([headers['Retry-After'], headers['RateLimit']]).toEqual(['40', '"general";r=0;t=40']);
    expect(ask(world, '/api/v1/me', { ip: '192.0.2.1', key: 'osapi_demo_other' }).status).toBe(200);
    tick(world, 39_500);
    expect(spend(world, 122, {})).toEqual({ 200: 120, 429: 2 });
  });

  test('addresses of one /64 share a window', () => {
    const world = createDemoWorld(spec);
    spend(world, 120, { ip: '2001:db8:1:2::1', key: null });
    expect(ask(world, '/api/v1/me', { ip: '2001:db8:1:2:ffff::9' }).status).toBe(429);
    expect(ask(world, '/api/v1/me', { ip: '2001:db8:1:3::1' }).status).toBe(200);
  });

  test("API access comes before the account's rate limit, which its keys share", () => {
    const world = createDemoWorld(spec);
    for (let index = 0; index < 120; index += 1) ask(world, '/api/v1/me', { ip: `192.0.2.${index}` });
    expect(ask(world, '/api/v1/me', { ip: '198.51.100.1', key: 'osapi_demo_write' }).status).toBe(429);
    expect(ask(world, '/api/v1/me', { ip: '198.51.100.1', key: 'osapi_demo_no_api' }).status).toBe(403);
    expect(ask(world, '/api/v1/me', { ip: '198.51.100.1', key: 'osapi_demo_other' }).status).toBe(200);
    expect(ask(world, '/api/v1/webhooks', { ip: '198.51.100.1', key: 'osapi_demo_connection' }).status).toBe(429);
  });

  test('outreach has its own window, health has none, and rateLimit off sends no headers', () => {
    const world = createDemoWorld(spec);
    expect(spend(world, 121, {})).toEqual({ 200: 120, 429: 1 });
    const lookup = ask(world, '/api/v1/contacts/outreach?email=a@example.org');
    const { headers } = lookup;
    expect([lookup.status, headers['RateLimit-Policy'], headers['RateLimit']]).toEqual([
      200,
      '"outreach";q=600;w=60',
      '"outreach";r=599;t=60',
    ]);
    expect(spend(world, 200, { key: null }, '/health/live')).toEqual({ 200: 200 });
    expect(ask(world, '/health/live').headers['RateLimit']).toBeUndefined();
    const unlimited = createDemoWorld();
    expect(spend(unlimited, 200, {})).toEqual({ 200: 200 });
    expect(ask(unlimited, '/api/v1/me').headers['RateLimit']).toBeUndefined();
  });

  test('keeps at most 1,000 windows, those in use among them', () => {
    const world = createDemoWorld(spec);
    for (let index = 0; index < 3_000; index += 1) {
      ask(world, '/api/v1/me', { key: null, ip: `10.0.${index >> 8}.${index & 255}` });
      if (index % 50 === 0) ask(world, '/api/v1/me', { key: null, ip: '192.0.2.1' });
    }
    expect(world.state.rateWindows.size).toBeLessThanOrEqual(1_000);
    expect(world.state.rateWindows.get('general:ip:192.0.2.1')?.count).toBe(60);
    tick(world, 60_000);
    ask(world, '/api/v1/me', { key: null, ip: '203.0.113.1' });
    expect(world.state.rateWindows.size).toBeLessThanOrEqual(2);
  });

  test.each([
    ['API access, then webhooks', 'osapi_demo_no_api', 403, 'API access is not enabled for this account'],
    [
      'webhooks, then the scope of the key',
      'osapi_demo_no_webhooks',
      403,
      'Platform webhooks are not enabled for this account',
    ],
    [
      'the scope of the key, then the resource',
      'osapi_demo_connection',
      403,
      'Webhook endpoint management requires an account-scoped API key',
    ],
    ['the resource', 'osapi_demo_read', 404, 'Webhook nothing not found'],
  ])('%s', (_name, key, status, message) => {
    expect(refusal(createDemoWorld(), '/api/v1/webhooks/nothing', { key })).toEqual([status, message]);
  });

  test('the key comes before the parameters, the parameters before the resource', () => {
    const world = createDemoWorld();
    expect(refusal(world, '/api/v1/syncs?limit=x', { key: null })[0]).toBe(401);
    expect(refusal(world, '/api/v1/syncs?limit=x', { key: 'osapi_demo_no_api' })[0]).toBe(403);
    expect(refusal(world, '/api/v1/sources/99999/syncs?limit=x')[0]).toBe(400);
  });
});

describe('an internal error', () => {
  test("is a 500 without the error's message, and is reported", () => {
    // An event id that fits into no cursor makes the handler throw.
    const world = createDemoWorld();
    const [event] = allRows(world.state.data.events).slice(-1);
    if (event === undefined) throw new Error('the demo world has events');
    const chunks = [
      [
        { ...event, id: 'no id' },
        { ...event, id: 'none either' },
      ],
    ];
    const broken = createDemoWorld({ data: { events: { chunks, length: 2 } } });
    const reported: unknown[] = [];
    const deps = { ...DEPS, reportError: (error: unknown) => void reported.push(error) };
    const answer = ask(broken, '/api/v1/events?limit=1', {}, deps);
    expect(answer.json).toEqual({ statusCode: 500, message: 'Internal server error', error: 'Internal Server Error' });
    expect(reported).toEqual([expect.any(RangeError)]);
  });
});

describe('the journal', () => {
  test('holds every call with its outcome, without tokens', () => {
    const world = createDemoWorld();
    ask(world, '/api/v1/syncs?limit=x&type=a&type=b', { headers: { 'user-agent': 'test' } });
    ask(world, '/nowhere', { method: 'POST', key: 'osapi_nobody', body: '{"a":1}' });
    ask(world, '/api/v1/me', { key: null, body: 'not json', headers: { authorization: 'osapi_demo_read' } });
    expect(allRows(world.state.journal)).toEqual([
      {
        id: 1,
        createdAt: NOW,
        method: 'GET',
        path: '/api/v1/syncs',
        query: { limit: 'x', type: ['a', 'b'] },
        operationId: 'listSyncs',
        keyName: expect.any(String),
        headers: { authorization: 'Bearer', 'user-agent': 'test' },
        body: undefined,
        status: 400,
        faultId: null,
        nearestRoute: null,
        hint: null,
      },
      expect.objectContaining({
        id: 2,
        nearestRoute: expect.stringContaining('/'),
        operationId: null,
        keyName: null,
        body: { a: 1 },
        status: 404,
      }),
      expect.objectContaining({ id: 3, operationId: 'getMe', keyName: null, body: 'not json', status: 401 }),
    ]);
    expect(JSON.stringify(allRows(world.state.journal))).not.toContain('osapi_');
  });

  test('keeps about the last 10,000 calls', () => {
    const world = createDemoWorld();
    for (let index = 0; index < 11_000; index += 1) handle(world, toRequest('/health/live'), DEPS);
    expect(world.state.journal.length).toBeGreaterThanOrEqual(10_000);
    expect(world.state.journal.length).toBeLessThan(10_600);
    expect(world.state.callCount).toBe(11_000);
  });

  test('keeps the order of the calls when the clock is set back', () => {
    const world = createDemoWorld();
    for (let index = 0; index < 11_000; index += 1) {
      update(world, { clock: freezeAt(new Date(NOW.getTime() - index)) });
      handle(world, toRequest('/health/live'), DEPS);
    }
    const ids = allRows(world.state.journal).map(({ id }) => id);
    expect(ids.at(-1)).toBe(11_000);
    expect(ids).toEqual(ids.map((_, index) => (ids[0] ?? 0) + index));
  });
});

describe('faults', () => {
  const withFaults = (...rules: FaultRule[]): World => {
    const world = createDemoWorld();
    const faults = rules.map((rule, index) => ({ ...rule, id: `f${index}`, matchedCount: 0, hitCount: 0 }));
    update(world, { faults });
    return world;
  };
  const call = (world: World, target = '/api/v1/me', test: TestCall = {}) =>
    handle(world, toRequest(target, test), DEPS);
  const kinds = (world: World, count: number, target?: string, test?: TestCall) =>
    Array.from({ length: count }, () => call(world, target, test).kind);

  test("a status fault has the API's error body, or its own", () => {
    const world = withFaults(
      { effect: { kind: 'status', status: 503, retryAfterSeconds: 7 }, times: 1 },
      { effect: { kind: 'status', status: 429 }, times: 1 },
      { effect: { kind: 'status', status: 502, body: { oops: true } }, times: 1 },
    );
    const [unavailable, limited, custom] = Array.from({ length: 3 }, () => call(world));
    expect(unavailable).toMatchObject({
      answer: {
        status: 503,
        body: JSON.stringify({ statusCode: 503, message: 'Service Unavailable', error: 'Service Unavailable' }),
        headers: { 'Retry-After': '7', Link: LINK, 'Service-Request-Id': expect.any(String) },
      },
    });
    expect(limited).toMatchObject({ answer: { status: 429, body: expect.stringContaining('Too many requests') } });
    expect(custom).toMatchObject({ answer: { status: 502, body: '{"oops":true}' } });
    expect(kinds(world, 1)).toEqual(['answer']);
    expect(allRows(world.state.journal).map(({ status, faultId }) => [status, faultId])).toEqual([
      [503, 'f0'],
      [429, 'f1'],
      [502, 'f2'],
      [200, null],
    ]);
  });

  test.each([
    [401, 'Unauthorized', 'Invalid API key', { 'WWW-Authenticate': 'Bearer realm="api"' }],
    [403, 'Forbidden', 'Forbidden', {}],
    [429, 'Too Many Requests', OWN_MESSAGES.tooManyRequests, { 'Retry-After': '1' }],
    [500, 'Internal Server Error', OWN_MESSAGES.internalServerError, {}],
    [504, 'Gateway Timeout', 'Gateway Timeout', {}],
    [599, 'Error', 'Error', {}],
  ])("a %i has the service's message and headers", (status, error, message, headers) => {
    const outcome = call(withFaults({ effect: { kind: 'status', status } }));
    if (outcome.kind !== 'answer') throw new Error(outcome.kind);
    expect(JSON.parse(outcome.answer.body)).toEqual({ statusCode: status, message, error });
    const { 'WWW-Authenticate': challenge, 'Retry-After': wait } = outcome.answer.headers;
    const sent = { 'WWW-Authenticate': challenge, 'Retry-After': wait };
    expect(sent).toEqual({ 'WWW-Authenticate': undefined, 'Retry-After': undefined, ...headers });
  });

  test('faults hit from the nth call on, `times` times, only the named operation and key', () => {
    const world = withFaults({
      operations: ['getMe'],
      key: 'osapi_demo_read',
      nth: 3,
      times: 2,
      effect: { kind: 'hang' },
    });
    kinds(world, 5, '/api/v1/connections');
    kinds(world, 5, '/api/v1/me', { key: 'osapi_demo_write' });
    expect(kinds(world, 6)).toEqual(['answer', 'answer', 'hang', 'hang', 'answer', 'answer']);
    expect(world.state.faults).toMatchObject([{ matchedCount: 6, hitCount: 2 }]);
  });

  test('faults with a probability hit the same calls in every run', () => {
    const run = () => kinds(withFaults({ probability: 0.5, effect: { kind: 'reset' } }), 200);
    const resets = run().filter((kind) => kind === 'reset').length;
    expect(resets).toBeGreaterThan(70);
    expect(resets).toBeLessThan(130);
    expect(run()).toEqual(run());
  });

  test('faults without operations hit calls below /api/v1 only, known routes or not', () => {
    const world = withFaults({ effect: { kind: 'hang' } });
    expect(['/api/v1/nowhere', '/health/live', '/nowhere'].map((target) => call(world, target).kind)).toEqual([
      'hang',
      'answer',
      'answer',
    ]);
    expect(call(withFaults({ operations: ['getHealthLive'], effect: { kind: 'hang' } }), '/health/live').kind).toBe(
      'hang',
    );
  });

  test("latency is added to the world's latency, which only API calls have", () => {
    const world = withFaults({ operations: ['getMe', 'getHealthLive'], effect: { kind: 'latency', latencyMs: 30 } });
    update(world, { settings: { ...world.state.settings, latencyMs: 5 } });
    expect(call(world)).toMatchObject({ kind: 'answer', delayMs: 35 });
    expect(call(world, '/api/v1/connections')).toMatchObject({ kind: 'answer', delayMs: 5 });
    expect(call(world, '/health/live')).toMatchObject({ kind: 'answer', delayMs: 30 });
  });

  test('a truncated answer breaks off in the middle or after `bytes`', () => {
    const world = withFaults(
      { effect: { kind: 'truncate' }, times: 1 },
      { effect: { kind: 'truncate', bytes: 3 }, times: 1 },
    );
    const whole = ask(createDemoWorld(), '/api/v1/me').body;
    expect(call(world)).toMatchObject({
      kind: 'truncated',
      bytes: Math.floor(whole.length / 2),
      answer: { body: whole },
    });
    expect(call(world)).toMatchObject({ kind: 'truncated', bytes: 3 });
  });

  test('a reset before leaves the call unmade, a reset after makes it', () => {
    const served = (when: 'before' | 'after') => {
      const world = withFaults({ effect: { kind: 'reset', when } });
      update(world, { settings: { ...world.state.settings, rateLimit: 'spec' } });
      expect(call(world)).toEqual({ kind: 'reset', delayMs: 0 });
      expect(allRows(world.state.journal)).toMatchObject([{ status: null, faultId: 'f0' }]);
      return world.state.rateWindows.size > 0;
    };
    expect([served('before'), served('after')]).toEqual([false, true]);
  });
});

describe('bodies', () => {
  test('ignores a body that the operation does not take', () => {
    const body = 'x'.repeat(LIMITS.apiBodyBytesMax + 1);
    expect(ask(createDemoWorld(), '/api/v1/me', { body, headers: { 'content-type': 'text/plain' } }).status).toBe(200);
  });
});
