/**
 * The mock on a real port: `node:http` over the engine, nothing else. What goes wrong on purpose goes wrong on the socket: a reset
 * is a RST, a truncated answer announces its length and stops in the middle, a hang never answers.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { HEADERS } from '@svc/contract/vocabulary';
import {
  answerToBrokenRequest,
  BROKEN_REQUEST_GRACE_MS,
  type BrokenRequest,
  KEEP_ALIVE_MS,
  refusalOfHead,
} from '@svc/domain/errors/broken-request';
import type { ApiError } from '@svc/domain/errors/errors';
import { INBOUND_BODY_BYTES_MAX } from '@svc/domain/syncs/inbound-post';
import { listenUrl } from '@svc/domain/network/listen-url';
import { isLoopbackAddress, refusalOfHost } from '@svc/domain/network/loopback';
import type { MockAnswer, MockRequest, Outcome } from '../../service/call.ts';
import { undoContentEncoding } from '../content-encoding.ts';
import { decompress } from './decompress.ts';
import { setRealTimer } from './timer.ts';

export interface HttpServerOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Shown to pages of other origins. Default: as the specification has it. */
  readonly requestIdHeader?: string;
  /** Headers of the answer to what never becomes a request. Default: none. */
  readonly refusalHeaders?: () => Readonly<Record<string, string>>;
  /** Addresses by which the server may be called beside those of this machine, where it listens on a loopback address. */
  readonly publicUrls: () => readonly string[];
  /** Answers a call, of the API or to control the mock. */
  readonly answer: (request: MockRequest, origin: CallOrigin) => Outcome | Promise<Outcome>;
}

/** What only a transport knows of a call. */
export interface CallOrigin {
  /** The `Host` header. */
  readonly host: string;
  /** The `Origin` header; null when no page made the call. */
  readonly origin: string | null;
}

export interface HttpServer {
  /** `http://127.0.0.1:4010` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * An import would read every export of the module, and with them load all of `fetch` and `WebSocket`, which takes longer than
 * everything else that the mock loads.
 */
const { createServer } = process.getBuiltinModule('node:http');

/** Read of a body at most: one byte more than anything takes, so that a larger one is known as such. */
const BODY_BYTES_MAX = INBOUND_BODY_BYTES_MAX + 1;
/** How long a browser may remember what it may send: a day. */
const PREFLIGHT_SECONDS = 86_400;

/** Binds the port and begins to answer. Rejects with Node's error when the port is taken. */
export async function startHttpServer({
  port = 0,
  host = '127.0.0.1',
  requestIdHeader = HEADERS.requestId,
  refusalHeaders = () => ({}),
  publicUrls,
  answer,
}: HttpServerOptions): Promise<HttpServer> {
  const headers = corsHeaders(requestIdHeader);
  let isLocalOnly = false;
  const refusalOf = (request: IncomingMessage): ApiError | null => {
    const refusal = refusalOfHead(request);
    if (refusal !== null || !isLocalOnly) return refusal;
    return refusalOfHost(request.headers.host, {
      publicUrls: publicUrls(),
      setting: '--base-url (createMock: baseUrl)',
    });
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    serve(request, response, { answer, refusalOf }).catch(() => response.destroy());
  };
  const server = createServer({ requireHostHeader: false }, onRequest);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: Error & BrokenRequest, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else {
      socket.end(answerToBrokenRequest(error, refusalHeaders()));
      // A client that never closes its side would keep the connection, and the request, for ever.
      setRealTimer(() => socket.destroy(), BROKEN_REQUEST_GRACE_MS);
    }
  });
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
  {
    answer,
    refusalOf,
  }: Pick<HttpServerOptions, 'answer'> & { refusalOf: (request: IncomingMessage) => ApiError | null },
): Promise<void> {
  const { method = 'GET', url = '/', socket } = request;
  const headers = flatten(request.headers);
  if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) {
    answerPreflight(response, headers['access-control-request-headers']);
    return;
  }
  const received = { headers, body: await readBody(request) };
  const ip = socket.remoteAddress ?? '127.0.0.1';
  const decoded = await undoContentEncoding(received, decompress);
  const call = { method, target: targetOf(url), ip, ...decoded, headRefusal: refusalOf(request) };
  const outcome = await answer(call, { host: headers['host'] ?? '', origin: headers['origin'] ?? null });
  if ('delayMs' in outcome && outcome.delayMs > 0) await delay(outcome.delayMs);
  send(request, response, outcome);
}

/** Path and query, also where the whole address was sent (RFC 9112, section 3.2.2). A fragment of the path means nothing here. */
function targetOf(url: string): string {
  return url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/^([^?#]*)#[^?]*/, '$1');
}

/** Every page may call: the mock holds nothing that is not made up. */
function corsHeaders(requestIdHeader: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': `${requestIdHeader}, Link, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, Cache-Control`,
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

/** Several values of one header are one, with commas between, as `fetch` has them. */
function flatten(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** At most `BODY_BYTES_MAX` bytes; of a larger body the rest is read and dropped, so that the answer can still be sent. */
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
    setRealTimer(resolve, ms);
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
      // What was given to the socket before goes out before it ends.
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
  // HEAD has its length from the engine, which knows the body that GET would get.
  const hasLength = 'Content-Length' in headers || STATUSES_WITHOUT_BODY.includes(status);
  response.writeHead(status, hasLength ? headers : { ...headers, 'Content-Length': Buffer.byteLength(body) });
}
