/** What a call leaves behind when it is over: no request that nobody waits for, no open body, no listener, no timer. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createFakeService, hang, json } from '../test/fake-service.ts';
import { createClient, InvalidResponseError } from './index.ts';

const ME = { account: { id: 1 }, apiKey: {}, connections: [] };
const page = (cursor: string | null) =>
  json({ data: [{ id: 1, createdAt: '' }], hasMore: cursor !== null, nextCursor: cursor });

describe('a list with prefetch', () => {
  test('a loop that is left ends the request for the next page', async () => {
    const service = createFakeService(page('a'), 'hang');
    const list = createClient(service.options).events.list({ prefetch: true });
    for await (const _row of list) {
      await expect.poll(() => service.requests.length).toBe(2);
      break;
    }
    expect(service.requests.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  });

  test('a loop over a range too, also in the middle of a wait for the rate limit', async () => {
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

  test("the caller's own signal still ends it, and has no listeners afterwards", async () => {
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
  test('of a status that is none is let go with its body', async () => {
    let isCancelled = false;
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
    // No constructor makes one; node:http takes it from a server all the same.
    const odd = Object.defineProperty(new Response(body), 'status', { value: 999 });
    const service = createFakeService(() => odd);
    await expect(createClient(service.options).me.get()).rejects.toBeInstanceOf(InvalidResponseError);
    expect(isCancelled).toBe(true);
  });

  test('leaves no listener on a signal that outlives it', async () => {
    const { signal } = new AbortController();
    const client = createClient(createFakeService(json(ME)).options);
    for (let call = 0; call < 20; call += 1) await client.me.get({ signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('that comes in time leaves no timer', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const client = createClient({ ...createFakeService(json(ME)).options, timeoutMs: 60_000 });
    await client.me.get();
    expect(timers()).toBe(before);
  });
});

describe('options that are given as undefined', () => {
  test('are those that are left out, also where a method has its own default', async () => {
    const service = createFakeService(json({ status: 'error' }, 503));
    const { discovery } = createClient(service.options);
    await expect(discovery.ready({ maxRetries: undefined })).rejects.toMatchObject({ attempts: 1 });
    await expect(discovery.live({ maxRetries: undefined, timeoutMs: undefined })).rejects.toMatchObject({
      attempts: 1,
    });
    await expect(discovery.live({ maxRetries: 1 })).rejects.toMatchObject({ attempts: 2 });
  });
});

describe('headerPrefix', () => {
  test.each(['Acme', 'Acme-'])('%s reads Acme-Request-Id', async (headerPrefix) => {
    const service = createFakeService(json(ME, 200, { 'Acme-Request-Id': 'req-1' }));
    const { requestId } = await createClient({ ...service.options, headerPrefix })
      .me.get()
      .withResponse();
    expect(requestId).toBe('req-1');
  });

  test.each(['', 'Ac me', 'Acme:'])('"%s" is refused before anything is sent', (headerPrefix) => {
    const { options } = createFakeService(json(ME));
    expect(() => createClient({ ...options, headerPrefix })).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining('headerPrefix') }),
    );
  });
});

describe('resyncAndWait', () => {
  test.each([Number.POSITIVE_INFINITY, 2 ** 31])(
    'pollMs %d, which a timer cannot count, is refused',
    async (pollMs) => {
      const service = createFakeService(json({ id: 1 }));
      const call = createClient(service.options).blocklists.resyncAndWait(1, { pollMs });
      await expect(call).rejects.toMatchObject({ name: 'ConfigurationError', attempts: 0 });
      expect(service.requests).toHaveLength(0);
    },
  );
});
