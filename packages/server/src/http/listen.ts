/** Getting a port and giving it back. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { API_PREFIX, HEADERS, JSON_TYPE } from '@svc/contract/vocabulary';
import { answerHeaders } from '@svc/domain/requests/answer-headers';
import { brandHeaderName } from '@svc/domain/pages/branding';
import {
  answerToBrokenRequest,
  BROKEN_REQUEST_GRACE_MS,
  type BrokenRequest,
  KEEP_ALIVE_MS,
} from '@svc/domain/errors/broken-request';
import { ApiError, errorHeaders } from '@svc/domain/errors/errors';
import { listenUrl } from '@svc/domain/network/listen-url';
import type { Config } from '../config.ts';
import { publicUrls } from '../public-urls.ts';

/** The port is taken or may not be used; the message says what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** For a request to arrive, its body included. */
const REQUEST_TIMEOUT_MS = 60_000;

export interface BoundServer {
  http: Server;
  /** `http://127.0.0.1:4000` */
  url: string;
  /** The IP address that it listens on. */
  address: string;
  /** Hands requests to the application; until then they are answered 503. */
  serve(listener: RequestListener): void;
  /** Takes no more requests and waits for those at work, at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/**
 * Takes the port before anything else is done, so that a server that cannot have it has touched nothing.
 *
 * @throws ListenError
 */
export async function bindServer(config: Config): Promise<BoundServer> {
  const { port, host } = config;
  let isClosing = false;
  let boundUrl = listenUrl(host, port);
  /** Of what is answered before the application is there to do it, or without it. */
  const headers = () => {
    const { api, docs } = publicUrls(config, boundUrl);
    const requestId = { [brandHeaderName(HEADERS.requestId, config.branding)]: randomUUID() };
    return { ...answerHeaders(API_PREFIX, { apiUrl: api, docsUrl: docs }), ...requestId };
  };
  let listener: RequestListener = (_request, response) => {
    const refusal = new ApiError(503, 'The service is starting: try again shortly.', { retryAfterSeconds: 1 });
    response
      .writeHead(503, { ...headers(), 'Content-Type': JSON_TYPE, ...errorHeaders(refusal) })
      .end(JSON.stringify(refusal.toBody()));
  };
  const onRequest: RequestListener = (request, response) => {
    // A busy client would keep its connection, and with it the server, for as long as it likes.
    if (isClosing) response.setHeader('Connection', 'close');
    listener(request, response);
  };
  // Node would refuse a request without `Host`, and one with an unknown expectation, without a body.
  const http = createServer({ requireHostHeader: false }, onRequest);
  http.on('checkExpectation', onRequest);
  // Longer than the proxies in front usually keep theirs: who closes first while the other sends loses a request.
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  http.requestTimeout = REQUEST_TIMEOUT_MS;
  http.maxConnections = config.connectionsMax;
  // What Node's parser refuses never becomes a request, but is answered in the same form as everything else.
  http.on('clientError', (error: Error & BrokenRequest, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else {
      socket.end(answerToBrokenRequest(error, headers()));
      // A client that never closes its side would keep the connection, and the request, for ever.
      setTimeout(() => socket.destroy(), BROKEN_REQUEST_GRACE_MS).unref();
    }
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, port, host)));
    http.listen(port, host, resolve);
  });
  const bound = http.address() as AddressInfo;
  boundUrl = listenUrl(host, bound.port);
  return {
    http,
    url: boundUrl,
    address: bound.address,
    serve(next) {
      listener = next;
    },
    async close(graceMs) {
      isClosing = true;
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeIdleConnections();
      // What is still open after the grace is stalled, or never ends by itself.
      const force = setTimeout(() => http.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(force);
    },
  };
}

function toListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        `Port ${port} on ${host} is taken: stop what listens there, or choose another with --port (0 picks a free one).`,
      );
    case 'EACCES':
      return new ListenError(`Port ${port} may not be used by this user: choose one above 1023 with --port.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError(
        `The address ${host} is not one of this machine: set SVC_HOST to one that is, such as 127.0.0.1 or 0.0.0.0.`,
      );
    default:
      return error;
  }
}
