import { expect, test } from 'vitest';
import { CONCURRENCY, createConcurrencyLimit } from './concurrency-limit.ts';

/** Starts tasks that end when the test says so. */
function start(tasks: number) {
  let nowMs = 0;
  const limit = createConcurrencyLimit(() => nowMs);
  const open: (() => void)[] = [];
  for (let index = 0; index < tasks; index += 1) {
    void limit.run(() => new Promise<void>((resolve) => open.push(resolve)));
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    settle,
    busy: () => open.length,
    async answer(count: number) {
      for (let index = 0; index < count; index += 1) {
        open.shift()?.();
        await settle();
      }
    },
    async until(ms: number) {
      nowMs = ms;
    },
  };
}

test('the first task runs alone; after its answer the full limit applies', async () => {
  const limit = start(20);
  await limit.settle();
  expect(limit.busy()).toBe(1);
  await limit.answer(1);
  expect(limit.busy()).toBe(CONCURRENCY);
  await limit.answer(19);
  expect(limit.busy()).toBe(0);
});

test('one task at a time runs near the end of a window; the full limit applies again once no rate limit was met', async () => {
  const limit = start(700);
  await limit.settle();
  await limit.answer(592);
  for (let request = 593; request <= 601; request += 1) {
    expect(limit.busy()).toBe(1);
    await limit.answer(1);
  }
  expect(limit.busy()).toBe(CONCURRENCY);
});

test('a new window counts from zero', async () => {
  const limit = start(700);
  await limit.settle();
  await limit.answer(592);
  expect(limit.busy()).toBe(1);
  await limit.until(60_000);
  await limit.answer(1);
  expect(limit.busy()).toBe(CONCURRENCY);
});

test('a failed task frees its slot', async () => {
  const limit = createConcurrencyLimit(() => 0);
  await expect(limit.run(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await limit.run(async () => 7)).toBe(7);
});
