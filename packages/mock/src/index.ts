/** The mock for tests in Node. */
import type { CreateMockOptions, Mock } from './mock-types.ts';
import { createMockOn } from './mock.ts';
import { createRecorderOn, createReplayOn, type RecordingOptions } from './recording.ts';
import type { Recorder, RecorderOptions, Replay, ReplayOptions } from './recording-types.ts';
import { toFileText } from './cassette/cassette.ts';
import { decompress } from './skins/node/decompress.ts';
import { openCassetteFile } from './skins/node/cassette-file.ts';
import { serveCassette } from './skins/node/serve-cassette.ts';
import { startStandalone } from './skins/node/standalone.ts';

/**
 * Creates a mock of the whole service: every endpoint, rule and error of the public API v1, with its own data, clock and
 * outgoing posts. Nothing leaves the process unless `receivers` or `listen` say so.
 *
 * @throws WorldError when `world` is invalid; the message lists the problems
 * @throws RangeError for an unknown scenario, an invalid instant or an invalid prefix
 * @example
 * const mock = createMock({ now: '2026-01-15T12:00:00Z' });
 * const server = setupServer(...mock.handlers('https://api.example.com'));
 */
export function createMock(options: CreateMockOptions = {}): Mock {
  return createMockOn({ decompress, listen: startStandalone }, options);
}

/**
 * Creates a recorder: it passes calls on to a real service and records the answers, without secrets.
 *
 * @throws RangeError for an upstream that is no http or https URL
 * @example
 * const recorder = createRecorder({ upstream: 'https://api.example.com', output: 'cassette.json' });
 * const client = createClient({ baseUrl: 'https://api.example.com', apiKey, fetch: recorder.fetch });
 */
export function createRecorder({ output, ...options }: RecorderOptions): Recorder {
  const toFile = output === undefined ? {} : { openFile: openFileAt(output) };
  return createRecorderOn({ decompress, listen: serveCassette }, { ...options, ...toFile });
}

function openFileAt(output: string): NonNullable<RecordingOptions['openFile']> {
  return (cassette) => openCassetteFile(output, () => toFileText(cassette()));
}

/**
 * Creates a replay: it answers calls from a cassette.
 *
 * @throws CassetteError for what is no cassette
 * @example
 * const replay = createReplay({ cassette: JSON.parse(readFileSync('cassette.json', 'utf8')) });
 */
export function createReplay(options: ReplayOptions): Replay {
  return createReplayOn({ decompress, listen: serveCassette }, options);
}

export * from './mock-types.ts';
export * from './recording-types.ts';
