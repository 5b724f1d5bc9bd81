/** The one place where anything thrown becomes an answer. */
import { OWN_MESSAGES } from '@svc/contract/error-messages';
import { AUTH_REALM } from '@svc/contract/vocabulary';
import { ApiError } from '@svc/domain/errors';
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

function errorHeaders({ statusCode, retryAfterSeconds }: ApiError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (statusCode === 401) headers['WWW-Authenticate'] = `Bearer realm="${AUTH_REALM}"`;
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  return headers;
}
