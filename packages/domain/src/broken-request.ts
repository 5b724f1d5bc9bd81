/** What is answered on a connection that no readable request came on: the same bodies as everywhere (specification, "Errors"). */
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { type ApiError, type ApiErrorBody, badRequest } from './errors.ts';

/** How long a connection is kept that nothing comes on: longer than proxies in front usually keep theirs, 65 seconds. */
export const KEEP_ALIVE_MS = 65_000;

/** What Node's HTTP server tells of a request that its parser refuses, or that took too long. */
export interface BrokenRequest {
  readonly code?: string | undefined;
  /** The bytes in which the fault was found. */
  readonly rawPacket?: Uint8Array | undefined;
}

/** The answer as it goes over the connection, which ends with it. */
export function answerToBrokenRequest({ code, rawPacket }: BrokenRequest): string {
  const refusal = refusalOfBrokenRequest(code);
  const body = JSON.stringify(refusal);
  const head = [
    `HTTP/1.1 ${refusal.statusCode} ${refusal.error}`,
    'Connection: close',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${body.length}`,
  ];
  // HEAD is answered without a body (RFC 9110, section 9.3.2), or a client takes it for the next answer.
  const isHead = new TextDecoder().decode(rawPacket?.subarray(0, 5)) === 'HEAD ';
  return `${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`;
}

function refusalOfBrokenRequest(code: string | undefined): ApiErrorBody {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        statusCode: 431,
        message: 'The request headers are too large',
        error: 'Request Header Fields Too Large',
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { statusCode: 408, message: 'The request took too long to arrive', error: 'Request Timeout' };
    default:
      return badRequest('This is not a readable HTTP request').toBody();
  }
}

/** 400: HTTP/1.1 asks for a `Host` (RFC 9112, section 3.2). */
export function missingHost(): ApiError {
  return badRequest('The request has no Host header');
}
