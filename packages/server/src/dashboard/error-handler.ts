/** The only place that turns errors of the dashboard's own routes into answers: `{"error": {"code", "message"}}`. */
import { ApiError } from '@svc/domain/errors/errors';
import { DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { AdminError, type AdminErrorCode } from '@svc/operations/implemented/admin-error';
import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { DashboardError } from './errors.ts';

const STATUS_OF: Readonly<Record<AdminErrorCode, number>> = {
  invalid_input: 400,
  not_found: 404,
  conflict: 409,
  not_confirmed: 409,
  crm_unavailable: 503,
  not_migrated: 503,
  no_database: 503,
  server_unavailable: 503,
  version_mismatch: 500,
  unexpected: 500,
};

/** Answers refusals, and leaves all other errors to the public API's form. */
export const answerRefusals: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!(error instanceof DashboardError) || response.headersSent) {
    next(error);
    return;
  }
  const { status, code, message, retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
  response.status(status).json({ error: { code, message } });
};

/** Makes a refusal of every error. The text of an internal failure stays in the log. */
export function refuseErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    const refusal = toRefusal(error);
    if (refusal.code === 'unexpected') {
      log.error({ err: error, requestId: response.locals['requestId'] }, 'a request failed');
    }
    next(refusal);
  };
}

function toRefusal(error: unknown): DashboardError {
  if (error instanceof DashboardError) return error;
  if (error instanceof AdminError) return new DashboardError(STATUS_OF[error.code], error.code, error.message);
  if (error instanceof ApiError && error.statusCode === 404) return noSuchRoute();
  if (error instanceof DatabaseUnavailableError) {
    return new DashboardError(503, 'server_unavailable', 'The database does not answer: try again shortly.', 5);
  }
  return fromFramework(error) ?? new DashboardError(500, 'unexpected', 'The server failed: its log says why.');
}

export function noSuchRoute(): DashboardError {
  return new DashboardError(404, 'not_found', 'The dashboard has no such route.');
}

/** Express and its body parser throw errors with a status. Their text may contain a part of the body. */
function fromFramework(error: unknown): DashboardError | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null;
  if (error instanceof URIError) return noSuchRoute();
  if (error.status === 413) return new DashboardError(413, 'invalid_input', 'The input is too large.');
  return error.status < 500 ? new DashboardError(400, 'invalid_input', 'The input is not JSON.') : null;
}
