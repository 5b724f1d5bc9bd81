import { ERROR_MESSAGES, type NotFoundResource, notFoundMessage, OWN_MESSAGES } from '@svc/contract/error-messages';
import { AUTH_REALM } from '@svc/contract/vocabulary';

/** Reason phrases of the error statuses, shown in the `error` field of the body. */
export const REASON_PHRASES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const;

export type ApiErrorStatus = keyof typeof REASON_PHRASES;

export function isApiErrorStatus(status: number): status is ApiErrorStatus {
  return status in REASON_PHRASES;
}

/** The body of every error answer (`ErrorBody` in the contract). */
export interface ApiErrorBody {
  statusCode: number;
  message: string;
  error: string;
}

/** An error whose message is shown to the caller. Any other error is answered as a 500 without its text. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly statusCode: ApiErrorStatus;
  /** Whole seconds until the same call may succeed; becomes `Retry-After`. Only on 429 and 503. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    statusCode: ApiErrorStatus,
    message: string,
    options: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.statusCode = statusCode;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  toBody(): ApiErrorBody {
    return { statusCode: this.statusCode, message: this.message, error: REASON_PHRASES[this.statusCode] };
  }
}

/** Returns the headers of an error answer: `WWW-Authenticate` on a 401, `Retry-After` when the wait is known. */
export function errorHeaders({ statusCode, retryAfterSeconds }: ApiError): Record<string, string> {
  return {
    ...(statusCode === 401 ? { 'WWW-Authenticate': `Bearer realm="${AUTH_REALM}"` } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
  };
}

/** Creates a 400. `message` says what was wrong and what to send. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, message);
}

/** Creates a 400 for a body that is not the JSON it is declared as. `reason` comes from the parser or decoder. */
export function unreadableBody(reason: string): ApiError {
  return badRequest(`The request body could not be read: ${reason}`);
}

/** Creates a 400 for a body that does not have its declared content encoding. */
export function damagedEncoding(encoding: string): ApiError {
  return unreadableBody(`it is not ${encoding}`);
}

/** Creates a 413. @param limitBytes the limit, when it is known */
export function bodyTooLarge(limitBytes: number | undefined): ApiError {
  const limit = limitBytes === undefined ? '' : `, at most ${limitBytes} bytes are taken`;
  return new ApiError(413, `${OWN_MESSAGES.bodyTooLarge}${limit}`);
}

/** Creates a 415 for an unsupported charset or content encoding. */
export function undecodableBody(reason: string): ApiError {
  return new ApiError(415, `The request body cannot be read: ${reason}`);
}

/** Creates the 401, which is the same for a missing, malformed, unknown, revoked and rotated key. */
export function invalidApiKey(): ApiError {
  return new ApiError(401, ERROR_MESSAGES.invalidApiKey);
}

export function forbidden(message: string): ApiError {
  return new ApiError(403, message);
}

/** Creates a 404 that names the resource and repeats the id as it was sent. */
export function notFound(resource: NotFoundResource, id: number | string): ApiError {
  return new ApiError(404, notFoundMessage(resource, id));
}

export function conflict(message: string): ApiError {
  return new ApiError(409, message);
}
