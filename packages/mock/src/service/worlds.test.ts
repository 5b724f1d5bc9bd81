/** Isolated worlds: how calls find them, and what they share. */
import { readFileSync } from 'node:fs';
import { toBranding } from '@svc/domain/pages/branding';
import { parseWorld } from '@svc/domain/world';
import { describe, expect, test } from 'vitest';
import { NOW, toRequest } from '../../test/support/demo.ts';
import { smartleadEvent } from '../../test/support/payloads.ts';
import { createMock } from '../index.ts';
import { readClock } from '../state/clock.ts';
import { applyScenarios } from '../state/scenarios.ts';
import { resetWorld } from '../state/snapshots.ts';
import type { World } from '../state/world.ts';
import type { MockRequest } from './call.ts';
import { createEngine, type EngineOptions } from './engine.ts';
import { handle } from './handle.ts';
import { createWorlds, type WorldsOptions } from './worlds.ts';

const FILE = parseWorld(
  JSON.parse(readFileSync(new URL('../../../../fixtures/demo-world.json', import.meta.url), 'utf8')),
);

function worldsOf(options: Partial<WorldsOptions> = {}) {
  return createWorlds({ file: FILE, realNow: () => NOW, now: NOW, ...options });
}

function coreOf(options: Partial<EngineOptions> = {}) {
  return createEngine({
    file: FILE,
    now: NOW,
    realNow: () => NOW,
    setTimer: () => () => {},
    post: () => Promise.resolve({ status: 200, error: null }),
    reportError: (error) => {
      throw error;
    },
    baseUrl: 'http://127.0.0.1:4010',
    ...options,
  });
}

function answer(engine: ReturnType<typeof coreOf>, request: MockRequest) {
  const outcome = engine.handle(request);
  if (outcome.kind !== 'answer') throw new Error(outcome.kind);
  return { status: outcome.answer.status, json: JSON.parse(outcome.answer.body) };
}

