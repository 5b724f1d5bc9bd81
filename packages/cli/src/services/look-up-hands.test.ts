import { expect, test } from 'vitest';
import { createHands, HANDS } from './look-up-hands.ts';

/** Hands whose tasks end when the test says so. */
function start(tasks: number) {
  let nowMs = 0;
  const hands = createHands(() => nowMs);
  const open: (() => void)[] = [];
  for (let index = 0; index < tasks; index += 1) {
    void hands.run(() => new Promise<void>((resolve) => open.push(resolve)));
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

test('the first is alone; then all hands work', async () => {
  const hands = start(20);
  await hands.settle();
  expect(hands.busy()).toBe(1);
  await hands.answer(1);
  expect(hands.busy()).toBe(HANDS);
  await hands.answer(19);
  expect(hands.busy()).toBe(0);
});

test('at the end of what a window may let through there is one; behind it, without a limit, all again', async () => {
  const hands = start(700);
  await hands.settle();
  await hands.answer(592);
  for (let request = 593; request <= 601; request += 1) {
    expect(hands.busy()).toBe(1);
    await hands.answer(1);
  }
  expect(hands.busy()).toBe(HANDS);
});

test('a new window begins from nothing', async () => {
  const hands = start(700);
  await hands.settle();
  await hands.answer(592);
  expect(hands.busy()).toBe(1);
  await hands.until(60_000);
  await hands.answer(1);
  expect(hands.busy()).toBe(HANDS);
});

test('a task that fails gives its hand back', async () => {
  const hands = createHands(() => 0);
  await expect(hands.run(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await hands.run(async () => 7)).toBe(7);
});
