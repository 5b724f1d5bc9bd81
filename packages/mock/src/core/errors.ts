/** The one place where anything thrown becomes an answer. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { ApiError, errorHeaders } from '@svc/domain/errors/errors';
import type { Reply } from './call.ts';

/** What the caller is told about `error`. A failure of ours is reported and answered as a 500 without its text. */
export function toApiError(error: unknown, reportError: (error: unknown) => void = () => {}): ApiError {
  if (error instanceof ApiError) return error;
  reportError(error);
  return new ApiError(500, OWN_MESSAGES.internalServerError);
}

export function toErrorReply(error: ApiError): Reply {
  return { status: error.statusCode, json: error.toBody(), headers: errorHeaders(error) };
}
