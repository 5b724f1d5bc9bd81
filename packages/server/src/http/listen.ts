/** Binds and releases the port. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { API_PREFIX, HEADERS, JSON_TYPE } from '@svc/contract/vocabulary';
import { answerHeaders } from '@svc/domain/requests/answer-headers';
import { brandHeaderName } from '@svc/domain/pages/branding';
import {
  formatBrokenRequestAnswer,
  BROKEN_REQUEST_GRACE_MS,
  type BrokenRequest,
  KEEP_ALIVE_MS,
} from '@svc/domain/errors/broken-request';
import { ApiError, errorHeaders } from '@svc/domain/errors/errors';
import { listenUrl } from '@svc/domain/network/listen-url';
import type { Config } from '@svc/engine/config/config';
import { publicUrls } from '@svc/engine/config/public-urls';
import { type AddressShare, limitAddresses } from './address-share.ts';

/** The port is in use or not permitted; the message says what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Maximum time for a request to arrive, including its body. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Maximum time for the headers of a request, from the begin of its connection or of the request. */
const HEADERS_TIMEOUT_MS = 10_000;
/** How often Node looks for requests that are too late. */
const LATE_REQUESTS_CHECKED_MS = 1_000;

/** An address to bind, and the settings that its errors name. */
interface Listener {
  readonly host: string;
  readonly port: number;
  readonly portSetting: string;
  readonly hostSetting: string;
}

export interface BoundServer {
  http: Server;
  /** For example `http://127.0.0.1:4000`. */
  url: string;
  /** IP address of the listening socket. */
  address: string;
  /** Passes requests to the application; before this call they get a 503. */
  serve(listener: RequestListener): void;
  /** Each answer from now on closes its connection. */
  endKeepAlive(): void;
  /**
   * Accepts no more connections, and waits up to `graceMs` for running requests. Connections that are idle are closed after `idleMs`: until
   * then, a request that was on its way is answered, and its answer closes the connection. Default: at once.
   */
  close(graceMs: number, idleMs?: number): Promise<void>;
}

/**
 * Binds the port before anything else happens, so that a server without a port changes nothing.
 *
 * @throws ListenError
 */
export function bindServer(config: Config): Promise<BoundServer> {
  const { host, port, connectionsPerAddressMax: max, trustProxy } = config;
  return bind(config, { host, port, portSetting: '--port', hostSetting: 'SVC_HOST' }, { max, trustProxy });
}

/**
 * Binds the administrative listener.
 *
 * @returns null without one in the configuration
 * @throws ListenError
 */
export async function bindAdminServer(config: Config): Promise<BoundServer | null> {
  const { adminListener } = config;
  if (adminListener === null) return null;
  return bind(config, { ...adminListener, portSetting: 'SVC_ADMIN_PORT', hostSetting: 'SVC_ADMIN_HOST' }, null);
}

/** @param share null: one address may have all connections */
async function bind(config: Config, wanted: Listener, share: AddressShare | null): Promise<BoundServer> {
  const { port, host } = wanted;
  let isClosing = false;
  let boundUrl = listenUrl(host, port);
  /** Headers of answers that are sent without the application. */
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
  const answering = new Set<ServerResponse>();
  const endKeepAlive = () => {
    isClosing = true;
    for (const response of answering) if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  const onRequest: RequestListener = (request, response) => {
    // Otherwise a busy client would keep its connection open, and the server running.
    if (isClosing) response.setHeader('Connection', 'close');
    answering.add(response);
    response.once('close', () => answering.delete(response));
    listener(request, response);
  };
  // Without these, Node answers requests without `Host` or with an unknown `Expect` itself, with no body.
  const http = createServer(
    { requireHostHeader: false, connectionsCheckingInterval: LATE_REQUESTS_CHECKED_MS },
    onRequest,
  );
  http.on('checkExpectation', onRequest);
  // Longer than common proxies keep idle connections: if the server closed first, a request in flight would be lost.
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  http.requestTimeout = REQUEST_TIMEOUT_MS;
  http.headersTimeout = HEADERS_TIMEOUT_MS;
  http.maxConnections = config.connectionsMax;
  if (share !== null) limitAddresses(http, share);
  // Malformed requests get an answer in the same form as all others.
  http.on('clientError', (error: Error & BrokenRequest, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else {
      socket.end(formatBrokenRequestAnswer(error, headers()));
      // A client that never closes its side would keep the connection forever.
      setTimeout(() => socket.destroy(), BROKEN_REQUEST_GRACE_MS).unref();
    }
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, wanted)));
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
    endKeepAlive,
    async close(graceMs, idleMs = 0) {
      endKeepAlive();
      const closed = once(http, 'close');
      // The method `close` of `http` closes idle connections too, and a request that is on its way would be lost.
      if (idleMs > 0) NetServer.prototype.close.call(http);
      else http.close();
      const closeIdle = setTimeout(() => http.closeIdleConnections(), idleMs);
      // Connections that are still open after the grace period never end by themselves.
      const force = setTimeout(() => http.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(closeIdle);
      clearTimeout(force);
    },
  };
}

/** Turns an error of `listen` into one that says what to do; others are returned as they are. */
export function toListenError(error: NodeJS.ErrnoException, { port, host, portSetting, hostSetting }: Listener): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        `Port ${port} on ${host} is in use: stop what listens there, or choose another with ${portSetting} (0 picks a free one).`,
      );
    case 'EACCES':
      return new ListenError(`Port ${port} is not permitted for this user: choose one above 1023 with ${portSetting}.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ListenError(
        `The address ${host} does not belong to this machine: set ${hostSetting} to one that does, such as 127.0.0.1 or 0.0.0.0.`,
      );
    default:
      return error;
  }
}
