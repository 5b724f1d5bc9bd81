/** The types of `createRecorder` and `createReplay`. */
import type { RequestHandler } from 'msw';
import type { ListenOptions, MockServer } from './mock-types.ts';
import type { Cassette } from './cassette/format.ts';

export type { Cassette };
export { CassetteError } from './cassette/format.ts';

export interface RecorderOptions {
  /** Base URL of a real service, without `/api/v1`. Calls are made with the key of each caller. */
  readonly upstream: string;
  /** File to write, kept up to date while recording. An existing cassette is replaced. Default: none. */
  readonly output?: string;
  /** Query parameters that are left out and need not match in a replay, such as `from` and `to` of ranges that move. */
  readonly ignoreQuery?: readonly string[];
  /** Replaces email addresses by pseudonyms. Default false: personal data stays. */
  readonly redactEmails?: boolean;
  /** Called once for each kind of answer that differs from the contract, and when nothing was recorded. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void;
  /** Calls the service. Default: the runtime's. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Passes calls on to a real service and records the answers. */
export interface Recorder {
  /** A `fetch` that calls the service, whatever the origin of the URL. */
  readonly fetch: typeof globalThis.fetch;
  /** Serves the recorder on a port. */
  listen(options?: ListenOptions): Promise<MockServer>;
  /** What was recorded so far, without secrets. */
  cassette(): Cassette;
  /** Stops servers and completes the file. */
  close(): Promise<void>;
}

export interface ReplayOptions {
  /** The parsed JSON of a cassette's file. */
  readonly cassette: object;
  /** Query parameters that need not match, beside those that the recording ignored. */
  readonly ignoreQuery?: readonly string[];
  /** The address that answers show, without `/api/v1`. Default: the address of the last `handlers` or `listen` call. */
  readonly baseUrl?: string;
}

/** Answers calls from a cassette. Equal calls get their answers in the recorded order, then the last one again. */
export interface Replay {
  /** A `fetch` that answers from the cassette, whatever the origin of the URL. A call that was not recorded is answered 501. */
  readonly fetch: typeof globalThis.fetch;
  /** Returns handlers for MSW, as those of `createMock`. */
  handlers(baseUrl?: string): RequestHandler[];
  /** Serves the replay on a port. Node only. */
  listen(options?: ListenOptions): Promise<MockServer>;
  /** What was asked for but not recorded: a message for each request, with the nearest recorded one. */
  unmatched(): readonly string[];
  /** Starts again with the first answer of every request. */
  reset(): void;
  /** Stops servers. */
  close(): Promise<void>;
}
