/** The types of `createMock`: the mock as tests use it. */
import type { RequestHandler } from 'msw';
import type { MockDb } from './db/types.ts';
import type { HeldEvent, HeldFilter } from './service/jobs/hold-events.ts';
import type { Fault, FaultRule } from './state/fault.ts';
import type { ScenarioName } from './state/scenario-names.ts';
import type { CrmFailure, Settings } from './state/settings.ts';
import type {
  JournalEntry,
  Mail,
  MailAddress,
  MailEntry,
  MailFilter,
  OutboxEntry,
  OutboxFilter,
} from './state/traffic.ts';
import type { CallFilter, Expectation } from './state/verify.ts';

export type * from './generated/row-types.ts';
export type * from './db/types.ts';
export { WorldError } from '@svc/domain/world';
export { RowError } from './db/types.ts';
export { NewWorldError } from './service/worlds.ts';
export type {
  CallFilter,
  CrmFailure,
  Expectation,
  Fault,
  FaultRule,
  HeldEvent,
  HeldFilter,
  JournalEntry,
  Mail,
  MailAddress,
  MailEntry,
  MailFilter,
  OutboxEntry,
  OutboxFilter,
  ScenarioName,
};

/** Overrides of a world's default behaviour. */
export type MockSettings = Omit<Settings, 'scenarios'>;

export interface CreateMockOptions {
  /** A world in the format of a world file (`svc-mock --world`), parsed from its JSON. Default: the demo world. */
  readonly world?: object;
  /** Freezes the clock at this `Date` or ISO-8601 instant. Default: the clock runs with the real one. */
  readonly now?: Date | string;
  /** Seed of the random generator: the same seed and calls give the same ids. Default 1. */
  readonly seed?: number;
  /** `spec` enforces the API's published rate limits. Default `off`. */
  readonly rateLimit?: 'off' | 'spec';
  /** Number of trusted proxies in front of the mock, whose `X-Forwarded-For` gives the address for the limit per IP. Default 0. */
  readonly trustedProxies?: number;
  /** False: due jobs wait for `settle` or `clock.advance`, and `/health/ready` answers 503. Default true. */
  readonly runsJobs?: boolean;
  /** Added to every answer of the API, in milliseconds of real time. Default 0. */
  readonly latencyMs?: number;
  /** Scenarios to start with, applied in order. */
  readonly scenario?: ScenarioName | readonly ScenarioName[];
  /** Base URLs by host: posts to these hosts are sent there. All posts are recorded in the outbox. */
  readonly receivers?: Readonly<Record<string, string>>;
  /** Allows receivers on other machines. Default false. */
  readonly allowsRemoteReceivers?: boolean;
  /** The address that answers show, without `/api/v1`. Default: the address of the last `handlers` or `listen` call. */
  readonly baseUrl?: string;
  /** Prefix of the service's own headers in answers and posts. Default `Service-`. */
  readonly headerPrefix?: string | undefined;
  /** Prefix of API keys, replacing that of the world file's keys. Default `osapi_`. */
  readonly keyPrefix?: string | undefined;
  /** Prefix of webhook signing secrets, replacing that of the world file's secrets. Default `oswhsec_`. */
  readonly secretPrefix?: string | undefined;
  /** The real clock. Default: the runtime's. */
  readonly realNow?: () => Date;
}

/** One world with its data, clock, faults, journal and outbox. The mock itself is the default world. */
export interface MockWorld {
  /** `default`, or the id of an isolated world. */
  readonly id: string;
  /** Tokens of this world's keys, by their tokens in the world file: `mock.keys.osapi_demo_write`. */
  readonly keys: MockKeys;
  /** Rows, to read and to change. */
  readonly db: MockDb;
  readonly clock: MockClock;
  readonly faults: MockFaults;
  /** Calls to the API and posts to source URLs. */
  readonly journal: MockLog<JournalEntry, CallFilter>;
  /** Posts that the service made: webhook deliveries and forwarded events. */
  readonly outbox: MockLog<OutboxEntry, OutboxFilter>;
  /**
   * Mails of reply relays: an entry for each attempt, and for each mail that was not sent.
   * @example mock.mails.find({ to: 'rep@example.com', status: 'sent' })
   */
  readonly mails: MockLog<MailEntry, MailFilter>;
  /** The events that write policies hold until their lead answers. */
  readonly held: MockHeld;
  /**
   * Asserts the number of matching calls.
   * @returns the matching calls, oldest first
   * @throws VerificationError that lists the nearest calls
   * @example mock.verify({ operation: 'retrySync', times: 1 })
   */
  verify(expectation: Expectation): readonly JournalEntry[];
  /**
   * Emits an event: writes it to the event log and queues deliveries to the subscribed webhooks (to all for `test.ping`).
   * @param data added to the default data. Its `connectionId` and `sourceId` are the event's, unless `of` sets them
   * @throws RangeError when the world has no such connection and source
   */
  trigger(type: string, data?: Readonly<Record<string, unknown>>, of?: TriggerSubject): { readonly eventId: string };
  /** Applies scenarios to the current state. @throws RangeError for an unknown name */
  scenario(...names: readonly ScenarioName[]): void;
  /** Changes the given settings. */
  configure(changes: Partial<MockSettings>): void;
  /** Saves the whole state under a name. @returns the name; `snapshot-1` and so on by default */
  snapshot(name?: string): string;
  /** Returns to a snapshot. @throws RangeError for an unknown name */
  restore(name: string): void;
  /** Returns to the initial state: data, clock, faults, settings, journal, outbox and mails. */
  reset(): void;
  /**
   * Runs due jobs (retries, deliveries, block lists) until none is due. Waits for the receivers' answers, up to the time limit of
   * each post; different hosts are posted to concurrently. A receiver must not wait for `settle` before it answers.
   */
  settle(): Promise<void>;
}

