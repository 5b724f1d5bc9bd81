import { InvalidResponseError, RateLimitError } from '../errors/errors.ts';
import type { Outgoing } from './outgoing.ts';
import { parseRetryAfterMs } from './retry-timing.ts';

/** The part of an answer that errors report. */
type AnswerHead = Pick<Response, 'ok' | 'status' | 'headers'>;

/** Facts about a running call, collected for the error that it may end with. */
export interface CallTrace {
  attempts: number;
  /** Null until the call reaches `sendWithRetries`. */
  request: Request | Outgoing | null;
  response: AnswerHead | null;
  /** Path template, such as `/api/v1/syncs/{id}`. */
  readonly template: string;
  readonly headerPrefix: string;
}

export function startTrace({ headerPrefix }: Pick<CallTrace, 'headerPrefix'>, template: string): CallTrace {
  return { attempts: 0, request: null, response: null, template, headerPrefix };
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

/** The path comes without the query, which may hold personal data. */
function describeRequest({ attempts, request }: CallTrace) {
  return { attempts, method: request?.method ?? '', path: request ? new URL(request.url).pathname : '' };
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
