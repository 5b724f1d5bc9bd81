/**
 * Calls to addresses that customers choose: webhooks, forwarding destinations, and their own instances of a sequencer.
 *
 * The guard runs between resolving a name and connecting, at every connect, so a name that resolves differently later
 * is checked again: the literal address and every resolved one must be public (`isPublicAddress`), and only checked
 * addresses are dialled. A connection is kept for a short time (`kept-connections.ts`); the URL's form is checked at
 * every post. Redirects are not followed, at most 1 kB of the answer to a post is read, and one timeout covers the
 * whole attempt. `resolve` and `dial` are injected, so that tests replace the network but not the guard.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  describeCallFailure,
  describeTimeout,
  PRIVATE_ADDRESS_REFUSAL,
  findOutboundUrlProblem,
} from '@svc/domain/network/outbound-call';
import { addressOfHostname, isPublicAddress } from '@svc/domain/network/public-address';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { inChildSpan } from '../runtime/tracing.ts';
import { exchange, type ExchangeAnswer, type ExchangeCall } from './exchange.ts';
import { type Connection, createKeptConnections } from './kept-connections.ts';

/** Returns every address of a name; stops when the signal aborts. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

export interface DialTarget {
  /** One or more checked addresses, to be tried in this order. */
  addresses: readonly string[];
  port: number;
  /** The name in the URL, which the certificate must match. */
  host: string;
  isTls: boolean;
  signal: AbortSignal;
}

/** Returns a connected socket; with TLS, one whose certificate was verified for `host`. */
export type Dial = (target: DialTarget) => Promise<Socket>;

export interface OutboundOptions {
  resolve: Resolve;
  dial: Dial;
  /** Non-public ranges that the operator has allowed. */
  allowedCidrs: readonly string[];
  /** Measures the timeout of a call, and how long connections are kept. Default: the system's clock. */
  clock?: Pick<Clock, 'now' | 'setTimer'>;
}

export interface PostResult {
  /** Null when no answer came. */
  httpStatus: number | null;
  /** The failure when no answer came. */
  error: string | null;
  /** Whether the guard or the URL's form forbids the call: nothing was sent. */
  isRefused: boolean;
}

export interface PostCall {
  url: string;
  headers: Record<string, string>;
  /** Text is sent as UTF-8, bytes unchanged. */
  body: string | Uint8Array;
  /** Timeout of the whole attempt, including name resolution. */
  timeoutMs: number;
}

export interface Outbound {
  readonly allowedCidrs: readonly string[];
  /** Returns whether a host may be called, as far as is known now; an unresolvable name may. */
  isAllowed(url: string): Promise<boolean>;
  /** One POST; never rejects by itself. */
  post(call: PostCall): Promise<PostResult>;
  /** Does the same as `fetch` for code that reads the answer. Only text bodies. */
  fetch: typeof globalThis.fetch;
  /** Closes connections that are kept for later posts; those still open new ones. */
  closeKept(): void;
}

/** Timeout of `isAllowed`, for which a caller waits; every connect checks again. */
const LOOK_UP_TIMEOUT_MS = 3_000;

const PARSED_URLS_MAX = 1_000;
/** Lists of a sequencer are small. */
const FETCHED_BYTES_MAX = 256 * 1024;

class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

