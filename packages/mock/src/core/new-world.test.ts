import { describe, expect, test } from 'vitest';
import { ask, createDemoWorld, NOW, read } from '../../test/demo.ts';
import { freezeAt } from './clock.ts';
import { copyWorld } from './new-world.ts';
import { update, updateData } from './world.ts';

describe('copyWorld', () => {
  const rename = { id: 'copy', tokens: (token: string) => token.replace('osapi_', 'osapi_copy_') };

  test('begins as the world began, with keys of its own', () => {
    const world = createDemoWorld();
    ask(world, '/api/v1/me');
    updateData(world, { sources: [] });
    update(world, { clock: freezeAt(new Date(NOW.getTime() + 1)) });
    const copy = copyWorld(world, rename);
    expect(copy.id).toBe('copy');
    expect(copy.state.journal.length).toBe(0);
    expect(copy.state.clock).toEqual(freezeAt(NOW));
    expect(ask(copy, '/api/v1/me').status).toBe(401);
    expect(read(copy, '/api/v1/sources', 'osapi_copy_demo_read').sources.length).toBeGreaterThan(0);
    expect(ask(copy, '/api/v1/me', { key: 'osapi_copy_demo_revoked' }).status).toBe(401);
    expect(ask(world, '/api/v1/me', { key: 'osapi_copy_demo_read' }).status).toBe(401);
  });

  test('shares every row but the keys, and no change', () => {
    const world = createDemoWorld();
    const copy = copyWorld(world, rename);
    const { apiKeys, ...shared } = world.state.data;
    const { apiKeys: _keys, ...sharedByCopy } = copy.state.data;
    expect(Object.values(sharedByCopy).every((rows, index) => rows === Object.values(shared)[index])).toBe(true);
    expect(apiKeys).toHaveLength(copy.state.data.apiKeys.length);
    updateData(copy, { sources: [] });
    expect(read(world, '/api/v1/sources').sources.length).toBeGreaterThan(0);
    expect(copy.initial.data.sources).toBe(world.state.data.sources);
  });

  test('two hundred copies take well under 5 ms each', () => {
    const world = createDemoWorld();
    const startedMs = performance.now();
    const copies = Array.from({ length: 200 }, (_, index) =>
      copyWorld(world, { id: `w${index}`, tokens: (token) => `${token}_${index}` }),
    );
    expect((performance.now() - startedMs) / copies.length).toBeLessThan(5);
    expect(ask(copies[7] ?? world, '/api/v1/me', { key: 'osapi_demo_read_7' }).status).toBe(200);
    expect(ask(copies[7] ?? world, '/api/v1/me', { key: 'osapi_demo_read_8' }).status).toBe(401);
  });
});
