/** What never becomes a request is answered in the form of all other errors, where Node would answer without a body. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { answerToBrokenRequest, type BrokenRequest, missingHost } from '@svc/domain/broken-request';

/** Listener of `clientError`: what Node's parser refuses, and what took too long to arrive. */
export function refuseBrokenRequest(error: Error & BrokenRequest, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else socket.end(answerToBrokenRequest(error));
}

/** HTTP/1.1 asks for one (RFC 9112, section 3.2). @returns whether the request was refused for it */
export function refuseWithoutHost({ headers, httpVersion }: IncomingMessage, response: ServerResponse): boolean {
  if (headers.host !== undefined || httpVersion !== '1.1') return false;
  const body = JSON.stringify(missingHost().toBody());
  const contentHeaders = { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(400, { Connection: 'close', ...contentHeaders }).end(body);
  return true;
}