describe('a new world', () => {
  test('has a key of its own for each key of the file', () => {
    const worlds = worldsOf();
    const [one, two] = [worlds.create(), worlds.create()];
    expect(Object.keys(one.keys).toSorted()).toEqual(FILE.apiKeys.map(({ token }) => token).toSorted());
    const tokens = [...Object.keys(one.keys), ...Object.values(one.keys), ...Object.values(two.keys)];
    expect(new Set(tokens).size).toBe(3 * FILE.apiKeys.length);
    for (const [token, own] of Object.entries(one.keys)) {
      expect(own).toMatch(/^osapi_demo_/);
      expect(worlds.of(toRequest('/api/v1/me', { key: own }))).toBe(one.world);
      expect(worlds.of(toRequest('/api/v1/me', { key: token }))).toBe(worlds.default);
    }
    expect(worlds.of(toRequest('/api/v1/me', { key: two.keys['osapi_demo_read'] ?? '' }))).toBe(two.world);
  });

  test('is found by its key first, then by the Svc-World header', () => {
    const worlds = worldsOf();
    const { world, keys } = worlds.create();
    const other = worlds.create({ id: 'other' });
    const authorization = `bearer  ${keys['osapi_demo_read']}`;
    const of = (headers: Record<string, string>) => worlds.of(toRequest('/api/v1/me', { key: null, headers }));
    expect(of({ authorization, 'svc-world': 'other' })).toBe(world);
    expect(of({ 'svc-world': 'other' })).toBe(other.world);
    expect(of({ authorization: 'Bearer osapi_unknown', 'svc-world': 'other' })).toBe(other.world);
    expect(of({ authorization: 'Bearer osapi_unknown' })).toBe(worlds.default);
    expect(of({ authorization, 'svc-world': 'nobody' })).toBe(world);
    for (const name of ['nobody', '__proto__', '']) {
      expect(() => of({ 'svc-world': name })).toThrow(
        `World ${JSON.stringify(name)} does not exist. Worlds: default, ${world.id}, other`,
      );
    }
  });

  test('an API call for a world that does not exist is answered 404 and changes no world', async () => {
    const engine = coreOf();
    const before = engine.worlds.default.state;
    const headers = { 'svc-world': 'mine' };
    const post = { method: 'POST', key: null, body: smartleadEvent('EMAIL_SENT'), headers };
    for (const request of [
      toRequest('/health/live', { key: null, headers }),
      toRequest('/api/v1/me', { key: 'osapi_unknown', headers }),
      toRequest('/webhooks/demo-smartlead-mine', post),
    ]) {
      expect(answer(engine, request)).toEqual({
        status: 404,
        json: { statusCode: 404, message: 'World "mine" does not exist. Worlds: default', error: 'Not Found' },
      });
    }
    expect(engine.worlds.default.state).toBe(before);
    const mock = createMock();
    expect((await mock.fetch('/health/live', { headers })).status).toBe(404);
    await mock.close();
  });

  test('the hint of a 401 names the deleted world of a key, also in another world', () => {
    const engine = coreOf();
    engine.worlds.create({ id: 'mine' });
    const request = toRequest('/api/v1/me', { key: 'osapi_demo_write_a_b', headers: { 'svc-world': 'mine' } });
    const outcome = engine.handle(request);
    const hint = outcome.kind === 'answer' ? outcome.answer.headers['Svc-Mock-Hint'] : '';
    expect(hint).toMatch(/^The key is one of world "a_b", .* Keys of world "mine": osapi_demo_write_mine, /);
  });

  test('is found by its revoked keys too', () => {
    const worlds = worldsOf();
    const { world, keys } = worlds.create({ scenarios: ['revoked-key'] });
    expect(worlds.of(toRequest('/api/v1/me', { key: keys['osapi_demo_read'] ?? '' }))).toBe(world);
  });

  test('has ingress codes of its own, shown in `source.url`', () => {
    const engine = coreOf();
    const { world, keys } = engine.worlds.create();
    const { sources } = answer(engine, toRequest('/api/v1/sources', { key: keys['osapi_demo_read'] ?? '' })).json;
    const before = world.state.data.requests.length;
    for (const { url } of sources) {
      const target = new URL(url).pathname;
      expect(
        answer(engine, toRequest(target, { method: 'POST', key: null, body: smartleadEvent('EMAIL_SENT') })).status,
      ).toBe(200);
    }
    expect(world.state.data.requests.length - before).toBe(sources.length);
    expect(engine.worlds.default.state.data.requests).toBe(engine.worlds.default.initial.data.requests);
    const post = toRequest('/webhooks/demo-smartlead', { method: 'POST', key: null, body: '{}' });
    expect(engine.worlds.of(post)).toBe(engine.worlds.default);
  });

  test("starts with the mock's options or its own, and a reset restores them", () => {
    const worlds = worldsOf({ scenarios: ['slow'], settings: { scanCap: 7 } });
    const plain = worlds.create().world;
    expect(plain.state.settings).toMatchObject({ latencyMs: 1_500, scanCap: 7, scenarios: ['slow'] });
    const later = new Date('2026-05-01T00:00:00.000Z');
    const own = worlds.create({ now: later, scenarios: ['future'], settings: { rateLimit: 'spec' }, seed: 9 }).world;
    expect(own.state).toMatchObject({ clock: { mode: 'frozen', at: later }, randomState: 9 });
    expect(own.state.settings).toMatchObject({ latencyMs: 0, isFuture: true, rateLimit: 'spec', scanCap: 7 });
    const { initial } = own;
    applyScenarios(own, ['empty'], { now: later });
    resetWorld(own);
    expect(own.state).toEqual(initial);
    expect(worlds.create({ now: null }).world.state.clock).toEqual({ mode: 'running', offsetMs: 0 });
  });

  test('refuses an id that is taken or malformed', () => {
    const worlds = worldsOf();
    expect(worlds.create({ id: 'a-B_9' }).world.id).toBe('a-B_9');
    expect(() => worlds.create({ id: 'a-B_9' })).toThrow('A world "a-B_9" exists already');
    expect(() => worlds.create({ id: 'default' })).toThrow('exists already');
    for (const id of ['', 'a b', 'x'.repeat(33), 'a/b'])
      expect(() => worlds.create({ id })).toThrow("A world's id must be 1 to 32");
    expect(worlds.list().map((world) => world.id)).toEqual(['default', 'a-B_9']);
  });

  test('cannot exceed worldsMax; deleting one makes room', () => {
    const ended: string[] = [];
    const worlds = worldsOf({
      worldsMax: 2,
      onWorld:
        ({ id }) =>
        () =>
          ended.push(id),
    });
    const { keys } = worlds.create({ id: 'one' });
    worlds.create({ id: 'two' });
    expect(() => worlds.create()).toThrow('There are 2 worlds already: delete worlds that are no longer used.');
    expect(worlds.delete('one')).toBe(true);
    expect([worlds.delete('one'), worlds.delete('default')]).toEqual([false, false]);
    expect(ended).toEqual(['one']);
    expect(worlds.get('one')).toBeUndefined();
    expect(worlds.of(toRequest('/api/v1/me', { key: keys['osapi_demo_read'] ?? '' }))).toBe(worlds.default);
    worlds.create();
  });
});

