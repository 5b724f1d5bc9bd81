import { describe, expect, test } from 'vitest';
import { ConfigurationError, createMemorySeenStore, type MemorySeenStoreOptions } from './index.ts';

function start(options: MemorySeenStoreOptions = {}) {
  const clock = { ms: 0 };
  const store = createMemorySeenStore({ now: () => clock.ms, ...options });
  const handle = async (id: string) => {
    expect(await store.claim(id)).toBe('claimed');
    await store.complete(id);
  };
  return { clock, store, handle };
}

describe('createMemorySeenStore', () => {
  test('a claim is busy until it is completed or released', async () => {
    const { store } = start();
    expect(await store.claim('a')).toBe('claimed');
    expect(await store.claim('a')).toBe('busy');
    expect(await store.claim('b')).toBe('claimed');
    await store.release('a');
    expect(await store.claim('a')).toBe('claimed');
    await store.complete('a');
    expect(await store.claim('a')).toBe('done');
    await store.release('a');
    expect(await store.claim('a')).toBe('done');
  });

  test('ids are forgotten after ttlMs', async () => {
    const { store, clock, handle } = start({ ttlMs: 1000 });
    await handle('a');
    clock.ms = 999;
    expect(await store.claim('a')).toBe('done');
    clock.ms = 1000;
    expect(await store.claim('a')).toBe('claimed');
  });

  test('ids are kept for a day by default', async () => {
    const { store, clock, handle } = start();
    await handle('a');
    clock.ms = 86_399_999;
    expect(await store.claim('a')).toBe('done');
    clock.ms = 86_400_000;
    expect(await store.claim('a')).toBe('claimed');
  });

  test('keeps maxIds ids and forgets the one handled first, but no claimed one', async () => {
    const { store, handle } = start({ maxIds: 2 });
    expect(await store.claim('slow')).toBe('claimed');
    for (const id of ['a', 'b', 'c']) await handle(id);
    expect(await store.claim('slow')).toBe('busy');
    expect(await store.claim('b')).toBe('done');
    expect(await store.claim('c')).toBe('done');
    expect(await store.claim('a')).toBe('claimed');
  });

  test.each<MemorySeenStoreOptions>([{ maxIds: 0 }, { maxIds: Number.NaN }, { ttlMs: 0 }, { ttlMs: Number.NaN }])(
    'refuses %o',
    (options) => {
      expect(() => createMemorySeenStore(options)).toThrow(ConfigurationError);
    },
  );
});
