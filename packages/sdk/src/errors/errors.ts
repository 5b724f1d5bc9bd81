import type { ResumePoint } from './resume-point.ts';
import type { RetryAllSummary } from './retry-all-summary.ts';

export interface SvcErrorDetails {
  /** HTTP requests made for the call that failed, retries included. 0: nothing was sent. */
  attempts?: number;
  cause?: unknown;
}

/** Base class of all errors that the SDK throws. Nothing reachable from an error holds the API key. */
export class SvcError extends Error {
  override readonly name: string = 'SvcError';
  /** HTTP requests made for the call that failed, retries included. 0: nothing was sent. */
  declare readonly attempts: number;
  /** Set when a list failed half-way: pass it as `resume` to continue after the last row that was yielded. */
  declare resume?: ResumePoint;
  /** Set when `syncs.retryAll` failed half-way: what it had done until then. */
  declare summary?: RetryAllSummary;

  constructor(message: string, details: SvcErrorDetails = {}) {
    // `Error` takes `cause` and makes it non-enumerable; assigning it again keeps it so.
    super(message, details);
    // The details of subclasses hold the properties that these declare.
    Object.assign(this, { attempts: 0 }, details);
  }
}

/** An option or argument can never work. Nothing was sent. */
export class ConfigurationError extends SvcError {
  override readonly name = 'ConfigurationError';
}

export interface ApiErrorDetails extends SvcErrorDetails {
  status: number;
  requestId: string | null;
  retryAfterSeconds: number | null;
  method: string;
  path: string;
  body?: unknown;
}

/**
 * The service answered with an error status. `status` and `message` are stable. `message` is the service's own text, or a generic
 * sentence when the body has no message; after a 401 without a key it says so.
 */
export class ApiError extends SvcError {
  override readonly name: string = 'ApiError';
  declare readonly status: number;
  /** `Service-Request-Id` of the answer: quote it to support. */
  declare readonly requestId: string | null;
  /** Value of `Retry-After` in seconds; null when there was none. */
  declare readonly retryAfterSeconds: number | null;
  declare readonly method: string;
  /** Path without the query, which may hold personal data. */
  declare readonly path: string;
  /** The parsed body, or its text when it was not JSON. */
  declare readonly body: unknown;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
  }
}

/** 400: a parameter or body is wrong; the message says which. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError';
  declare readonly status: 400;
}

/** 401: the key is missing, malformed, unknown, revoked or rotated; the service does not say which. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
  declare readonly status: 401;
}

/** 403: the key is valid but not allowed to do this; the message says why. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
  declare readonly status: 403;
}

/** 404: it does not exist, or is outside the key's access. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
  declare readonly status: 404;
}

/** 409: the resource is in a state that does not allow this. Never retried. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
  declare readonly status: 409;
}

/** 413: the body is larger than the service accepts. */
export class PayloadTooLargeError extends ApiError {
  override readonly name = 'PayloadTooLargeError';
  declare readonly status: 413;
}

/** 415: the body was not sent as JSON. */
export class UnsupportedMediaTypeError extends ApiError {
  override readonly name = 'UnsupportedMediaTypeError';
  declare readonly status: 415;
}

/**
 * 429, after the last retry or because the wait would exceed `maxRetryAfterMs`. `attempts` is 0 when nothing was sent because an
 * earlier answer had closed the rate limit.
 */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
  declare readonly status: 429;
}

/** 5xx; for a GET, after the last retry. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/**
 * The answer does not come from the service: a redirect, which is not followed, or a success whose body is empty, not JSON or not as
 * the contract has it. The base URL is probably wrong.
 */
export class InvalidResponseError extends ApiError {
  override readonly name = 'InvalidResponseError';
}

export interface NetworkErrorDetails extends SvcErrorDetails {
  code: string | null;
  nothingSent: boolean;
}

/** No answer, or one that broke off: DNS, refused or reset connection, TLS. */
export class NetworkError extends SvcError {
  override readonly name = 'NetworkError';
  /** System code such as `ECONNREFUSED`; null when the runtime does not report one. */
  declare readonly code: string | null;
  /** True when the request was certainly not sent. Only then is it safe to send a POST again. */
  declare readonly nothingSent: boolean;

  constructor(message: string, details: NetworkErrorDetails) {
    super(message, details);
  }
}

/** No complete answer within `timeoutMs` of one attempt. */
export class TimeoutError extends SvcError {
  override readonly name = 'TimeoutError';
  declare readonly timeoutMs: number;

  constructor(message: string, details: SvcErrorDetails & { timeoutMs: number }) {
    super(message, details);
  }
}

/** The caller's signal aborted the call; `cause` is the signal's reason. */
export class AbortError extends SvcError {
  override readonly name = 'AbortError';
}

/** The service broke the rules of paging: a cursor came back a second time, or `hasMore` came without a cursor. */
export class PaginationError extends SvcError {
  override readonly name = 'PaginationError';
}

const CLASS_OF_STATUS: Record<number, new (message: string, details: ApiErrorDetails) => ApiError> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaTypeError,
  429: RateLimitError,
};

/** Returns the error for an answer that is not a success. `message` replaces the service's. */
export function toApiError(details: ApiErrorDetails, message?: string): ApiError {
  const text = message ?? messageOfBody(details.body) ?? `${details.method} ${details.path} answered ${details.status}`;
  const ErrorClass = CLASS_OF_STATUS[details.status] ?? (details.status >= 500 ? ServerError : ApiError);
  return new ErrorClass(text, details);
}

function messageOfBody(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined;
  // Frameworks that check bodies answer a list of what is wrong.
  const messages: unknown[] = [body.message].flat();
  return messages.every((each) => typeof each === 'string') ? messages.join('; ') || undefined : undefined;
}
