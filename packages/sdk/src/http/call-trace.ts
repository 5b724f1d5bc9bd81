import { InvalidResponseError, RateLimitError } from '../errors/errors.ts';
import { parseRetryAfterMs } from './retry-timing.ts';

/** The part of an answer that errors report. */
type AnswerHead = Pick<Response, 'ok' | 'status' | 'headers'>;

/** Facts about a running call, collected for the error that it may end with. */
export interface CallTrace {
  attempts: number;
  method: string;
  /** Without the query, which may hold personal data. */
  path: string;
  response: AnswerHead | null;
  readonly headerPrefix: string;
}

export function startTrace({ headerPrefix }: Pick<CallTrace, 'headerPrefix'>): CallTrace {
  return { attempts: 0, method: '', path: '', response: null, headerPrefix };
}

export function requestIdOf({ headerPrefix }: CallTrace, { headers }: AnswerHead): string | null {
  return headers.get(`${headerPrefix}-Request-Id`);
}

/** Returns the details that all errors about an answer have in common. */
export function describeAnswer(trace: CallTrace, response: AnswerHead, nowMs: number) {
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

/** @param fault completes the sentence "The answer to GET /path ..." */
export function toInvalidResponseError(trace: CallTrace, response: AnswerHead, fault: string): InvalidResponseError {
  const details = describeAnswer(trace, response, 0);
  const hint = 'is the base URL correct?';
  return new InvalidResponseError(`The answer to ${details.method} ${details.path} ${fault}; ${hint}`, details);
}

/** Returns the error for a request that is not sent because the service would answer 429. */
export function toClosedGateError(trace: CallTrace, waitMs: number): RateLimitError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const details = { ...describeRequest(trace), status: 429, requestId: null, retryAfterSeconds };
  return new RateLimitError(`The rate limit is used up for another ${retryAfterSeconds} s`, details);
}
