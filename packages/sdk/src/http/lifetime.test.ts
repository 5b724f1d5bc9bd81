import { describe, expect, test } from 'vitest';
import { createFakeService, hang, json, refusal } from '../../test/fake-service.ts';
import { AbortError, createClient } from '../index.ts';

const ME = { account: { id: 1 }, apiKey: {}, connections: [] };
const closed = { name: 'AbortError', message: 'The client was closed' };

describe('close', () => {
  test('aborts running calls and waits until they have ended', async () => {
    const service = createFakeService('hang');
    const client = createClient(service.options);
    const ended: unknown[] = [];
    const calls = [client.me.get(), client.raw.GET('/api/v1/me'), client.syncs.get(1).withResponse()];
    for (const call of calls) void call.catch((error: unknown) => ended.push(error));
    await expect.poll(() => service.requests.length).toBe(3);
    await client.close();
    expect(ended).toEqual(calls.map(() => expect.objectContaining({ ...closed, attempts: 1 })));
    expect(ended[0]).toBeInstanceOf(AbortError);
    expect(service.requests.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
  });

  test('later calls fail without a request', async () => {
    const service = createFakeService(json(ME));
    const client = createClient(service.options);
    await client.me.get();
    await client.close();
    await client.close();
    await expect(client.me.get()).rejects.toMatchObject({ ...closed, attempts: 0 });
    await expect(client.raw.GET('/api/v1/me')).rejects.toMatchObject(closed);
    await expect(client.syncs.list({ from: '2026-02-01' }).toArray()).rejects.toMatchObject(closed);
    expect(service.requests).toHaveLength(1);
  });

  test('a call that waits for a retry fails, and the caller sees one error', async () => {
    const { sleep: _fake, ...options } = createFakeService(refusal(503, 'x')).options;
    let client = createClient(options);
    const waiting = new Promise<void>((resolve) => {
      client = createClient({ ...options, onRetry: () => resolve() });
    });
    const call = client.me.get();
    const outcome = call.catch((error: unknown) => error);
    await waiting;
    await client.close();
    expect(await outcome).toMatchObject({ ...closed, attempts: 1 });
  });

  test('a tail ends between two polls', async () => {
    const service = createFakeService(json({ data: [], hasMore: false, nextCursor: null }));
    let isWaiting = false;
    const client = createClient({
      ...service.options,
      sleep: (_ms, signal) => {
        isWaiting = true;
        return hang(new Request('http://svc.test', signal === undefined ? {} : { signal }));
      },
    });
    const next = client.syncs.tail().next();
    const outcome = next.catch((error: unknown) => error);
    await expect.poll(() => isWaiting).toBe(true);
    await client.close();
    expect(await outcome).toMatchObject({ name: 'AbortError', message: 'The tail was aborted', cause: closed });
  });

  test("the caller's own signal is still the reason when it fired first", async () => {
    const client = createClient(createFakeService('hang').options);
    const controller = new AbortController();
    const outcome = client.me.get({ signal: controller.signal }).catch((error: unknown) => error);
    controller.abort(new Error('mine'));
    await client.close();
    expect(await outcome).toMatchObject({ message: 'The call was aborted', cause: new Error('mine') });
  });

  test('await using closes the client at the end of the block', async () => {
    const service = createFakeService(json(ME));
    let outside: ReturnType<typeof createClient>;
    {
      await using client = createClient(service.options);
      outside = client;
      await client.me.get();
    }
    await expect(outside.me.get()).rejects.toMatchObject(closed);
  });

  test('a failed call that nobody awaits is still an unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    void createClient(createFakeService(refusal(404, 'gone')).options).syncs.get(1);
    await expect.poll(() => unhandled.length).toBe(1);
    process.off('unhandledRejection', note);
  });
});