describe('what worlds share', () => {
  test('200 worlds share their rows, and changes stay in one world', () => {
    const engine = coreOf();
    const startedMs = performance.now();
    const all = Array.from({ length: 200 }, () => engine.worlds.create());
    console.log(`a world: ${((performance.now() - startedMs) / all.length).toFixed(2)} ms`);
    const shared = engine.worlds.default.state.data;
    for (const { world } of all) {
      const { data } = world.state;
      for (const kind of [
        'requests',
        'syncs',
        'deliveries',
        'events',
        'webhookDeliveries',
        'connections',
        'webhooks',
        'jobs',
      ] as const) {
        expect(data[kind]).toBe(shared[kind]);
      }
    }
    const [first, second] = all;
    if (first === undefined || second === undefined) throw new Error('no worlds');
    const { url } = answer(engine, toRequest('/api/v1/sources', { key: first.keys['osapi_demo_read'] ?? '' })).json
      .sources[0];
    engine.handle(toRequest(new URL(url).pathname, { method: 'POST', key: null, body: smartleadEvent('EMAIL_SENT') }));
    expect(first.world.state.data.requests.length).toBe(shared.requests.length + 1);
    expect(first.world.state.data.requests.chunks[0]).toBe(shared.requests.chunks[0]);
    expect(second.world.state.data.requests).toBe(shared.requests);
    expect(first.world.state.data.syncs).toBe(shared.syncs);
  });

  test('running clock: rows up to five seconds old are shared', () => {
    let now = NOW;
    const worlds = createWorlds({ file: FILE, realNow: () => now });
    const dataOf = (world: World) => world.state.data.syncs;
    now = new Date(NOW.getTime() + 5_000);
    expect(dataOf(worlds.create().world)).toBe(dataOf(worlds.default));
    now = new Date(NOW.getTime() + 5_001);
    expect(dataOf(worlds.create().world)).not.toBe(dataOf(worlds.default));
  });

  test('frozen clock: rows are exactly those of its instant, and shared by worlds of the same instant', () => {
    const at = (ms: number) => new Date(NOW.getTime() + ms);
    const worlds = worldsOf();
    const alone = worldsOf({ now: at(3_000) }).default.state.data;
    expect(worlds.create({ now: at(3_000) }).world.state.data.syncs).toEqual(alone.syncs);
    const [one, , two] = [worlds.create({ now: at(1) }), worlds.create({ now: at(2) }), worlds.create({ now: at(1) })];
    expect(one?.world.state.data.syncs).toBe(two?.world.state.data.syncs);
  });

  test("mocks with the same prefixes share rows; keys and secrets have the mock's prefixes", () => {
    const dataOf = (prefixes: Parameters<typeof toBranding>[0]) =>
      worldsOf({ branding: toBranding(prefixes) }).default.state.data;
    const acme = dataOf({ keyPrefix: 'acme_' });
    expect(dataOf({ keyPrefix: 'acme_' }).syncs).toBe(acme.syncs);
    const beginnings = (['acme_', 'other_'] as const).map((prefix) => {
      const { apiKeys, webhooks } = dataOf({ keyPrefix: 'acme_', secretPrefix: prefix });
      return [apiKeys[0]?.token.slice(0, 6), webhooks[0]?.secret.slice(0, prefix.length)];
    });
    expect(beginnings).toEqual([
      ['acme_d', 'acme_'],
      ['acme_d', 'other_'],
    ]);
    expect(dataOf({}).apiKeys[0]?.token).toBe(FILE.apiKeys[0]?.token);
  });

  test('large: 50 worlds share the rows', () => {
    const worlds = worldsOf({ scenarios: ['large'] });
    for (let count = 0; count < 50; count += 1) {
      expect(worlds.create().world.state.data.syncs).toBe(worlds.default.state.data.syncs);
    }
    const running = createWorlds({ file: FILE, realNow: () => new Date(NOW.getTime() + 9_000), scenarios: ['large'] });
    const rows = (world: World) => world.state.data.syncs.chunks.flat();
    expect(rows(running.default).at(-40)).toBe(rows(worlds.default).at(-40));
  });
});

describe('chance', () => {
  const ids = (seed: number) => {
    const engine = coreOf({ seed });
    const body = JSON.stringify({ url: 'https://a.example.com/x' });
    const headers = { 'content-type': 'application/json' };
    const post = toRequest('/api/v1/webhooks', { method: 'POST', key: 'osapi_demo_write', body, headers });
    return [answer(engine, post).json, answer(engine, post).json].map(({ id, secret }) => [id, secret]);
  };

  test('the same seed and calls give the same ids and secrets, another seed others', () => {
    expect(ids(1)).toEqual(ids(1));
    expect(new Set([...ids(1), ...ids(2)].flat()).size).toBe(8);
  });

  test('a reset restores the random state, so that probability faults hit the same calls', () => {
    const { default: world } = worldsOf({ seed: 5, scenarios: ['flaky'] });
    world.initial = world.state;
    const deps = { realNow: () => NOW, urls: { api: '', sync: '', dashboard: '', docs: '' } };
    const run = () =>
      Array.from({ length: 80 }, () => handle(world, toRequest('/api/v1/me'), deps).kind + world.state.randomState);
    const first = run();
    resetWorld(world);
    expect(run()).toEqual(first);
  });
});

test('each world has its own clock', async () => {
  const engine = coreOf();
  const { world } = engine.worlds.create();
  await engine.advance(world, 60_000);
  expect(engine.now(world)).toEqual(new Date(NOW.getTime() + 60_000));
  expect(engine.now(engine.worlds.default)).toEqual(NOW);
  engine.resume(world);
  expect(readClock(world.state.clock, () => NOW)).toEqual(new Date(NOW.getTime() + 60_000));
  engine.freeze(world, new Date(0));
  expect(engine.now(world)).toEqual(new Date(0));
});
