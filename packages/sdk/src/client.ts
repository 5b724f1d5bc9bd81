import createOpenapiClient from 'openapi-fetch';
import type { paths } from '@svc/contract/types';
import { sleep } from './http/sleep.ts';
import { createClose, createLifetime, createSleep } from './http/lifetime.ts';
import { bearer, type CallContext, createCall } from './calls/call.ts';
import { ConfigurationError } from './errors/errors.ts';
import type { FetchSettings, Hooks, TraceCall } from './http/send-with-retries.ts';
import { parseHeaderPrefix } from './options/header-prefix.ts';
import { createOperations } from './resources/operations.ts';
import { BUCKET_LIMITS, createGate, type PacingMode } from './http/pacing.ts';
import type { Logger, LogLevel } from './http/log.ts';
import type { Tracing } from './http/tracing.ts';
import type { RawClient } from './calls/raw-client.ts';
import { guardRawClient } from './calls/raw-guard.ts';
import { type AccountResource, createAccountResource } from './resources/account.ts';
import { type ConnectionsResource, createConnectionsResource } from './resources/connections.ts';
import { createDiscoveryResource, type DiscoveryResource } from './resources/discovery.ts';
import { type BlocklistsResource, createBlocklistsResource } from './resources/blocklists.ts';
import { type ContactsResource, createContactsResource } from './resources/contacts.ts';
import { type DeliveriesResource, createDeliveriesResource } from './resources/deliveries.ts';
import { type DestinationsResource, createDestinationsResource } from './resources/destinations.ts';
import { type EventsResource, createEventsResource } from './resources/events.ts';
import { type ReplyRelaysResource, createReplyRelaysResource } from './resources/reply-relays.ts';
import { type RequestsResource, createRequestsResource } from './resources/requests.ts';
import { type WebhooksResource, createWebhooksResource } from './resources/webhooks.ts';
import { createMeResource, type MeResource } from './resources/me.ts';
import { createSourcesResource, type SourcesResource } from './resources/sources.ts';
import { createSyncsResource, type SyncsResource } from './resources/syncs.ts';
import { checkTimingOptions } from './options/timing-options.ts';
import type { AnswerValidator } from './validate/answer-validator.ts';
import { SDK_VERSION } from './version.ts';

