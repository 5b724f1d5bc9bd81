/** What `createMock` gives: the mock as a test sees it. */
import type { RequestHandler } from 'msw';
import type { MockDb } from './db/types.ts';
import type { Fault, FaultRule } from './state/fault.ts';
import type { ScenarioName } from './state/scenario-names.ts';
import type { CrmFailure, Settings } from './state/settings.ts';
import type { JournalEntry, OutboxEntry, OutboxFilter } from './state/traffic.ts';
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
  JournalEntry,
  OutboxEntry,
  OutboxFilter,
  ScenarioName,
};

/** What a world can be told to do otherwise than plainly. */
export type MockSettings = Omit<Settings, 'scenarios'>;

export interface CreateMockOptions {
  /** A world in the format of a world file (`svc-mock --world`), parsed from its JSON. Default: the demo world. */
  readonly world?: object;
  /** Where the clock stands still: a `Date` or an ISO-8601 instant. Default: it runs with the real one. */
  readonly now?: Date | string;
  /** Of all chance: the same seed and calls give the same ids. Default 1. */
  readonly seed?: number;
  /** `spec`: the specification's limits. Default `off`. */
  readonly rateLimit?: 'off' | 'spec';
  /** Proxies in front whose `X-Forwarded-For` is believed, counted from the mock, for the limit per IP. Default 0. */
  readonly trustedProxies?: number;
  /** False: due work waits for `settle` or `clock.advance`, and `/health/ready` says so. Default true. */
  readonly runsJobs?: boolean;
  /** Added to every answer of the API, in milliseconds of real time. Default 0. */
  readonly latencyMs?: number;
  /** The situation to begin with, one or several put on top of each other. */
  readonly scenario?: ScenarioName | readonly ScenarioName[];
  /** Base URLs by host: what the service posts to these hosts really goes there. All else goes to the outbox. */
  readonly receivers?: Readonly<Record<string, string>>;
  /** Lets receivers be elsewhere than on this machine. Default false. */
  readonly allowsRemoteReceivers?: boolean;
  /** The address that answers show, without `/api/v1`. Default: that of `handlers` or `listen`, whichever came last. */
  readonly baseUrl?: string;
  /** How the service's own header names begin, in answers and posts. Default `Service-`. */
  readonly headerPrefix?: string | undefined;
  /** What keys begin with; others are refused. A world file has the specification's, and gets this one. Default `osapi_`. */
  readonly keyPrefix?: string | undefined;
  /** What signing secrets of webhooks begin with. A world file has the specification's, and gets this one. Default `oswhsec_`. */
  readonly secretPrefix?: string | undefined;
  /** The real clock. Default: the runtime's. */
  readonly realNow?: () => Date;
}

/** One world: its time, its faults, what was called in it and what left it. The mock itself is its default world. */
export interface MockWorld {
  /** `default`, or that of the isolated copy. */
  readonly id: string;
  /** Tokens of this world, by the token that each key has in the world's file: `mock.keys.osapi_demo_write`. */
  readonly keys: MockKeys;
  /** Its rows, to read and to change. */
  readonly db: MockDb;
  readonly clock: MockClock;
  readonly faults: MockFaults;
  /** Calls to the API and posts to source URLs. */
  readonly journal: MockLog<JournalEntry, CallFilter>;
  /** Posts that the service made: webhook deliveries and forwarded events. */
  readonly outbox: MockLog<OutboxEntry, OutboxFilter>;
  /**
   * Asserts how often something was called.
   * @returns the calls, oldest first
   * @throws VerificationError that says what was called instead
   * @example mock.verify({ operation: 'retrySync', times: 1 })
   */
  verify(expectation: Expectation): readonly JournalEntry[];
  /**
   * Emits an event as if the service had found the reason: it is written to the log, and delivered to the webhooks that
   * subscribe (all of them for `test.ping`), which `settle` waits for.
   * @param data beside, or instead of, what is filled in. Its `connectionId` and `sourceId` say whose event it is, unless `of` does
   * @throws RangeError when the world has no such connection and source
   */
  trigger(type: string, data?: Readonly<Record<string, unknown>>, of?: TriggerSubject): { readonly eventId: string };
  /** Puts situations on top of what is. @throws RangeError for a name that is none */
  scenario(...names: readonly ScenarioName[]): void;
  /** Changes settings; what is left out stays. */
  configure(changes: Partial<MockSettings>): void;
  /** Keeps everything as it is now, under a name. @returns the name; `snapshot-1` and so on by default */
  snapshot(name?: string): string;
  /** Goes back to a snapshot. @throws RangeError when there is none of that name */
  restore(name: string): void;
  /** Goes back to how the world began: data, clock, faults, journal and all. */
  reset(): void;
  /**
   * Runs the work that is due (retries, deliveries, block lists), until none is. Answers of receivers are waited for, up to the time
   * limit of each post; webhooks and destinations do not wait for each other. A receiver must not wait for this before it answers.
   */
  settle(): Promise<void>;
}

