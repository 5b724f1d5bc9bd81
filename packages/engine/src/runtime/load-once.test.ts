import { expect, test, vi } from 'vitest';
import { loadOnce } from './load-once.ts';

test('calls at the same time and later ones share one value', async () => {
  const load = vi.fn<() => Promise<object>>(async () => ({}));
  const get = loadOnce(load);
  const [first, second] = await Promise.all([get(), get()]);
  expect(second).toBe(first);
  expect(await get()).toBe(first);
  expect(load).toHaveBeenCalledOnce();
});

test('a failure reaches the calls that wait for it, and the next call loads again', async () => {
  const get = loadOnce(vi.fn<() => Promise<string>>(async () => 'loaded').mockRejectedValueOnce(new Error('EMFILE')));
  expect(await Promise.allSettled([get(), get()])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  expect(await get()).toBe('loaded');
});
