/** What is answered on a connection that no readable request came on: the same bodies as everywhere (specification, "Errors"). */
import { type ApiError, type ApiErrorBody, badRequest } from './errors.ts';

/** How long a connection is kept that nothing comes on: longer than proxies in front usually keep theirs, 65 seconds. */
export const KEEP_ALIVE_MS = 65_000;

/** @param code of the error that Node's HTTP server tells of */
export function refusalOfBrokenRequest(code: string | undefined): ApiErrorBody {
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
