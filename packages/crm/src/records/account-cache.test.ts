import { expect, test } from 'vitest';
import { AccountCache, toAccountKey } from './account-cache.ts';

function cacheWithClock() {
  const clock = { now: new Date('2026-03-01T00:00:00Z') };
  return { clock, cache: new AccountCache<number>({ ttlMs: 1_000, now: () => clock.now }) };
}

test('loads once for concurrent callers, and again when stale or removed', async () => {
  const { clock, cache } = cacheWithClock();
  let loads = 0;
  const ask = () => cache.get('a', async () => (loads += 1));
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  clock.now = new Date(clock.now.getTime() + 1_000);
  expect(await ask()).toBe(2);
  cache.delete('a');
  expect(await ask()).toBe(3);
});

test('passes a failure to all waiting callers and does not cache it', async () => {
  const { cache } = cacheWithClock();
  const fail = () => cache.get('a', () => Promise.reject(new Error('no')));
  const outcomes = await Promise.allSettled([fail(), fail()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await cache.get('a', async () => 5)).toBe(5);
});

test('keeps the 10,000 most recent entries', async () => {
  const { cache } = cacheWithClock();
  for (let index = 0; index <= 10_000; index += 1) await cache.get(`k${index}`, async () => index);
  expect(await cache.get('k10000', async () => -1)).toBe(10_000);
  expect(await cache.get('k0', async () => -1)).toBe(-1);
});

test('the key of an account does not contain its token', () => {
  const key = toAccountKey('1', 'the-token');
  expect(key).not.toContain('the-token');
  expect(key).not.toBe(toAccountKey('2', 'the-token'));
  expect(key).not.toBe(toAccountKey('1', 'another'));
});
