/** The mock for tests in browsers and other runtimes without Node. */
import type { CreateMockOptions, Mock } from './mock-types.ts';
import { createMockOn } from './mock.ts';
import { createReplayOn } from './recording.ts';
import type { Recorder, Replay, ReplayOptions } from './recording-types.ts';
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

/** Answers calls from a cassette, as in Node. `listen` rejects: a page cannot open a port. */
export function createReplay(options: ReplayOptions): Replay {
  const listen = () => Promise.reject(new Error('listen() needs Node: use handlers() or fetch here.'));
  return createReplayOn({ decompress: decompressByStream, listen }, options);
}

/** Throws: recording needs Node. */
export function createRecorder(): Recorder {
  throw new Error('createRecorder() needs Node: record with svc-mock record.');
}

export * from './mock-types.ts';
export * from './recording-types.ts';
