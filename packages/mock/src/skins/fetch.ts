/**
 * The mock as a `fetch` function, for an SDK: no request leaves the process. Runs wherever `Request` and `Response` exist.
 */
import type { MockAnswer, MockRequest, Outcome } from '../service/call.ts';
import { setRealTimer } from './timers.ts';

export interface MockFetchOptions {
  readonly handle: (request: MockRequest) => Outcome | Promise<Outcome>;
  /** Returns the base URL of the API at the time of a call. */
  readonly baseUrl: () => string;
  /** Decompresses the body of a request. Default: compressed bodies are refused with 415. */
  readonly decompress?: (request: MockRequest) => MockRequest | Promise<MockRequest>;
  /** Starts a timer for latency and returns a function that cancels it. Default: the runtime's timer. */
  readonly setTimer?: (callback: () => void, delayMs: number) => () => void;
}

/**
 * Creates a `fetch` that answers calls to any origin by their path, without the path of `baseUrl`. Relative URLs are resolved
 * against `baseUrl`.
 *
 * Faults look as in a real `fetch`: a reset throws `TypeError: fetch failed` with a cause of code `ECONNRESET`, a truncated body
 * breaks off, and an abort during latency or a hang throws the signal's reason.
 */
export function createMockFetch(options: MockFetchOptions): typeof globalThis.fetch {
  const { handle, baseUrl, decompress = (received) => received, setTimer = setRealTimer } = options;
  return async (input, init) => {
    const base = new URL(baseUrl());
    const request = new Request(toInput(input, base), init);
    const { signal } = request;
    const mockRequest = await decompress(await untilAborted(signal, toMockRequest(request, base)));
    signal.throwIfAborted();
    const outcome = await untilAborted(signal, Promise.resolve(handle(mockRequest)));
    await delay('delayMs' in outcome ? outcome.delayMs : Infinity, signal, setTimer);
    return toResponse(outcome, request.url);
  };
}

function toInput(input: string | URL | Request, base: URL): URL | Request {
  return input instanceof Request ? input : new URL(input, base);
}

async function toMockRequest(request: Request, base: URL): Promise<MockRequest> {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    target: `${withoutPrefix(pathname, base.pathname.replace(/\/+$/, ''))}${search}`,
    ip: '127.0.0.1',
    headers: Object.fromEntries(request.headers),
    body: new Uint8Array(await request.arrayBuffer()),
  };
}

function withoutPrefix(path: string, prefix: string): string {
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

function toResponse(outcome: Outcome, url: string): Response {
  switch (outcome.kind) {
    case 'answer':
      return createResponse(outcome.answer, outcome.answer.body, url);
    case 'truncated':
      return createResponse(withFullLength(outcome.answer), breakingStream(outcome.answer.body, outcome.bytes), url);
    // A hang only ends by its signal, so it never gets here.
    case 'hang':
    case 'reset':
      throw networkError('fetch failed');
  }
}

/** Adds the full `Content-Length`: further transports such as MSW detect a truncated body only by it. */
function withFullLength(answer: MockAnswer): MockAnswer {
  const length = new TextEncoder().encode(answer.body).length;
  return { ...answer, headers: { ...answer.headers, 'Content-Length': String(length) } };
}

function createResponse(
  { status, headers }: MockAnswer,
  body: string | ReadableStream<Uint8Array>,
  url: string,
): Response {
  const hasBody = body !== '' && !STATUSES_WITHOUT_BODY.includes(status);
  const response = new Response(hasBody ? body : null, { status, headers });
  // `new Response` has no URL, which some clients show. Early releases of MSW 2 redefine it.
  return Object.defineProperty(response, 'url', { value: url, configurable: true });
}

const STATUSES_WITHOUT_BODY = [101, 204, 205, 304];

/** Returns a stream of the text's first bytes that then fails. */
function breakingStream(text: string, byteCount: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text).subarray(0, byteCount);
  let isSent = bytes.length === 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isSent) controller.error(networkError('terminated'));
        else controller.enqueue(bytes);
        isSent = true;
      },
    },
    { highWaterMark: 0 },
  );
}

/** Creates an error like that of Node's `fetch`, with the code in the cause. */
function networkError(message: string): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  const error = new TypeError(message, { cause });
  faultErrors.add(error);
  return error;
}

const faultErrors = new WeakSet<object>();

/** Returns whether a fault caused the error; other errors are bugs of the mock. */
export function isFaultError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && faultErrors.has(error);
}

/** Waits for `work`, which may never end. @throws the signal's reason when it is aborted */
function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** @param delayMs Infinity waits for the signal only */
function delay(delayMs: number, signal: AbortSignal, setTimer: MockFetchOptions['setTimer'] & {}): Promise<void> {
  if (delayMs <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const cancel = delayMs === Infinity ? () => {} : setTimer(finish, delayMs);
    signal.addEventListener('abort', abort, { once: true });
    function finish(): void {
      signal.removeEventListener('abort', abort);
      resolve();
    }
    function abort(): void {
      cancel();
      reject(signal.reason);
    }
  });
}
