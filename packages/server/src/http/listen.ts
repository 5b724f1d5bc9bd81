/** Getting a port and giving it back. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { answerToBrokenRequest, type BrokenRequest, KEEP_ALIVE_MS, missingHost } from '@svc/domain/broken-request';
import { listenUrl } from '@svc/domain/listen-url';

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
export async function bindServer(port: number, host: string): Promise<BoundServer> {
  let isClosing = false;
  let listener: RequestListener = (_request, response) => {
    const body = {
      statusCode: 503,
      message: 'The service is starting: try again shortly.',
      error: 'Service Unavailable',
    };
    response.writeHead(503, { 'content-type': JSON_TYPE, 'retry-after': '1' }).end(JSON.stringify(body));
  };
  const onRequest: RequestListener = (request, response) => {
    // A busy client would keep its connection, and with it the server, for as long as it likes.
    if (isClosing) response.setHeader('Connection', 'close');
    if (request.headers.host === undefined && request.httpVersion === '1.1') refuseWithoutHost(response);
    else listener(request, response);
  };
  // Node would refuse both of these without a body.
  const http = createServer({ requireHostHeader: false }, onRequest);
  http.on('checkExpectation', onRequest);
  // Longer than the proxies in front usually keep theirs: who closes first while the other sends loses a request.
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  http.requestTimeout = REQUEST_TIMEOUT_MS;
  http.on('clientError', refuseBrokenRequest);
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, port, host)));
    http.listen(port, host, resolve);
  });
  const { port: boundPort } = http.address() as AddressInfo;
  return {
    http,
    url: listenUrl(host, boundPort),
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

function refuseWithoutHost(response: ServerResponse): void {
  const body = JSON.stringify(missingHost().toBody());
  const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(400, { Connection: 'close', ...headers }).end(body);
}

/** What Node's parser refuses never becomes a request, but is answered in the same form as everything else. */
function refuseBrokenRequest(error: Error & BrokenRequest, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else socket.end(answerToBrokenRequest(error));
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