export interface Mock extends MockWorld {
  /**
   * Returns handlers for MSW, in Node and in browsers. They answer every call below the address, unknown paths with 404. When the
   * address has no path they answer only below `/api/v1`, `/webhooks/` and `/health/`, so that it can be a page's own origin.
   * Handlers given to `server.use()` come first.
   * @param baseUrl the address of the API, without `/api/v1`. Default: the option of `createMock`
   * @example setupServer(...mock.handlers('https://api.example.com'))
   */
  handlers(baseUrl?: string): RequestHandler[];
  /**
   * A `fetch` that calls the mock, whatever the origin of the URL.
   * @example createClient({ baseUrl: 'https://api.example.com', apiKey: mock.keys.osapi_demo_read, fetch: mock.fetch })
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Serves the mock on a port, with its control endpoints below `/__svc`. Node only.
   * @throws Error in browsers, or when the port is in use
   */
  listen(options?: ListenOptions): Promise<MockServer>;
  /** Isolated copies of the initial world, for concurrent tests. */
  readonly worlds: MockWorlds;
  /** Stops timers and servers. */
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
}

export interface MockServer {
  /** For example `http://127.0.0.1:4010`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface MockClock {
  /** World time. */
  readonly now: Date;
  /** Stops the clock, at the given instant or at its current one. */
  freeze(at?: Date | string): void;
  /**
   * Moves the clock ahead and runs the jobs that become due, each at its time.
   * @param duration milliseconds, or a text such as `90s`, `5m`, `24h`, `7d`
   * @throws RangeError for an invalid duration
   */
  advance(duration: number | string): Promise<void>;
  /** Lets the clock run from its current instant. */
  resume(): void;
}

export interface MockFaults {
  /**
   * Makes calls fail.
   * @throws ApiError 400 for a rule that the control endpoint refuses, such as an unknown operation or a status of 99
   * @example mock.faults.add({ operations: ['listSyncs'], times: 2, effect: { kind: 'status', status: 503 } })
   */
  add(rule: FaultRule): Fault;
  /** Lists the faults with the number of calls each matched and hit. */
  list(): readonly Fault[];
  /** @returns whether the fault existed */
  remove(id: string): boolean;
  clear(): void;
}

export interface MockLog<Entry, Filter> {
  /** Oldest first. */
  all(): readonly Entry[];
  /** Matching entries, oldest first. */
  find(filter: Filter): readonly Entry[];
  clear(): void;
}

/** The events that write policies hold. */
export interface MockHeld {
  /** In the order in which they were received. */
  all(): readonly HeldEvent[];
  /**
   * Writes what is held of these leads, as soon as jobs run; their later events are not held. Default: all leads.
   * @returns the number of events
   * @example mock.held.release({ recipient: 'kim@example.org' })
   */
  release(filter?: HeldFilter): number;
  /** Never writes what is held of these leads; their later events are held again. @returns the number of events */
  drop(filter?: HeldFilter): number;
}

export interface TriggerSubject {
  /** Default: the ids in the event's data, else the first API-enabled connection with a source. */
  readonly connectionId?: number;
  readonly sourceId?: number;
  readonly summary?: string;
}

export interface MockWorlds {
  /** Creates an isolated world with its own keys, ingress codes and state. @throws NewWorldError; RangeError for an invalid instant */
  create(options?: MockWorldOptions): IsolatedMockWorld;
}

export interface MockWorldOptions {
  /** At most 32 letters, digits, - and _. Default: a generated id. */
  readonly id?: string;
  /** Freezes the clock at this instant; `null` lets it run. Default: the mock's option. */
  readonly now?: Date | string | null;
  readonly scenario?: ScenarioName | readonly ScenarioName[];
  readonly seed?: number;
  readonly settings?: Partial<MockSettings>;
}

export interface IsolatedMockWorld extends MockWorld {
  /** Deletes the world; its keys become invalid. */
  delete(): void;
}

export type DemoKey =
  | 'osapi_demo_write'
  | 'osapi_demo_read'
  | 'osapi_demo_connection'
  | 'osapi_demo_connection_read'
  | 'osapi_demo_connection_salesforce'
  | 'osapi_demo_connection_no_api'
  | 'osapi_demo_revoked'
  | 'osapi_demo_rotated'
  | 'osapi_demo_no_api'
  | 'osapi_demo_no_webhooks'
  | 'osapi_demo_empty'
  | 'osapi_demo_other';

/** The demo world's keys by name. A custom world file has its own. */
export type MockKeys = Readonly<Record<DemoKey, string>> & Readonly<Record<string, string>>;

/** Thrown by `verify` when the calls differ from the expectation. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
}
