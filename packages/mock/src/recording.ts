/** Builds recorders and replays from the cassette's functions and the platform. */
import { INBOUND_BODY_BYTES_MAX } from '@svc/domain/syncs/inbound-post';
import { type Cassette, parseCassette } from './cassette/format.ts';
import { createTape } from './cassette/record.ts';
import { createReplayer } from './cassette/replay.ts';
import type { ListenOptions, MockServer } from './mock-types.ts';
import type { Recorder, RecorderOptions, Replay, ReplayOptions } from './recording-types.ts';
import type { MockRequest, Outcome } from './service/call.ts';
import { createMockFetch, type MockFetchOptions } from './skins/fetch.ts';
import { createMswHandler } from './skins/msw.ts';

/** What a server on a port answers. */
export interface Served {
  readonly answer: (request: MockRequest) => Outcome | Promise<Outcome>;
  readonly reset?: () => void;
}

/** The parts that differ between Node and browsers. */
export interface RecordingPlatform {
  readonly decompress: NonNullable<MockFetchOptions['decompress']>;
  readonly listen: (served: Served, options: ListenOptions) => Promise<MockServer>;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:4010';

export function createReplayOn(platform: RecordingPlatform, options: ReplayOptions): Replay {
  let baseUrl = options.baseUrl ?? DEFAULT_BASE_URL;
  const suggestBaseUrl = (url: string) => {
    if (options.baseUrl === undefined) baseUrl = url.replace(/\/+$/, '');
  };
  const replayer = createReplayer({
    cassette: parseCassette(options.cassette),
    ignoreQuery: options.ignoreQuery ?? [],
    baseUrl: () => baseUrl,
  });
  const answer = (request: MockRequest): Outcome => ({ kind: 'answer', answer: replayer.answer(request), delayMs: 0 });
  const answerAt = (url: () => string) =>
    createMockFetch({ handle: answer, baseUrl: url, decompress: platform.decompress });
  const servers = createServers((wanted) => platform.listen({ answer, reset: () => replayer.reset() }, wanted));
  return {
    fetch: answerAt(() => baseUrl),
    handlers(url = options.baseUrl ?? DEFAULT_BASE_URL) {
      suggestBaseUrl(url);
      return [
        createMswHandler(
          url,
          answerAt(() => url),
        ),
      ];
    },
    async listen(wanted = {}) {
      const server = await servers.listen(wanted);
      suggestBaseUrl(server.url);
      return server;
    },
    unmatched: () => replayer.unmatched(),
    reset: () => replayer.reset(),
    close: () => servers.close(),
  };
}

/** Keeps a file up to date. */
export interface RecordingFile {
  readonly save: () => void;
  readonly close: () => Promise<void>;
}

export interface RecordingOptions extends Omit<RecorderOptions, 'output'> {
  /** Opens the file to write. */
  readonly openFile?: (cassette: () => Cassette) => RecordingFile;
  /** Called with each recorded request. */
  readonly onRecorded?: (request: MockRequest) => void;
}

const TIMEOUT_MS = 120_000;

export function createRecorderOn(platform: RecordingPlatform, options: RecordingOptions): Recorder {
  const upstream = parseUpstream(options.upstream);
  let baseUrl = upstream;
  const { fetch = globalThis.fetch, onWarning = (message) => console.warn(`svc-mock record: ${message}`) } = options;
  const tape = createTape({
    upstream,
    send: (url, init) => fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) }),
    ignoreQuery: options.ignoreQuery ?? [],
    redactEmails: options.redactEmails === true,
    requestBytesMax: INBOUND_BODY_BYTES_MAX,
    baseUrl: () => baseUrl,
    async findProblems(request, answer) {
      // Loaded late: a replay needs no schemas.
      const { findProblems } = await import('./cassette/contract-problems.ts');
      return findProblems(request, answer);
    },
    onRecorded(request) {
      file?.save();
      options.onRecorded?.(request);
    },
    onWarning,
  });
  const file = options.openFile?.(tape.cassette);
  const servers = createServers((wanted) => platform.listen({ answer: tape.answer }, wanted));
  return {
    fetch: createMockFetch({ handle: tape.answer, baseUrl: () => baseUrl, decompress: platform.decompress }),
    async listen(wanted = {}) {
      const server = await servers.listen(wanted);
      baseUrl = server.url;
      return server;
    },
    cassette: () => tape.cassette(),
    async close() {
      await servers.close();
      await file?.close();
    },
  };
}

/**
 * Returns the base URL without a slash at its end.
 * @throws RangeError for anything but an http or https URL without credentials, query and fragment
 */
export function parseUpstream(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new RangeError(`The upstream must be an http or https URL such as https://api.example.com, not ${text}`);
  }
  const { username, password, search, hash, href, pathname } = new URL(text);
  if (username !== '' || password !== '') {
    throw new RangeError('The upstream must be a URL without credentials: callers send their own keys');
  }
  if (search !== '' || hash !== '') throw new RangeError('The upstream must be a URL without query and fragment');
  if (/\/api\/v1\/?$/.test(pathname)) {
    throw new RangeError('The upstream must not include /api/v1: callers send it in their paths');
  }
  return href.replace(/\/+$/, '');
}

function createServers(start: (wanted: ListenOptions) => Promise<MockServer>) {
  const servers = new Set<MockServer>();
  return {
    async listen(wanted: ListenOptions): Promise<MockServer> {
      const server = await start(wanted);
      servers.add(server);
      return {
        url: server.url,
        async close() {
          if (servers.delete(server)) await server.close();
        },
      };
    },
    async close(): Promise<void> {
      const open = [...servers];
      servers.clear();
      await Promise.all(open.map((server) => server.close()));
    },
  };
}
