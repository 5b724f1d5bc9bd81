import { expect, test, vi } from 'vitest';
import { createHistoryClientFinder, createWebhookClientFinder } from './sequencer-clients.ts';

const urls = {
  ...{ smartlead: '', instantly: '', emailbison: '', lemlist: '', 'reply-io': '', heyreach: '', salesloft: '' },
};

test.each([
  ['webhooks', createWebhookClientFinder],
  ['history', createHistoryClientFinder],
])('clients of %s that could not be loaded are loaded at the next call', async (_name, createFinder) => {
  const failing = vi
    .fn<() => typeof urls>(() => urls)
    .mockImplementationOnce(() => {
      throw new Error('EMFILE: too many open files');
    });
  const find = createFinder({
    ...{ fetch, guardedFetch: fetch, timeoutMs: 1_000, now: () => new Date() },
    get baseUrls() {
      return failing();
    },
  });
  await expect(find('lemlist')).rejects.toThrow('EMFILE');
  expect(await find('lemlist')).toBeDefined();
  expect(await find('carrier-pigeon')).toBeUndefined();
  expect(failing).toHaveBeenCalledTimes(2);
});
