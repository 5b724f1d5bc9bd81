import { describe, expect, test } from 'vitest';
import { createDemoWorld, DEPS } from '../../test/support/demo.ts';
import type { MockRequest } from '../service/call.ts';
import { handle } from '../service/handle.ts';
import type { FaultEffect } from '../state/fault.ts';
import { entriesOf } from '../state/history.ts';
import { update, type World } from '../state/world.ts';
import { createMockFetch } from './fetch.ts';

const ME = 'http://api.example.com/api/v1/me';
const withKey = { headers: { Authorization: 'Bearer osapi_demo_read' } };

/** Timers that the test fires. */
function manualTimers() {
  const waiting = new Set<() => void>();
  const delays: number[] = [];
  return {
    waiting,
    delays,
    setTimer(callback: () => void, delayMs: number) {
      waiting.add(callback);
      delays.push(delayMs);
      return () => void waiting.delete(callback);
    },
  };
}

function at(world: World) {
  return { handle: (request: MockRequest) => handle(world, request, DEPS), baseUrl: () => DEPS.urls.api };
}

function start(effect?: FaultEffect, world: World = createDemoWorld()) {
  if (effect !== undefined) update(world, { faults: [{ id: 'f', effect, matchedCount: 0, hitCount: 0 }] });
  const timers = manualTimers();
  const fetch = createMockFetch({ ...at(world), setTimer: timers.setTimer });
  return { fetch, world, timers, journal: () => entriesOf(world.state.journal) };
}

describe('input', () => {
  test.each([
    ['a string', ME, withKey],
    ['a URL', new URL(ME), withKey],
    ['a Request', new Request(ME, withKey), undefined],
    ['a Request and other headers', new Request(ME), withKey],
    ['an address of another origin', 'https://elsewhere.example.org/api/v1/me', withKey],
    ['a relative address', '/api/v1/me', withKey],
  ])('%s', async (_name, input, init) => {
    const response = await start().fetch(input, init);
    expect([response.status, response.ok]).toEqual([200, true]);
    expect(response.url).toMatch(/\/api\/v1\/me$/);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('service-request-id')).toMatch(/^[\w-]{36}$/);
    expect(await response.json()).toHaveProperty('account');
  });

  test('passes query, method, headers and body on', async () => {
    const { fetch, journal } = start();
    await fetch('/api/v1/syncs?a=b%20c&a=d#part', { method: 'HEAD' });
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"a":'));
        controller.enqueue(new TextEncoder().encode('1}'));
        controller.close();
      },
    });
    const init = { method: 'POST', body: stream, duplex: 'half', headers: { 'X-Test': 'y' } } as const;
    await fetch('http://api.example.com/webhooks/x', init);
    expect(journal()).toMatchObject([
      { method: 'HEAD', path: '/api/v1/syncs', query: { a: ['b c', 'd'] } },
      { method: 'POST', path: '/webhooks/x', body: { a: 1 }, headers: { 'x-test': 'y' } },
    ]);
  });

  test('serves an API below a base path', async () => {
    const fetch = createMockFetch({ ...at(createDemoWorld()), baseUrl: () => 'https://example.com/svc/' });
    expect((await fetch('https://example.com/svc/health/live')).status).toBe(200);
    expect((await fetch('https://example.com/health/live')).status).toBe(200);
    expect((await fetch('https://example.com/svcx/health/live')).status).toBe(404);
  });

  test('throws TypeError for what fetch refuses', async () => {
    const { fetch, journal } = start();
    await expect(fetch('http://')).rejects.toThrow(TypeError);
    await expect(fetch('/x', { method: 'a b' })).rejects.toThrow(TypeError);
    expect(journal()).toEqual([]);
  });
});

describe('faults', () => {
  test('status: answers it', async () => {
    const response = await start({ kind: 'status', status: 503, retryAfterSeconds: 3 }).fetch(ME, withKey);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3']);
    const empty = await start({ kind: 'status', status: 204, body: 'x' }).fetch(ME, withKey);
    expect([empty.status, await empty.text()]).toEqual([204, '']);
  });

  test('latency: answers when the timer fires', async () => {
    const { fetch, timers } = start({ kind: 'latency', latencyMs: 5_000 });
    let isAnswered = false;
    const answer = fetch(ME, withKey).then((response) => {
      isAnswered = true;
      return response;
    });
    await expect.poll(() => timers.delays).toEqual([5_000]);
    expect(isAnswered).toBe(false);
    for (const fire of timers.waiting) fire();
    expect((await answer).status).toBe(200);
  });

  test('reset: throws as fetch does', async () => {
    const error = await start({ kind: 'reset' })
      .fetch(ME, withKey)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET', syscall: 'read' } });
  });

  test('truncate: the body breaks off after some bytes', async () => {
    const response = await start({ kind: 'truncate', bytes: 12 }).fetch(ME, withKey);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toBe('{"account":{');
    await expect(reader?.read()).rejects.toMatchObject({ message: 'terminated', cause: { code: 'ECONNRESET' } });
    await expect((await start({ kind: 'truncate' }).fetch(ME, withKey)).json()).rejects.toThrow(TypeError);
    await expect((await start({ kind: 'truncate', bytes: 0 }).fetch(ME, withKey)).text()).rejects.toThrow('terminated');
  });
});

describe('an abort', () => {
  const abortOf = (promise: Promise<Response>) => promise.catch((thrown: unknown) => thrown);

  test('before the call: the call is not made', async () => {
    const { fetch, journal } = start();
    const error = await abortOf(fetch(ME, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(journal()).toEqual([]);
  });

  test('while the body is read: the call is not made', async () => {
    const { fetch, journal } = start();
    const controller = new AbortController();
    const init = { method: 'POST', body: new ReadableStream(), duplex: 'half', signal: controller.signal } as const;
    const aborted = abortOf(fetch(ME, init));
    controller.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    expect(journal()).toEqual([]);
  });

  test('during latency: cancels the timer', async () => {
    const { fetch, timers } = start({ kind: 'latency', latencyMs: 5_000 });
    const controller = new AbortController();
    const aborted = abortOf(fetch(ME, { ...withKey, signal: controller.signal }));
    await expect.poll(() => timers.waiting.size).toBe(1);
    controller.abort();
    expect(await aborted).toMatchObject({ name: 'AbortError' });
    expect(timers.waiting.size).toBe(0);
  });

  test('during a hang: rejects with the reason', async () => {
    const { fetch, journal } = start({ kind: 'hang' });
    const controller = new AbortController();
    const aborted = abortOf(fetch(new Request(ME, { signal: controller.signal })));
    await expect.poll(() => journal().length).toBe(1);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    expect(journal()).toMatchObject([{ status: null }]);
  });
});
