/** Answers to requests that the HTTP parser rejects or whose headers are wrong, with the usual bodies (`errors.ts`). */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { ApiError, type ApiErrorBody, badRequest } from './errors.ts';

/** Keep-alive time of an idle connection: 65 seconds, longer than that of the usual proxies in front. */
export const KEEP_ALIVE_MS = 65_000;

/** Time that a client has to read the answer to a broken request before its connection is closed. */
export const BROKEN_REQUEST_GRACE_MS = 1_000;

/** The error of Node's HTTP server for a request that its parser rejects or that took too long. */
export interface BrokenRequest {
  readonly code?: string | undefined;
  /** The bytes in which the fault was found. */
  readonly rawPacket?: Uint8Array | undefined;
}

/**
 * Formats the raw HTTP answer. The connection is closed after it.
 * @param headers the headers of every API answer, since the path may be unknown
 */
export function formatBrokenRequestAnswer(
  { code, rawPacket }: BrokenRequest,
  headers: Readonly<Record<string, string>>,
): string {
  const refusal = refusalOfBrokenRequest(code);
  const body = JSON.stringify(refusal);
  const head = [
    `HTTP/1.1 ${refusal.statusCode} ${refusal.error}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${body.length}`,
  ];
  // An answer to HEAD has no body (RFC 9110, section 9.3.2): a client would read it as the next answer.
  const isHead = new TextDecoder().decode(rawPacket?.subarray(0, 5)) === 'HEAD ';
  return `${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`;
}

function refusalOfBrokenRequest(code: string | undefined): ApiErrorBody {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(431, OWN_MESSAGES.headersTooLarge).toBody();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { statusCode: 408, message: 'The request took too long to arrive', error: 'Request Timeout' };
    default:
      return badRequest('This is not a readable HTTP request').toBody();
  }
}

/**
 * Returns the error of a request with a missing or repeated `Host` (RFC 9112, section 3.2); null when there is none. A proxy and
 * this service could read different values of a repeated header; a repeated `Authorization` is no valid key (`parseBearer`).
 *
 * @param rawHeaders alternating names and values, as Node's `rawHeaders`
 */
export function findHeaderError({
  httpVersion,
  rawHeaders,
}: {
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
}): ApiError | null {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (httpVersion === '1.1' && hosts === 0) return badRequest('The request has no Host header');
  return hosts > 1 ? badRequest('The request has more than one Host header: send one') : null;
}
