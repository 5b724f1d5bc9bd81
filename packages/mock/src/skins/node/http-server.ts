/**
 * The mock on a real port, with `node:http`. Faults happen on the socket: a reset sends RST, a truncated answer announces its
 * full length and stops early, a hang never answers.
 */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { HEADERS } from '@svc/contract/vocabulary';
import { type BrokenRequest, findHeaderError, formatBrokenRequestAnswer } from '@svc/domain/errors/broken-request';
import type { ApiError } from '@svc/domain/errors/errors';
import { INBOUND_BODY_BYTES_MAX } from '@svc/domain/syncs/inbound-post';
import { listenUrl } from '@svc/domain/network/listen-url';
import { isLoopbackAddress } from '@svc/domain/network/loopback';
import type { MockAnswer, MockRequest, Outcome } from '../../service/call.ts';
import { HINT_HEADER } from '../../service/hints.ts';
import { setBackgroundTimer } from '../timers.ts';
import { decompress } from './decompress.ts';

export interface HttpServerOptions {
  /** Default 0: a free port. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Exposed to pages of other origins. Default: the contract's name. */
  readonly requestIdHeader?: string;
  /** Answers an API or control call. */
  readonly answer: (request: MockRequest, origin: CallOrigin) => Outcome | Promise<Outcome>;
  /** Headers of answers to requests that the HTTP parser rejects. Default: none. */
  readonly headersOfBrokenRequest?: () => Readonly<Record<string, string>>;
  /** Called when the answer is written, after its latency. Not called for preflights. */
  readonly onAnswered?: ((request: MockRequest, outcome: Outcome, durationMs: number) => void) | undefined;
}

/** Facts about a call that only the transport knows. */
export interface CallOrigin {
  /** The `Host` header. */
  readonly host: string;
  /** The `Origin` header; null when no page made the call. */
  readonly origin: string | null;
  /** The error of a request without `Host` or with two; null when there is none. */
  readonly headerError: ApiError | null;
  /** Whether the server listens on a loopback address only. */
  readonly isLocalOnly: boolean;
}

export interface HttpServer {
  /** For example `http://127.0.0.1:4010`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * An import of `node:http` would load `fetch` and `WebSocket` too, which takes longer than everything else that the mock loads.
 */
const { createServer } = process.getBuiltinModule('node:http');

/** Bytes to read of a body: one more than the largest limit, so that larger bodies are detected. */
const BODY_BYTES_MAX = INBOUND_BODY_BYTES_MAX + 1;
/** Lifetime of a preflight answer in browsers: a day. */
const PREFLIGHT_SECONDS = 86_400;

/** Longer than clients usually keep idle connections, so that they do not call on a closed one. */
const KEEP_ALIVE_MS = 65_000;

/** Starts the server. Rejects with Node's error when the port is in use. */
export async function startHttpServer({
  port = 0,
  host = '127.0.0.1',
  requestIdHeader = HEADERS.requestId,
  answer,
  headersOfBrokenRequest = () => ({}),
  onAnswered = () => {},
}: HttpServerOptions): Promise<HttpServer> {
  const headers = corsHeaders(requestIdHeader);
  let isLocalOnly = false;
  const onRequest: RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    serve(request, response, (call, origin) => answer(call, { ...origin, isLocalOnly }), onAnswered).catch(() =>
      response.destroy(),
    );
  };
  // Without these, Node answers requests without `Host` or with an unknown `Expect` itself, with no body.
  const server = createServer({ requireHostHeader: false }, onRequest);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: Error & BrokenRequest, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(formatBrokenRequestAnswer(error, headersOfBrokenRequest()), () => socket.destroySoon());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, host);
  await once(server, 'listening');
  isLocalOnly = isLoopbackAddress(addressOf(server)?.address ?? '');
  return { url: listenUrl(host, addressOf(server)?.port ?? 0), close: () => close(server) };
}

function addressOf(server: Server): AddressInfo | null {
  const address = server.address();
  return typeof address === 'object' ? address : null;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (call: MockRequest, origin: Omit<CallOrigin, 'isLocalOnly'>) => Outcome | Promise<Outcome>,
  onAnswered: NonNullable<HttpServerOptions['onAnswered']>,
): Promise<void> {
  const { method = 'GET', url = '/', socket } = request;
  const headers = flatten(request.headersDistinct);
  if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) {
    answerPreflight(response, headers['access-control-request-headers']);
    return;
  }
  const startedMs = performance.now();
  const ip = socket.remoteAddress ?? '127.0.0.1';
  const call = decompress({ method, target: toPath(url), ip, headers, body: await readBody(request) });
  const outcome = await answer(call, {
    host: headers['host'] ?? '',
    origin: headers['origin'] ?? null,
    headerError: findHeaderError(request),
  });
  if ('delayMs' in outcome && outcome.delayMs > 0) await delay(outcome.delayMs);
  send(request, response, outcome);
  onAnswered(call, outcome, performance.now() - startedMs);
}

/** Returns a request target without the origin, which clients of a proxy send too, and without the fragment. */
function toPath(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target.replace(/#.*/, '');
  const { pathname, search } = new URL(target);
  return `${pathname}${search}`;
}

/** Any page may call: the mock has no real data. */
function corsHeaders(requestIdHeader: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': `${requestIdHeader}, Link, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, Cache-Control, ${HINT_HEADER}`,
  };
}

function answerPreflight(response: ServerResponse, wantedHeaders: string | undefined): void {
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PATCH, PUT, DELETE',
    'Access-Control-Allow-Headers': wantedHeaders ?? 'Authorization, Content-Type',
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  });
  response.end();
}

/** Joins the values of repeated headers with commas, as `fetch` does. */
function flatten(headers: IncomingMessage['headersDistinct']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, values]) => (values === undefined ? [] : [[name, values.join(', ')]])),
  );
}

/** Returns at most `BODY_BYTES_MAX` bytes. The rest of a larger body is read and dropped, so that an answer can be sent. */
async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk) || length >= BODY_BYTES_MAX) continue;
    chunks.push(chunk);
    length += chunk.length;
  }
  return Uint8Array.from(Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX));
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setBackgroundTimer(resolve, ms);
  });
}

function send(request: IncomingMessage, response: ServerResponse, outcome: Outcome): void {
  switch (outcome.kind) {
    case 'answer': {
      const { body } = outcome.answer;
      writeHead(response, outcome.answer, body);
      response.end(body);
      return;
    }
    case 'truncated': {
      const { body } = outcome.answer;
      const end = () => request.socket.destroy();
      writeHead(response, outcome.answer, body);
      response.flushHeaders();
      if (outcome.bytes > 0) response.write(Buffer.from(body).subarray(0, outcome.bytes), end);
      // Flushes the head before the socket is destroyed.
      else request.socket.write('', end);
      return;
    }
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'hang':
      return;
  }
}

const STATUSES_WITHOUT_BODY = [204, 304];

function writeHead(response: ServerResponse, { status, headers }: MockAnswer, body: string): void {
  // For HEAD the engine has set the length of GET's body.
  const hasLength = 'Content-Length' in headers || STATUSES_WITHOUT_BODY.includes(status);
  response.writeHead(status, hasLength ? headers : { ...headers, 'Content-Length': Buffer.byteLength(body) });
}
