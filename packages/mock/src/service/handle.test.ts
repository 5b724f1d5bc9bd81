/** What only the mock has of its answers: repeatable ids, bounded state, the journal and faults. The conformance suite proves the others. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { LIMITS } from '@svc/contract/limits';
import { describe, expect, test } from 'vitest';
import { ask, createDemoWorld, DEPS, NOW, type TestCall, toRequest } from '../../test/support/demo.ts';
import { freezeAt } from '../state/clock.ts';
import type { FaultRule } from '../state/fault.ts';
import { entriesOf } from '../state/history.ts';
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
  test('has a unique request id, the same in a repeated run, another in another world', () => {
    const ids = (world: World) =>
      Array.from({ length: 50 }, () => ask(world, '/nowhere').headers['Service-Request-Id'] ?? '');
    const first = ids(createDemoWorld());
    expect(new Set(first).size).toBe(50);
    for (const id of first) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
    expect(ids(createDemoWorld())).toEqual(first);
    expect(ids(createDemoWorld({ id: 'other' })).some((id) => first.includes(id))).toBe(false);
  });
});

describe('401', () => {
  test('is the answer once the key is revoked or its account is gone', () => {
    const world = createDemoWorld();
    expect(ask(world, '/api/v1/me', { headers: { authorization: 'bearer  osapi_demo_read' } }).status).toBe(200);
    const apiKeys = world.state.data.apiKeys.map((key) => ({ ...key, revokedAt: NOW }));
    expect(ask(createDemoWorld({ data: { apiKeys } }), '/api/v1/me').status).toBe(401);
    expect(ask(createDemoWorld({ data: { accounts: [] } }), '/api/v1/me').status).toBe(401);
  });
});

describe('rate limits', () => {
  const spec = { settings: { rateLimit: 'spec' } } as const;
  test('without limits, answers have no headers of them', () => {
    const world = createDemoWorld();
    for (let index = 0; index < LIMITS.generalRequestsPerWindow; index += 1) ask(world, '/api/v1/me');
    const { status, headers } = ask(world, '/api/v1/me');
    expect([status, headers['RateLimit'], headers['RateLimit-Policy']]).toEqual([200, undefined, undefined]);
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
    expect(entriesOf(world.state.journal)).toEqual([
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
    expect(JSON.stringify(entriesOf(world.state.journal))).not.toContain('osapi_');
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
    const ids = entriesOf(world.state.journal).map(({ id }) => id);
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
    expect(entriesOf(world.state.journal).map(({ status, faultId }) => [status, faultId])).toEqual([
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
      expect(entriesOf(world.state.journal)).toMatchObject([{ status: null, faultId: 'f0' }]);
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
