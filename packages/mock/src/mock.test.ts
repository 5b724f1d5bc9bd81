import { createServer } from 'node:http';
import { once } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { verifySignature } from '@svc/domain/webhooks/webhook-signature';
import { createClient } from '@svc/sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createMock as createBrowserMock } from './browser.ts';
import { createMock, NewWorldError, WorldError } from './index.ts';
import type { CreateMockOptions, Mock } from './mock-types.ts';

const NOW = '2026-03-31T12:00:00.000Z';
const open: Mock[] = [];

function start(options: CreateMockOptions = {}): Mock {
  const mock = createMock({ now: NOW, ...options });
  open.push(mock);
  return mock;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((mock) => mock.close()));
});

function clientOf(mock: Mock, apiKey: string = mock.keys.osapi_demo_write) {
  return createClient({
    baseUrl: 'https://api.example.com',
    apiKey,
    fetch: mock.fetch,
    maxRetries: 0,
    sleep: async () => {},
  });
}

/** Returns `any` so that tests can read every field. */
async function readJson(response: Response): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse(await response.text());
}

const get = async (mock: Mock, path: string, key: string = mock.keys.osapi_demo_write) =>
  mock.fetch(`https://api.example.com/api/v1${path}`, { headers: { Authorization: `Bearer ${key}` } });