export function createOutbound({ resolve, dial, allowedCidrs, clock = systemClock }: OutboundOptions): Outbound {
  const kept = createKeptConnections(clock);

  /** URLs that may be called, as far as their form shows, because endpoints get many posts. */
  const parsed = new Map<string, URL>();

  function parseUrl(text: string): URL {
    const known = parsed.get(text);
    if (known) return known;
    const refusal = findOutboundUrlProblem(text, { allowedCidrs });
    if (refusal !== null) throw new BlockedAddressError(refusal);
    const url = new URL(text);
    parsed.set(text, url);
    const [oldest] = parsed.keys();
    if (parsed.size > PARSED_URLS_MAX && oldest !== undefined) parsed.delete(oldest);
    return url;
  }

  async function addressesOf({ hostname }: URL, signal: AbortSignal): Promise<string[]> {
    const literal = addressOfHostname(hostname);
    const addresses = literal === null ? await resolve(hostname, signal) : [literal];
    const isPrivate = addresses.some((address) => !isPublicAddress(address, allowedCidrs));
    if (isPrivate) throw new BlockedAddressError(PRIVATE_ADDRESS_REFUSAL);
    return addresses;
  }

  async function connect(url: URL, signal: AbortSignal): Promise<Connection> {
    const addresses = await addressesOf(url, signal);
    if (addresses.length === 0) throw new Error('The name has no address');
    // Do not dial after the timeout: nobody would close the socket.
    signal.throwIfAborted();
    const isTls = url.protocol === 'https:';
    const openedAtMs = clock.now().getTime();
    const port = Number(url.port) || (isTls ? 443 : 80);
    const socket = await dial({ addresses, port, host: url.hostname, isTls, signal });
    socket.on('error', () => {});
    return { origin: url.origin, socket, openedAtMs, isReused: false };
  }

  /** @throws Error when no answer came */
  function call(url: string, message: Omit<ExchangeCall, 'onFree'>): Promise<ExchangeAnswer> {
    return inChildSpan({ name: 'post', kind: 'client' }, async (span) => {
      const answer = await send(url, message);
      span?.set('http.response.status_code', answer.status);
      return answer;
    });
  }

  async function send(url: string, { signal, ...message }: Omit<ExchangeCall, 'onFree'>): Promise<ExchangeAnswer> {
    let connection: Connection | undefined;
    try {
      const target = parseUrl(url);
      connection = (await kept.take(target.origin)) ?? (await rejectOnAbort(connect(target, signal), signal));
      signal.throwIfAborted();
      const { socket } = connection;
      const keep = (answer: IncomingMessage) => connection && kept.keep(connection, answer);
      return await exchange(socket, target, { ...message, signal, onFree: keep });
    } catch (error) {
      connection?.socket.destroy();
      if (connection?.isReused === true && !signal.aborted) kept.distrust(connection.origin);
      throw error;
    }
  }

  return {
    allowedCidrs,
    async isAllowed(url) {
      const limit = new AbortController();
      const { signal } = limit;
      const cancelLimit = clock.setTimer(() => limit.abort(), LOOK_UP_TIMEOUT_MS);
      try {
        await rejectOnAbort(addressesOf(parseUrl(url), signal), signal);
        return true;
      } catch (error) {
        return !(error instanceof BlockedAddressError);
      } finally {
        cancelLimit();
      }
    },
    async post({ url, headers, body, timeoutMs }) {
      const limit = new AbortController();
      const { signal } = limit;
      const cancelLimit = clock.setTimer(() => limit.abort(), timeoutMs);
      try {
        const { status } = await call(url, { headers, body, signal });
        return { httpStatus: status, error: null, isRefused: false };
      } catch (error) {
        const isRefused = error instanceof BlockedAddressError;
        const text = signal.aborted ? describeTimeout(timeoutMs) : describeCallFailure(error);
        return { httpStatus: null, error: text, isRefused };
      } finally {
        cancelLimit();
      }
    },
    async fetch(input, init = {}) {
      const { method = 'GET', body = '', signal } = init;
      if (typeof body !== 'string') throw new TypeError('only bodies of text are supported');
      const headers = Object.fromEntries(new Headers(init.headers));
      const url = input instanceof Request ? input.url : String(input);
      try {
        const message = { method, answerBytesMax: FETCHED_BYTES_MAX, headers, body };
        return toResponse(await call(url, { ...message, signal: signal ?? new AbortController().signal }));
      } catch (error) {
        // The same error as from `fetch`. Callers show the code.
        const code = error instanceof BlockedAddressError ? error.message : codeOf(error);
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('no answer'), { code }) });
      }
    },
    closeKept: () => kept.close(),
  };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Statuses that must not have a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function toResponse({ status, headers, body }: ExchangeAnswer): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((text): [string, string] => [name, text]),
  );
  return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(body), { status, headers: pairs });
}

/** Rejects when the signal aborts, for work that ignores the signal. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    work.then(resolve, reject);
  });
}
