/**
 * The mock as a function to be used in the place of `fetch`: hand it to an SDK, and no request leaves the process. It runs
 * wherever `Request` and `Response` exist.
 */
import type { EngineDeps, MockAnswer, MockRequest, Outcome } from '../service/call.ts';
import { handle } from '../service/handle.ts';
import type { World } from '../state/world.ts';
import { setRealTimer } from './timers.ts';

export interface MockFetchOptions {
  readonly deps: EngineDeps;
  /** The world that a call is for. */
  readonly worldFor: (request: MockRequest) => World;
  /** Where the API is reached by this function. Default: `deps.urls.api`, as it is at each call. */
  readonly baseUrl?: string | undefined;
  /** Decompresses the body of a request. Default: compressed bodies are refused. */
  readonly decompress?: ((request: MockRequest) => MockRequest) | undefined;
  /** Real time for latency. Returns what cancels it. Default: the runtime's. */
  readonly setTimer?: (callback: () => void, delayMs: number) => () => void;
}

/**
 * Calls to any origin are answered by their path, below the path of `baseUrl` where that has one. A relative address is one
 * of `baseUrl`.
 *
 * What goes wrong on purpose comes out as it does of a real `fetch`: a reset as `TypeError: fetch failed` with a cause of
 * code `ECONNRESET`, a truncated answer as a body that breaks off, an abort during latency or a hang as the signal's reason.
 */
export function createMockFetch(options: MockFetchOptions): typeof globalThis.fetch {
  const { deps, worldFor, baseUrl, decompress = (received) => received, setTimer = setRealTimer } = options;
  return async (input, init) => {
    const base = new URL(baseUrl ?? deps.urls.api);
    const request = new Request(toInput(input, base), init);
    const { signal } = request;
    const mockRequest = decompress(await untilAborted(signal, toMockRequest(request, base)));
    signal.throwIfAborted();
    const outcome = handle(worldFor(mockRequest), mockRequest, deps);
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
      return createResponse(announced(outcome.answer), breakingStream(outcome.answer.body, outcome.bytes), url);
    // A hang ended by the signal alone, so nothing comes here of it.
    case 'hang':
    case 'reset':
      throw networkError('fetch failed');
  }
}

/** With the length that its body does not have: transports beyond this one (MSW has one) know a broken body by that alone. */
function announced(answer: MockAnswer): MockAnswer {
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
  // A response that was made by hand has no address, and some clients show it. Earlier releases of MSW 2 define it once more.
  return Object.defineProperty(response, 'url', { value: url, configurable: true });
}

const STATUSES_WITHOUT_BODY = [101, 204, 205, 304];

/** The first bytes of the text, and then the connection breaks. */
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

/** In the form of Node's `fetch`, where clients look for the code in the cause. */
function networkError(message: string): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  const error = new TypeError(message, { cause });
  onPurpose.add(error);
  return error;
}

const onPurpose = new WeakSet<object>();

/** Whether a connection was made to fail; any other error is a fault of the mock itself. */
export function isFailureOnPurpose(error: unknown): boolean {
  return typeof error === 'object' && error !== null && onPurpose.has(error);
}

/** What is read from the caller may never end. @throws the signal's reason */
function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** @param delayMs Infinity waits for the signal alone */
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
