/** The only place that turns thrown errors into answers. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import {
  ApiError,
  bodyTooLarge,
  damagedEncoding,
  errorHeaders,
  undecodableBody,
  unreadableBody,
} from '@svc/domain/errors/errors';
import type { ErrorRequestHandler, Request } from 'express';
import type { Logger } from 'pino';

/** Returns the error shown to the caller. The text of an internal failure stays in the log. */
function toApiError(error: unknown, request: Request): ApiError {
  if (error instanceof ApiError) return error;
  return fromFramework(error, request) ?? new ApiError(500, OWN_MESSAGES.internalServerError);
}

/** Express and its body parser throw errors with a status. */
function fromFramework(error: unknown, request: Request): ApiError | null {
  if (!(error instanceof Error) || !('status' in error)) return null;
  // A path whose percent-encoding is malformed matches no route.
  if (error instanceof URIError) return new ApiError(404, OWN_MESSAGES.noSuchRoute);
  switch (error.status) {
    case 400:
      return toUnreadableBody(error, request);
    case 413:
      return bodyTooLarge('limit' in error && typeof error.limit === 'number' ? error.limit : undefined);
    // Only an unknown content encoding gets here; content types are checked where a body is needed.
    case 415:
      return undecodableBody(error.message);
    default:
      return null;
  }
}

/** Only `JSON.parse` describes the body itself; other messages come from the framework or zlib. */
function toUnreadableBody(error: Error, request: Request): ApiError {
  if ('type' in error && error.type === 'entity.parse.failed') return unreadableBody(error.message);
  const encoding = request.headers['content-encoding']?.toLowerCase();
  return encoding === undefined ? unreadableBody('it is not as long as announced') : damagedEncoding(encoding);
}

export function errorHandler(log: Logger): ErrorRequestHandler {
  // Express recognizes error handlers by their four parameters.
  return (error, request, response, _next) => {
    const apiError = toApiError(error, request);
    const { requestId } = response.locals;
    if (apiError.statusCode === 503) log.warn({ err: apiError.cause, requestId }, 'a request was refused for now');
    else if (apiError.statusCode >= 500) log.error({ err: error, requestId }, 'a request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(apiError.statusCode).set(errorHeaders(apiError)).json(apiError.toBody());
  };
}
