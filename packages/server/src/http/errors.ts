/** The one place where anything thrown becomes an answer. */
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

/** What the caller is told about `error`. The text of a failure of ours stays in the log. */
function toApiError(error: unknown, request: Request): ApiError {
  if (error instanceof ApiError) return error;
  return fromFramework(error, request) ?? new ApiError(500, OWN_MESSAGES.internalServerError);
}

/** Express and its body parser throw errors that carry a status. */
function fromFramework(error: unknown, request: Request): ApiError | null {
  if (!(error instanceof Error) || !('status' in error)) return null;
  // A path whose percent-encoding cannot be read names nothing.
  if (error instanceof URIError) return new ApiError(404, OWN_MESSAGES.noSuchRoute);
  switch (error.status) {
    case 400:
      return toUnreadableBody(error, request);
    case 413:
      return bodyTooLarge('limit' in error && typeof error.limit === 'number' ? error.limit : undefined);
    // Only a content encoding gets here: the content type is judged where a body is needed.
    case 415:
      return undecodableBody(error.message);
    default:
      return null;
  }
}

/** Only what `JSON.parse` says is about the body alone; the other texts are those of the framework and of zlib. */
function toUnreadableBody(error: Error, request: Request): ApiError {
  if ('type' in error && error.type === 'entity.parse.failed') return unreadableBody(error.message);
  const encoding = request.headers['content-encoding']?.toLowerCase();
  return encoding === undefined ? unreadableBody('it is not as long as announced') : damagedEncoding(encoding);
}

export function errorHandler(log: Logger): ErrorRequestHandler {
  // Express tells error handlers from others by their four arguments.
  return (error, request, response, _next) => {
    const apiError = toApiError(error, request);
    const { requestId } = response.locals;
    if (apiError.statusCode === 503) log.warn({ err: apiError.cause, requestId }, 'a request was put off');
    else if (apiError.statusCode >= 500) log.error({ err: error, requestId }, 'a request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(apiError.statusCode).set(errorHeaders(apiError)).json(apiError.toBody());
  };
}
