/**
 * Requests that are refused for their head alone, and what is answered on a connection on which no readable request came: the
 * same bodies as everywhere (specification, "Errors").
 */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { ApiError, type ApiErrorBody, badRequest } from './errors.ts';

/** How long a connection is kept that nothing comes on: longer than proxies in front usually keep theirs, 65 seconds. */
export const KEEP_ALIVE_MS = 65_000;

/** How long a connection stays open after the answer to a broken request: for the client to read it and to close its side. */
export const BROKEN_REQUEST_GRACE_MS = 1_000;

/** What Node's HTTP server tells of a request that its parser refuses, or that took too long. */
export interface BrokenRequest {
  readonly code?: string | undefined;
  /** The bytes in which the fault was found. */
  readonly rawPacket?: Uint8Array | undefined;
}

/**
 * The answer as it goes over the connection, which ends with it.
 * @param headers of every answer of the API, since the path may not be known
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
  // HEAD is answered without a body (RFC 9110, section 9.3.2), or a client takes it for the next answer.
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

/** Headers of which two readers, such as a proxy and this service, could each take another value. */
const SINGLE_HEADERS = ['Host', 'Authorization'] as const;

/**
 * Why a request that could be read is refused for its headers; null when it is not. HTTP/1.1 asks for one `Host` (RFC 9112,
 * section 3.2).
 *
 * @param rawHeaders names and values in turn, as Node's `rawHeaders`
 */
export function findHeaderError({
  httpVersion,
  rawHeaders,
}: {
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
}): ApiError | null {
  const count = (name: string) =>
    rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === name.toLowerCase()).length;
  if (httpVersion === '1.1' && count('Host') === 0) return badRequest('The request has no Host header');
  const repeated = SINGLE_HEADERS.find((name) => count(name) > 1);
  return repeated === undefined ? null : badRequest(`The request has more than one ${repeated} header: send one`);
}