export interface Mock extends MockWorld {
  /**
   * Handlers for MSW 3, in Node and in browsers: they answer what is below the address, also what the API does not know (404),
   * and leave all else alone. Of an address without a path that is `/api/v1`, `/webhooks/` and `/health/`, so that a page can
   * have its own origin. What is given to `server.use()` comes first.
   * @param baseUrl the address of the API, without `/api/v1`. Default: the option of `createMock`
   * @example setupServer(...mock.handlers('https://api.example.com'))
   */
  handlers(baseUrl?: string): RequestHandler[];
  /**
   * The API in the place of `fetch`, whatever the origin that is called.
   * @example createClient({ baseUrl: 'https://api.example.com', apiKey: mock.keys.osapi_demo_read, fetch: mock.fetch })
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Puts the mock on a port, with its control endpoints below `/__svc`. In Node only.
   * @throws Error where there is no `node:http`, or when the port is taken
   */
  listen(options?: ListenOptions): Promise<MockServer>;
  /** Isolated copies of the world as it began, for tests that run at the same time. */
  readonly worlds: MockWorlds;
  /** Ends timers and servers. */
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
}

export interface MockServer {
  /** `http://127.0.0.1:4010` */
  readonly url: string;
  close(): Promise<void>;
}

export interface MockClock {
  /** World time. */
  readonly now: Date;
  /** Stands still, at the instant or where it is. */
  freeze(at?: Date | string): void;
  /**
   * Moves ahead, through all work that is due on the way, each at its time.
   * @param duration milliseconds, or a text: `90s`, `5m`, `24h`, `7d`
   * @throws RangeError when it is none
   */
  advance(duration: number | string): Promise<void>;
  /** Runs on with the real clock, from where it stands. */
  resume(): void;
}

export interface MockFaults {
  /**
   * Makes calls fail.
   * @example mock.faults.add({ operations: ['listSyncs'], times: 2, effect: { kind: 'status', status: 503 } })
   */
  add(rule: FaultRule): Fault;
  /** With how many calls each matched and hit. */
  list(): readonly Fault[];
  /** @returns whether there was one of that id */
  remove(id: string): boolean;
  clear(): void;
}

export interface MockLog<Entry, Filter> {
  /** Oldest first. */
  all(): readonly Entry[];
  /** Those that fit, oldest first. */
  find(filter: Filter): readonly Entry[];
  clear(): void;
}

export interface TriggerSubject {
  /** Default: those that the event's data name, else the first API-enabled connection with a source. */
  readonly connectionId?: number;
  readonly sourceId?: number;
  readonly summary?: string;
}

export interface MockWorlds {
  /** Makes an isolated copy: keys and ingress codes are its own, and it shares no state. @throws NewWorldError */
  create(options?: MockWorldOptions): IsolatedMockWorld;
}

export interface MockWorldOptions {
  /** Letters, digits, - and _, at most 32. Default: a new one. */
  readonly id?: string;
  /** Where its clock stands still; null runs it. Default: as the mock's own. */
  readonly now?: Date | string | null;
  readonly scenario?: ScenarioName | readonly ScenarioName[];
  readonly seed?: number;
  readonly settings?: Partial<MockSettings>;
}

export interface IsolatedMockWorld extends MockWorld {
  /** Its keys are unknown afterwards. */
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

/** The demo world's keys by name; a world of your own has those of its file. */
export type MockKeys = Readonly<Record<DemoKey, string>> & Readonly<Record<string, string>>;

/** Calls were not as `verify` expected. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
}