/** Options of `createClient`. Only the address is required. */
export interface ClientOptions extends Hooks {
  /** Address of the service, without `/api/v1`. Default: the environment variable `SVC_BASE_URL`; there is no other default. */
  baseUrl?: string | undefined;
  /**
   * API key, `osapi_...`. Default: the environment variable `SVC_API_KEY`. `null` sends no key, whatever the environment holds.
   * Discovery and health need none. Never pass a key in a page: everybody who opens it can read the key.
   */
  apiKey?: string | null | undefined;
  /** Timeout of one attempt, its body included, in milliseconds; `Infinity` for none. Default 30,000. */
  timeoutMs?: number | undefined;
  /**
   * Retries after the first attempt. Default 3. GET and HEAD are retried after network errors, timeouts, 408, 429 and 5xx; other methods
   * after a 429 and when nothing was sent.
   */
  maxRetries?: number | undefined;
  /**
   * Longest wait for the rate limit, in milliseconds. A call that would have to wait longer fails with `RateLimitError` at once.
   * Default 120,000.
   */
  maxRetryAfterMs?: number | undefined;
  /**
   * `auto` (default) keeps to the API's limits after the first 429, `spec` from the first request on. `off` leaves
   * waiting to the retries of each call.
   */
  pacing?: PacingMode | undefined;
  /** Prefix of the service's own headers, with or without the dash. Default `Service`. */
  headerPrefix?: string | undefined;
  /** Your application's name, added to the `User-Agent`: `my-app/1.2 (+https://...)`. Browsers ignore it and send their own. */
  appInfo?: string | undefined;
  /** Gets a line about each answer, retry and wait, never with a key, query or body. Takes `console`, pino and others. Default: none. */
  logger?: Logger | undefined;
  /**
   * How much is logged. Default: the environment variable `SVC_LOG`, else `info` with a `logger` and `off` without. When a level is set and there is no `logger`,
   * lines go to `console`.
   */
  logLevel?: LogLevel | undefined;
  /** Starts a span for each call, with an event for each retry and wait. Spans hold no query, body or key. Default: none. */
  tracing?: Tracing | undefined;
  /** Headers to send with every request. */
  headers?: Record<string, string> | undefined;
  /**
   * Validates successful answers against the contract; made by `createValidator` of `@svc/sdk/validate`. Default: a few fields are
   * checked, to recognise answers that do not come from the service.
   */
  validate?: AnswerValidator | undefined;
  /** Replaces the runtime's `fetch`, which is looked up at each call. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: (() => number) | undefined;
  /** Returns a number in [0, 1), for the jitter of retries. Default `Math.random`. */
  random?: (() => number) | undefined;
  /** Waits, and rejects when the signal fires. Default: `setTimeout`. */
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

/** One resource for each noun of the API, with a method for each operation. */
export interface Client {
  readonly me: MeResource;
  readonly account: AccountResource;
  readonly connections: ConnectionsResource;
  readonly sources: SourcesResource;
  readonly destinations: DestinationsResource;
  readonly replyRelays: ReplyRelaysResource;
  readonly contacts: ContactsResource;
  readonly blocklists: BlocklistsResource;
  readonly requests: RequestsResource;
  readonly syncs: SyncsResource;
  readonly deliveries: DeliveriesResource;
  readonly webhooks: WebhooksResource;
  readonly events: EventsResource;
  readonly discovery: DiscoveryResource;
  /**
   * The typed openapi-fetch client underneath, with the same key, timeouts, retries and pacing. It returns
   * `{ data, error, response }` and throws only when there was no answer or it does not come from the service.
   */
  readonly raw: RawClient;
  /**
   * Ends the client: aborts running calls and waits until they have ended. They, tails and all later calls fail with an `AbortError`.
   * Can be called any number of times.
   */
  close(): Promise<void>;
  /** The same as `close`: `await using client = createClient()` closes the client at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>;
}

declare global {
  /** For compilers whose `lib` does not have it yet. */
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** Runtimes without the symbol get the one that compilers of `await using` fall back to. */
const ASYNC_DISPOSE: typeof Symbol.asyncDispose =
  (Symbol as Partial<SymbolConstructor>).asyncDispose ?? (Symbol.for('Symbol.asyncDispose') as never);

/**
 * Creates a client of one service. Makes no request.
 *
 * @throws ConfigurationError when there is no address, or an option can never work
 * @see README.md of this package: options from the environment, lists, limits and retries
 * @example
 * const client = createClient({ baseUrl: 'https://sync.example.com', apiKey: process.env.SVC_API_KEY });
 * const { ready } = await client.account.status();
 */
export function createClient(options: ClientOptions = {}): Client {
  checkTimingOptions(options);
  const apiKey = options.apiKey === undefined ? environment('SVC_API_KEY') : (options.apiKey ?? undefined);
  const { fetch, tracing } = options;
  const lifetime = createLifetime();
  const close = createClose(lifetime);
  const settings: FetchSettings = {
    // The runtime's `fetch` makes a `Request` by itself.
    fetch: (input, init) => (fetch ? fetch(new Request(input, init)) : globalThis.fetch(input, init)),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: options.maxRetries ?? 3,
    maxRetryAfterMs: options.maxRetryAfterMs ?? 120_000,
    headerPrefix: parseHeaderPrefix(options.headerPrefix),
    gates: {
      general: createGate(BUCKET_LIMITS.general, options.pacing ?? 'auto'),
      outreach: createGate(BUCKET_LIMITS.outreach, options.pacing ?? 'auto'),
    },
    secrets: apiKey ? [apiKey] : [],
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    sleep: createSleep(lifetime, options.sleep ?? sleep),
    hooks: withLog(options),
    traceCall: tracing && loadTraceCall(tracing),
    lifetime,
  };
  const baseUrl = parseBaseUrl(options.baseUrl ?? environment('SVC_BASE_URL'));
  const headers = {
    ...userAgent(options.appInfo),
    ...options.headers,
    ...(apiKey === undefined ? {} : bearer(apiKey)),
  };
  // The types differ only in the open enums of answers; see raw-client.ts. Each call names its `Request`; see raw-guard.ts.
  const raw = createOpenapiClient<paths>({ baseUrl, headers, Request: null as never }) as RawClient;
  const context: CallContext = {
    call: createCall({ settings, baseUrl, headers, raw }),
    now: settings.now,
    sleep: settings.sleep,
    validate: options.validate,
  };
  const operations = createOperations(context);
  const connections = createConnectionsResource(operations);
  return {
    me: createMeResource(operations),
    account: createAccountResource(operations),
    connections,
    sources: createSourcesResource(operations),
    destinations: createDestinationsResource(operations),
    replyRelays: createReplyRelaysResource(operations),
    contacts: createContactsResource(operations, context),
    blocklists: createBlocklistsResource(operations, context),
    requests: createRequestsResource(operations),
    syncs: createSyncsResource(operations, connections, context),
    deliveries: createDeliveriesResource(operations),
    webhooks: createWebhooksResource(operations),
    events: createEventsResource(operations),
    discovery: createDiscoveryResource(operations),
    raw: guardRawClient(raw, settings),
    close,
    [ASYNC_DISPOSE]: close,
  };
}

function withLog(options: ClientOptions): FetchSettings['hooks'] {
  const level = options.logLevel ?? environment('SVC_LOG') ?? (options.logger ? 'info' : 'off');
  if (level === 'off') return options;
  // Loaded on demand; when that fails, the client works without a log.
  return import('./http/log.ts').then(
    ({ createLogHooks }) => createLogHooks(options, { logger: options.logger, level }),
    () => options,
  );
}

/** Loaded on demand; when that fails, the client works without spans. */
function loadTraceCall(tracing: Tracing): Promise<TraceCall> {
  return import('./http/tracing.ts').then(
    ({ createTraceCall }) => createTraceCall(tracing),
    (): TraceCall => (settings, request, _trace, send) => send(settings, request),
  );
}

/**
 * Returns an environment variable that is not empty. Nothing in Deno, which would ask the user for permission, nor where there is no
 * `process`, as in browsers. Looked up by name at run time: bundlers, which replace `process.env.NAME` by its value, would put the key
 * of the machine that builds into the page.
 */
function environment(name: string): string | undefined {
  return 'Deno' in globalThis ? undefined : (globalThis as RuntimeGlobals).process?.env?.[name] || undefined;
}

interface RuntimeGlobals {
  readonly process?: { readonly env?: Record<string, string | undefined> };
}

/** Returns the `User-Agent` with the runtime's name, such as `Node.js/24`; nothing in browsers, which send their own. */
function userAgent(appInfo = ''): Record<string, string> {
  const runtime = globalThis.navigator?.userAgent ?? '';
  return runtime.startsWith('Mozilla') ? {} : { 'User-Agent': `svc-sdk/${SDK_VERSION} ${runtime} ${appInfo}`.trim() };
}

function parseBaseUrl(text: string | undefined): string {
  if (text === undefined) throw new ConfigurationError('No base URL: pass baseUrl or set SVC_BASE_URL');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '') {
    throw new ConfigurationError('baseUrl must be like https://api.example.com, without user name, query or fragment');
  }
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  if (base.endsWith('/api/v1')) {
    throw new ConfigurationError(
      `baseUrl must not include /api/v1; it is added automatically: ${base.slice(0, -'/api/v1'.length)}`,
    );
  }
  return base;
}