describe('mock.fetch', () => {
  test('serves an SDK', async () => {
    const { connections } = await clientOf(start()).me.get();
    expect(connections.map(({ crm }) => crm)).toEqual(['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE']);
  });

  test('serves a custom world file', async () => {
    const { default: demo } = await import('@svc/fixtures/demo-world.json', { with: { type: 'json' } });
    const mock = start({
      world: { ...demo, syncHealth: [], connections: demo.connections.map((row) => ({ ...row, crm: 'ATTIO' })) },
    });
    const { connections } = await clientOf(mock).me.get();
    expect(connections.map(({ crm }) => crm)).toEqual(['ATTIO', 'ATTIO', 'ATTIO']);
    expect(() => start({ world: { ...demo, name: '' } })).toThrow(WorldError);
    expect(() => start({ world: { ...demo, name: '' } })).toThrow(/name: /);
  });
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('reads bodies in %s, through every skin', async (encoding, compress) => {
  const mock = start();
  const { url } = await mock.listen();
  const headers = { 'Content-Encoding': encoding, 'Content-Type': 'application/json' };
  const post = { method: 'POST', headers, body: new Uint8Array(compress('{"read":true}')) };
  for (const send of [mock.fetch, fetch]) {
    const answer = await send(`${url}/webhooks/demo-smartlead`, post);
    expect([answer.status, (await readJson(answer)).message]).toEqual([200, undefined]);
    expect(mock.db.requests.findFirst()?.body).toEqual({ read: true });
    const broken = await send(`${url}/webhooks/demo-smartlead`, { ...post, body: '{}' });
    expect([broken.status, (await readJson(broken)).message]).toEqual([
      400,
      expect.stringMatching(/^The request body could not be read: /),
    ]);
    const bomb = { ...post, body: new Uint8Array(compress(' '.repeat(30_000_000))) };
    expect((await send(`${url}/webhooks/demo-smartlead`, bomb)).status).toBe(413);
  }
});

describe('in browsers', () => {
  const mock = createBrowserMock({ now: NOW });
  const post = async (encoding: string, body: string | Buffer) => {
    const headers = { 'Content-Encoding': encoding, 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: typeof body === 'string' ? body : new Uint8Array(body) };
    const answer = await mock.fetch('https://api.example.com/webhooks/demo-smartlead', init);
    return [answer.status, (await readJson(answer)).message];
  };

  test.each([
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
  ])('reads bodies in %s', async (encoding, compress) => {
    expect(await post(encoding, compress('{"read":true}'))).toEqual([200, undefined]);
    expect(mock.db.requests.findFirst()?.body).toEqual({ read: true });
    expect(await post(encoding, '{}')).toEqual([400, expect.stringMatching(/^The request body could not be read: /)]);
    expect((await post(encoding, compress(' '.repeat(30_000_000))))[0]).toBe(413);
  });

  test.each(['br', 'x-rot13'])('refuses %s as unsupported', async (encoding) => {
    const message = `The request body cannot be read: unsupported content encoding "${encoding}"`;
    expect(await post(encoding, brotliCompressSync('{}'))).toEqual([415, message]);
  });
});

test('throws for invalid options', () => {
  expect(() => start({ now: 'yesterday' })).toThrow(/ISO-8601/);
  expect(() => start({ receivers: { 'hooks.example.com': 'https://example.com' } })).toThrow(/not on this machine/);
});

describe('clock', () => {
  test('starts frozen, advances, resumes, and drives the rate limit', async () => {
    let real = new Date('2030-01-01T00:00:00.000Z');
    const mock = start({ realNow: () => real, rateLimit: 'spec' });
    expect(mock.clock.now.toISOString()).toBe(NOW);
    const statuses = new Set<number>();
    for (let call = 0; call < 121; call += 1) statuses.add((await get(mock, '/me')).status);
    expect([...statuses]).toEqual([200, 429]);
    await mock.clock.advance('60s');
    expect((await get(mock, '/me')).status).toBe(200);
    mock.clock.resume();
    real = new Date('2030-01-01T01:00:00.000Z');
    expect(mock.clock.now.toISOString()).toBe('2026-03-31T13:01:00.000Z');
    mock.clock.freeze('2026-04-01T00:00:00Z');
    await mock.clock.advance(1_500);
    expect(mock.clock.now.toISOString()).toBe('2026-04-01T00:00:01.500Z');
    await expect(mock.clock.advance('1 hour')).rejects.toThrow(/90s/);
    await expect(mock.clock.advance(-1)).rejects.toThrow(RangeError);
  });
});

describe('faults, journal and verify', () => {
  test('adds, lists and removes faults', async () => {
    const mock = start();
    const fault = mock.faults.add({ operations: ['getMe'], times: 1, effect: { kind: 'status', status: 503 } });
    expect((await get(mock, '/me')).status).toBe(503);
    expect((await get(mock, '/me')).status).toBe(200);
    expect(mock.faults.list()).toMatchObject([{ id: fault.id, matchedCount: 2, hitCount: 1 }]);
    expect([mock.faults.remove(fault.id), mock.faults.remove(fault.id), mock.faults.list()]).toEqual([true, false, []]);
  });

  test('verify returns the calls, or names the nearest ones', async () => {
    const mock = start();
    await get(mock, '/syncz');
    expect(mock.verify({ isUnmatched: true, times: 1 })).toMatchObject([{ path: '/api/v1/syncz', status: 404 }]);
    expect(() => mock.verify({ operation: 'listSyncs' })).toThrow(/found 0[^]*listSyncs/);
    mock.journal.clear();
    expect(mock.journal.all()).toEqual([]);
  });
});

test('applies scenarios and settings; reset and restore undo them', async () => {
  const mock = start({ scenario: 'not-ready' });
  const ready = async () => (await clientOf(mock).account.status()).ready;
  expect(await ready()).toBe(false);
  mock.scenario('ready', 'future');
  mock.configure({ latencyMs: 1 });
  expect(await (await get(mock, '/me')).json()).toHaveProperty('addedLater');
  const name = mock.snapshot();
  mock.reset();
  expect(await ready()).toBe(false);
  mock.restore(name);
  expect(await (await get(mock, '/me')).json()).toHaveProperty('addedLater');
  expect(() => mock.restore('nothing')).toThrow(/snapshot-1/);
});

describe('outgoing posts', () => {
  test('go to the outbox with a valid signature', async () => {
    const mock = start();
    const headers = { Authorization: 'Bearer osapi_demo_write', 'Content-Type': 'application/json' };
    const body = JSON.stringify({ url: 'https://hooks.mine.example/x', enabledEvents: ['sync.failed'] });
    const created = await mock.fetch('/api/v1/webhooks', { method: 'POST', headers, body });
    const { secret } = await readJson(created);
    const { eventId } = mock.trigger('sync.failed', { reason: 'because' }, { summary: 'Told by a test' });
    await mock.settle();
    const [post, ...others] = mock.outbox.find({ kind: 'webhook', host: 'Hooks.Mine.example' });
    expect(others).toEqual([]);
    const verdict = await verifySignature({
      payload: post?.body ?? '',
      header: post?.headers['Service-Signature'],
      secrets: [secret],
      toleranceSeconds: 0,
      nowSeconds: mock.clock.now.getTime() / 1_000,
    });
    expect(verdict).toMatchObject({ valid: true });
    const expected = { id: eventId, type: 'sync.failed', summary: 'Told by a test', data: { reason: 'because' } };
    expect(JSON.parse(post?.body ?? '')).toMatchObject(expected);
    mock.outbox.clear();
    expect(mock.outbox.all()).toEqual([]);
  });

  test('go to the receiver of their host', async () => {
    const posts: string[] = [];
    const receiver = createServer((request, response) => {
      posts.push(`${request.method} ${request.url}`);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const address = receiver.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const mock = start({ receivers: { 'Hooks.Mine.example': `http://127.0.0.1:${port}/in/` } });
    const headers = { Authorization: 'Bearer osapi_demo_write', 'Content-Type': 'application/json' };
    const body = JSON.stringify({ url: 'https://hooks.mine.example/x?a=1' });
    await mock.fetch('/api/v1/webhooks', { method: 'POST', headers, body });
    mock.trigger('sync.recovered');
    await mock.settle();
    receiver.close();
    expect(posts).toEqual(['POST /in/x?a=1']);
    expect(mock.outbox.find({ host: 'hooks.mine.example' })).toMatchObject([{ status: 200, error: null }]);
  });
});

test('isolated worlds share nothing', async () => {
  const mock = start();
  const one = mock.worlds.create({ id: 'one', scenario: 'not-ready', now: '2026-01-01T00:00:00Z' });
  const two = mock.worlds.create();
  one.faults.add({ effect: { kind: 'status', status: 500 } });
  expect((await get(mock, '/me', one.keys.osapi_demo_read)).status).toBe(500);
  expect((await get(mock, '/me', two.keys.osapi_demo_read)).status).toBe(200);
  expect([one, two, mock].map((world) => world.journal.all().length)).toEqual([1, 1, 0]);
  expect([one.clock.now.getUTCFullYear(), two.clock.now.toISOString()]).toEqual([2026, NOW]);
  expect(() => mock.worlds.create({ id: 'one' })).toThrow(NewWorldError);
  one.delete();
  expect((await get(mock, '/me', one.keys.osapi_demo_read)).status).toBe(401);
});

test('the clock of a new world copies and checks its Date', () => {
  const mock = start();
  const now = new Date('2026-01-01T00:00:00Z');
  const { clock } = mock.worlds.create({ now });
  now.setUTCFullYear(2030);
  expect(clock.now.toISOString()).toBe('2026-01-01T00:00:00.000Z');
  expect(() => mock.worlds.create({ now: new Date('nonsense') })).toThrow(/^An instant must be a Date or an ISO-8601/);
});

test('rows created in several worlds get distinct keys and ingress codes', async () => {
  const mock = start();
  const worlds = [mock, mock.worlds.create({ id: 'a' }), mock.worlds.create({ id: 'b' })];
  for (const world of worlds) {
    const { token } = await world.db.apiKeys.create();
    const { path } = await world.db.sources.create();
    expect((await get(mock, '/me', token)).status).toBe(200);
    const post = { method: 'POST', body: '{}' };
    expect((await mock.fetch(`https://api.example.com/webhooks/${path}`, post)).status).toBe(200);
    world.verify({ operation: 'getMe', times: 1 });
    world.verify({ operation: 'inbound', times: 1 });
  }
});

test('refuses a key or an ingress code that another world holds', async () => {
  const mock = start();
  const [one, two] = [mock.worlds.create({ id: 'one' }), mock.worlds.create({ id: 'two' })];
  await one.db.apiKeys.create({ token: 'osapi_mine' });
  await one.db.sources.create({ path: 'mine' });
  await expect(two.db.apiKeys.create({ token: 'osapi_mine' })).rejects.toThrow(
    'token: osapi_mine is taken in the world one',
  );
  await expect(mock.db.sources.create({ path: 'mine' })).rejects.toThrow('path: mine is taken in the world one');
  const change = { data: (key: { token: string }) => void (key.token = 'osapi_mine') };
  await expect(two.db.apiKeys.update({ where: {} }, change)).rejects.toThrow('is taken in the world one');
  one.delete();
  expect((await two.db.apiKeys.create({ token: 'osapi_mine' })).token).toBe('osapi_mine');
});

test('latency and due work use real timers even when a test has installed fake ones', async () => {
  vi.useFakeTimers();
  try {
    const mock = start({ latencyMs: 5 });
    const server = await mock.listen();
    expect((await get(mock, '/me')).status).toBe(200);
    expect((await fetch(`${server.url}/api/v1/me`)).status).toBe(401);
    const body = '{}';
    await mock.fetch('https://api.example.com/webhooks/demo-smartlead', { method: 'POST', body });
    vi.useRealTimers();
    await expect.poll(() => mock.db.requests.findFirst()?.outcome).toBe('ignored');
  } finally {
    vi.useRealTimers();
  }
});

describe('listen', () => {
  test('serves the same world and its control endpoints on a port', async () => {
    const mock = start();
    const { url } = await mock.listen();
    const headers = { Authorization: `Bearer ${mock.keys.osapi_demo_read}` };
    expect((await fetch(`${url}/api/v1/me`, { headers })).status).toBe(200);
    expect(mock.verify({ operation: 'getMe', times: 1 })).toHaveLength(1);
    expect((await fetch(`${url}/__svc/health`)).status).toBe(200);
    const { sources } = await readJson(await get(mock, '/sources'));
    expect(sources[0].url).toMatch(new RegExp(`^${url}/webhooks/`));
    await mock.close();
    await expect(fetch(`${url}/health/live`)).rejects.toThrow('fetch failed');
  });

  test('answers still show baseUrl', async () => {
    const mock = start({ baseUrl: 'https://api.example.com' });
    const server = await mock.listen();
    const { sources } = await readJson(await get(mock, '/sources'));
    expect(sources[0].url).toMatch(/^https:\/\/api\.example\.com\/webhooks\//);
    await server.close();
    await server.close();
  });

  test('throws in browsers', async () => {
    const mock = createBrowserMock({ now: NOW });
    open.push(mock);
    expect((await get(mock, '/me')).status).toBe(200);
    await expect(mock.listen()).rejects.toThrow(/Node/);
  });
});

describe('faults.add refuses what the control endpoint refuses', () => {
  test.each([
    ['an unknown operation', { operations: ['listSync'], effect: { kind: 'hang' } }, 'Did you mean "listSyncs"?'],
    ['no effect', { times: 1 }, 'effect: is missing'],
    ['a status that is none', { effect: { kind: 'status', status: 99 } }, 'effect.status: '],
    ['an unknown effect', { effect: { kind: 'slow' } }, 'effect.kind: '],
    ['an unknown field', { nht: 2, effect: { kind: 'hang' } }, 'known: operations, key, host, nth, times'],
    ['a probability above 1', { probability: 50, effect: { kind: 'hang' } }, 'probability: '],
  ])('%s', async (_name, rule, text) => {
    const mock = start();
    const add = () => mock.faults.add(rule as never);
    expect(add).toThrow(expect.objectContaining({ statusCode: 400, message: expect.stringContaining(text) }));
    expect(mock.faults.list()).toEqual([]);
  });
});
