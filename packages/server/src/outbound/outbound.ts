/**
 * Calls to addresses that customers choose: webhooks and forwarding destinations.
 *
 * The guard stands between looking a name up and connecting, at every connect, so a name that points elsewhere by then is
 * judged again: the literal address and every looked-up one must be public (`isPublicAddress`), and the address that was
 * judged is the one that is dialled. Redirects are not followed, answers are read to 1 kB at most, and the whole attempt
 * has one time limit. `resolve` and `dial` are seams: above the guard and below it.
 */
import { request } from 'node:http';
import type { Socket } from 'node:net';
import {
  ANSWER_BYTES_MAX,
  describeCallFailure,
  noAnswerWithin,
  PRIVATE_ADDRESS_REFUSAL,
  refusalOfUrl,
} from '@svc/domain/network/outbound-call';
import { addressOfHostname, isPublicAddress } from '@svc/domain/network/public-address';
import { type Clock, systemClock } from '../clock.ts';

/** Every address of a name; ends when the signal fires. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

export interface DialTarget {
  /** What the guard has judged: one or more, to be tried in this order. */
  addresses: readonly string[];
  port: number;
  /** The name in the URL: what the certificate must be for. */
  host: string;
  isTls: boolean;
  signal: AbortSignal;
}

/** A connected socket; with TLS, one whose certificate was checked against `host`. */
export type Dial = (target: DialTarget) => Promise<Socket>;

export interface OutboundOptions {
  resolve: Resolve;
  dial: Dial;
  /** Ranges that the operator has opened although they are not public. */
  allowedCidrs: readonly string[];
  /** Measures the time limit of a call. Default: the system's. */
  clock?: Pick<Clock, 'setTimer'>;
}

export interface PostResult {
  /** Null when no answer came. */
  httpStatus: number | null;
  /** What went wrong, when no answer came. */
  error: string | null;
  /** The guard, or the form of the URL, forbids the call: nothing was sent. */
  isRefused: boolean;
}

export interface PostCall {
  url: string;
  headers: Record<string, string>;
  /** Text is sent as UTF-8, bytes as they are. */
  body: string | Uint8Array;
  /** For the whole attempt, look-up included. */
  timeoutMs: number;
}

export interface Outbound {
  readonly allowedCidrs: readonly string[];
  /** Whether a host may be called as far as can be told now; a name that cannot be looked up may. */
  isAllowed(url: string): Promise<boolean>;
  /** One POST; never rejects. */
  post(call: PostCall): Promise<PostResult>;
}

/** Of `isAllowed`, which somebody waits for: every connect judges again. */
const LOOK_UP_TIMEOUT_MS = 3_000;

class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

export function createOutbound({ resolve, dial, allowedCidrs, clock = systemClock }: OutboundOptions): Outbound {
  function parseUrl(text: string): URL {
    const refusal = refusalOfUrl(text, { allowedCidrs });
    if (refusal !== null) throw new BlockedAddressError(refusal);
    return new URL(text);
  }

  async function addressesOf({ hostname }: URL, signal: AbortSignal): Promise<string[]> {
    const literal = addressOfHostname(hostname);
    const addresses = literal === null ? await resolve(hostname, signal) : [literal];
    const isPrivate = addresses.some((address) => !isPublicAddress(address, allowedCidrs));
    if (isPrivate) throw new BlockedAddressError(PRIVATE_ADDRESS_REFUSAL);
    return addresses;
  }

  async function connect(url: URL, signal: AbortSignal): Promise<Socket> {
    const addresses = await addressesOf(url, signal);
    if (addresses.length === 0) throw new Error('The name has no address');
    // What is dialled when the time is over would belong to nobody, and stay open for as long as the peer likes.
    signal.throwIfAborted();
    const isTls = url.protocol === 'https:';
    return dial({ addresses, port: Number(url.port) || (isTls ? 443 : 80), host: url.hostname, isTls, signal });
  }

  return {
    allowedCidrs,
    async isAllowed(url) {
      const limit = new AbortController();
      const { signal } = limit;
      const cancelLimit = clock.setTimer(() => limit.abort(), LOOK_UP_TIMEOUT_MS);
      try {
        await abortable(addressesOf(parseUrl(url), signal), signal);
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
      let socket: Socket | undefined;
      try {
        const target = parseUrl(url);
        socket = await abortable(connect(target, signal), signal);
        const httpStatus = await exchange(socket, target, { headers, body, signal });
        return { httpStatus, error: null, isRefused: false };
      } catch (error) {
        const isRefused = error instanceof BlockedAddressError;
        const text = signal.aborted ? noAnswerWithin(timeoutMs) : describeCallFailure(error);
        return { httpStatus: null, error: text, isRefused };
      } finally {
        cancelLimit();
        socket?.destroy();
      }
    },
  };
}

function exchange(
  socket: Socket,
  url: URL,
  call: Pick<PostCall, 'headers' | 'body'> & { signal: AbortSignal },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        createConnection: () => socket,
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          ...call.headers,
          Host: url.host,
          'Content-Length': Buffer.byteLength(call.body),
          Connection: 'close',
        },
        signal: call.signal,
      },
      (response) => {
        let bytes = 0;
        const done = () => resolve(response.statusCode ?? 0);
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          // Nobody reads it; a receiver must not be able to keep us reading.
          if (bytes > ANSWER_BYTES_MAX) done();
        });
        response.once('end', done);
        response.once('error', reject);
      },
    );
    outgoing.once('error', reject);
    outgoing.end(call.body);
  });
}

/** A dial or look-up that does not know the signal must not outlive it. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    work.then(resolve, reject);
  });
}
