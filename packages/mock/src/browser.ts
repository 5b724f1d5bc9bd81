/** The mock for tests in browsers, and wherever else there is no Node. */
import { createMockOn } from './create-mock.ts';
import type { CreateMockOptions, Mock } from './mock.ts';
import { setRealTimer } from './real-timer.ts';
import { postWithFetch } from './post-with-fetch.ts';

/** As in Node, but for `listen`: a page cannot open a port. */
export function createMock(options: CreateMockOptions = {}): Mock {
  return createMockOn(
    {
      setTimer: setRealTimer,
      post: postWithFetch,
      listen: () => Promise.reject(new Error('listen() needs Node: use handlers() or fetch here, or start svc-mock.')),
    },
    options,
  );
}

export * from './mock.ts';
