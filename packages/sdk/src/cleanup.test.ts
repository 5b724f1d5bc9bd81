/** A finished call leaves no request, open body, listener or timer behind. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createFakeService, hang, json } from '../test/fake-service.ts';
import { createClient, InvalidResponseError } from './index.ts';

const ME = { account: { id: 1 }, apiKey: {}, connections: [] };
const page = (cursor: string | null) =>
  json({ data: [{ id: 1, createdAt: '' }], hasMore: cursor !== null, nextCursor: cursor });

describe('a list with prefetch', () => {
  test('leaving the loop aborts the request for the next page', async () => {
    const service = createFakeService(page('a'), 'hang');
    const list = createClient(service.options).events.list({ prefetch: true });
    for await (const _row of list) {
      await expect.poll(() => service.requests.length).toBe(2);
      break;
    }
    expect(service.requests.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  });

  test('leaving the loop aborts a wait for the rate limit, also over a range', async () => {
    const service = createFakeService(page('a'), json({}, 429, { 'retry-after': '60' }));
    let waited: AbortSignal | undefined;
    const client = createClient({
      ...service.options,
      sleep: (_ms, signal) => {
        waited = signal;
        return hang(new Request('http://svc.test', signal === undefined ? {} : { signal }));
      },
    });
    for await (const _page of client.syncs.list({ from: '2026-02-01', prefetch: true }).pages()) {
      await expect.poll(() => waited?.aborted).toBe(false);
      break;
    }
    expect(waited?.aborted).toBe(true);
  });

  test("the caller's signal still aborts it and has no listeners afterwards", async () => {
    const service = createFakeService(page('a'), page('b'), 'hang');
    const stop = new AbortController();
    const list = createClient(service.options).events.list({ prefetch: true }, { signal: stop.signal });
    let rows = 0;
    const read = async () => {
      for await (const _row of list) {
        rows += 1;
        if (rows === 2) stop.abort(new Error('enough'));
      }
    };
    await expect(read()).rejects.toMatchObject({
      name: 'AbortError',
      cause: { message: 'enough' },
      resume: { cursor: 'b' },
    });
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  test('a signal that outlives a thousand pages keeps no listeners', async () => {
    let pages = 0;
    const service = createFakeService(() => page((pages += 1) < 1_000 ? `${pages}` : null));
    const { signal } = new AbortController();
    const list = createClient(service.options).events.list({ prefetch: true }, { signal });
    let most = 0;
    for await (const _row of list) most = Math.max(most, getEventListeners(signal, 'abort').length);
    expect(pages).toBe(1_000);
    expect(most).toBeLessThan(5);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('an answer', () => {
  test('cancels the body of an answer with an undefined status', async () => {
    let isCancelled = false;
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
    // No constructor creates such a response, but node:http accepts one from a server.
    const odd = Object.defineProperty(new Response(body), 'status', { value: 999 });
    const service = createFakeService(() => odd);
    await expect(createClient(service.options).me.get()).rejects.toBeInstanceOf(InvalidResponseError);
    expect(isCancelled).toBe(true);
  });

  test('leaves no listener on a signal that outlives the call', async () => {
    const { signal } = new AbortController();
    const client = createClient(createFakeService(json(ME)).options);
    for (let call = 0; call < 20; call += 1) await client.me.get({ signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('leaves no timer when the answer comes in time', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const client = createClient({ ...createFakeService(json(ME)).options, timeoutMs: 60_000 });
    await client.me.get();
    expect(timers()).toBe(before);
  });
});
