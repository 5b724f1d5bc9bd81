import { InvalidResponseError, RateLimitError } from '../errors/errors.ts';
import { parseRetryAfterMs } from './retry-timing.ts';

/** Of an answer, what errors tell. */
type Head = Pick<Response, 'ok' | 'status' | 'headers'>;

/** Filled in while a call runs, for the error that may come of it. */
export interface CallTrace {
  attempts: number;
  method: string;
  /** Without the query, which may hold personal data. */
  path: string;
  response: Head | null;
  readonly headerPrefix: string;
}

export function startTrace({ headerPrefix }: Pick<CallTrace, 'headerPrefix'>): CallTrace {
  return { attempts: 0, method: '', path: '', response: null, headerPrefix };
}

export function requestIdOf({ headerPrefix }: CallTrace, { headers }: Head): string | null {
  return headers.get(`${headerPrefix}-Request-Id`);
}

/** What every error of an answer tells. */
export function describeAnswer(trace: CallTrace, response: Head, nowMs: number) {
  const retryAfterMs = parseRetryAfterMs(response.headers, nowMs);
  return {
    ...describeRequest(trace),
    status: response.status,
    requestId: requestIdOf(trace, response),
    retryAfterSeconds: retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000),
  };
}

function describeRequest({ attempts, method, path }: CallTrace) {
  return { attempts, method, path };
}

/** `fault` goes on from "The answer to GET /path". */
export function toInvalidResponseError(trace: CallTrace, response: Head, fault: string): InvalidResponseError {
  const details = describeAnswer(trace, response, 0);
  const hint = 'is the base URL that of the service?';
  return new InvalidResponseError(`The answer to ${details.method} ${details.path} ${fault}; ${hint}`, details);
}

/** In place of the 429 that a request would meet. */
export function toClosedError(trace: CallTrace, waitMs: number): RateLimitError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const details = { ...describeRequest(trace), status: 429, requestId: null, retryAfterSeconds };
  return new RateLimitError(`The rate limit is used up for another ${retryAfterSeconds} s`, details);
}
