import type { ClientRequest, IncomingMessage } from 'node:http';
import { type Body, Headers, Request, type RequestInit, Response } from './fetch-types.ts';

/** The connection timeout of Node's own `fetch`. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * `fetch` over `node:http`. Node's own `fetch` takes longer to load than everything else in a command.
 *
 * - Redirects are not followed.
 * - Failures are the system's errors with `code` and `syscall`, not wrapped in another error.
 */
export function fetchOverHttp(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const request = new Request(input, init);
  const { signal } = request;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const outgoing = openRequest(request);
    const onAbort = () => {
      reject(signal.reason);
      outgoing.destroy(signal.reason instanceof Error ? signal.reason : undefined);
    };
    signal.addEventListener('abort', onAbort);
    outgoing.on('close', () => signal.removeEventListener('abort', onAbort));
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => resolve(toResponse(incoming, request)));
    limitConnecting(outgoing);
    outgoing.end(request.body ?? undefined);
  });
}

function openRequest({ url, method, headers, body }: Request): ClientRequest {
  const target = new URL(url);
  const isSecure = target.protocol === 'https:';
  const all = new Headers({
    Accept: '*/*',
    'Accept-Encoding': isSecure ? 'br, gzip, deflate' : 'gzip, deflate',
    ...Object.fromEntries(headers),
  });
  // Node sends the body of a DELETE without Content-Length.
  if (body !== null) all.set('Content-Length', String(body.byteLength));
  const options = { method, headers: Object.fromEntries(all) };
  // An import would load Node's own `fetch`.
  return isSecure
    ? process.getBuiltinModule('node:https').request(target, options)
    : process.getBuiltinModule('node:http').request(target, options);
}

/** Limits the time to connect. The error shows that nothing was sent, so that any request may be retried. */
function limitConnecting(outgoing: ClientRequest): void {
  outgoing.on('socket', (socket) => {
    if (!socket.connecting) return;
    const onTimeout = () => {
      const message = `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`;
      outgoing.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT', syscall: 'connect' }));
    };
    const timer = setTimeout(onTimeout, CONNECT_TIMEOUT_MS);
    socket.once('connect', () => clearTimeout(timer));
    outgoing.once('close', () => clearTimeout(timer));
  });
}

function toResponse(incoming: IncomingMessage, { url, method, signal }: Request): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = incoming;
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  const hasBody = method !== 'HEAD' && ![204, 205, 304].includes(status);
  // An unread body would keep the connection and the process open.
  if (!hasBody) incoming.resume();
  const body = hasBody ? bodyOf(incoming, headers.get('content-encoding') ?? '', signal) : null;
  return new Response(body, { status, statusText, headers, url });
}

function bodyOf(incoming: IncomingMessage, encodings: string, signal: AbortSignal): Body {
  return {
    async cancel() {
      incoming.destroy();
    },
    read: () =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', (error) => reject(signal.aborted ? signal.reason : error));
        incoming.on('end', () => {
          try {
            resolve(decode(Buffer.concat(chunks), encodings));
          } catch (error) {
            reject(error);
          }
        });
      }),
  };
}

/** @throws Error of zlib if the body does not have this encoding */
function decode(bytes: Buffer, encodings: string): Buffer {
  if (bytes.length === 0 || encodings === '') return bytes;
  const zlib = process.getBuiltinModule('node:zlib');
  let decoded = bytes;
  for (const encoding of encodings.toLowerCase().split(',').toReversed()) {
    const name = encoding.trim();
    if (name === 'gzip' || name === 'x-gzip') decoded = zlib.gunzipSync(decoded);
    else if (name === 'deflate') decoded = zlib.inflateSync(decoded);
    else if (name === 'br') decoded = zlib.brotliDecompressSync(decoded);
  }
  return decoded;
}
