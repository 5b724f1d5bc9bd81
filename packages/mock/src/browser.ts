/** The mock for tests in browsers and other runtimes without Node. */
import type { CreateMockOptions, Mock } from './mock-types.ts';
import { createMockOn } from './mock.ts';
import { decompressByStream } from './skins/decompress-by-stream.ts';

/** Creates a mock as in Node. `listen` rejects: a page cannot open a port. */
export function createMock(options: CreateMockOptions = {}): Mock {
  return createMockOn(
    {
      decompress: decompressByStream,
      listen: () => Promise.reject(new Error('listen() needs Node: use handlers() or fetch here, or start svc-mock.')),
    },
    options,
  );
}

export * from './mock-types.ts';
