/** Why a route of the dashboard's own API refuses a request, and the answer that says so. */
import { ApiError } from '@svc/domain/errors/errors';
import { DatabaseUnavailableError } from '@svc/engine/store/database/db';
import { AdminError } from '@svc/operations/implemented/admin-error';
import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';

const STATUS_OF = {
  /** Nobody is signed in, or the session has ended. */
  signed_out: 401,
  /** The role of the user does not allow it. */
  forbidden: 403,
  /** It needs a sign-in of the last minutes. */
  confirm_required: 403,
  /** The request does not come from a page of this dashboard. */
  cross_site: 403,
  too_many_requests: 429,
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
} as const;

export type RefusalCode = keyof typeof STATUS_OF;

/** A refusal whose message the page shows: what was wrong, and what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RefusalCode, message: string, options: { retryAfterSeconds?: number } = {}) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export function signedOut(): Refusal {
  return new Refusal('signed_out', 'You are signed out: sign in again.');
}

/** Answers `{error: {code, message}}`. Errors of the public API keep their own form. */
export function refusalHandler(log: Logger): ErrorRequestHandler {
  // Express recognizes error handlers by their four parameters.
  return (error: unknown, _request, response, next) => {
    if (error instanceof ApiError || response.headersSent) {
      next(error);
      return;
    }
    const { code, message, retryAfterSeconds } = toRefusal(error);
    if (code === 'unexpected') log.error({ err: error, requestId: response.locals['requestId'] }, 'a request failed');
    if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', retryAfterSeconds);
    response.status(STATUS_OF[code]).json({ error: { code, message } });
  };
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof AdminError) return new Refusal(error.code, error.message);
  if (error instanceof DatabaseUnavailableError) {
    return new Refusal('server_unavailable', 'The database does not answer: try again shortly.', {
      retryAfterSeconds: 5,
    });
  }
  return fromFramework(error) ?? new Refusal('unexpected', 'The server failed: its log says why.');
}

/** Express and its body parser throw errors with a status. Their text may contain a part of the body. */
function fromFramework(error: unknown): Refusal | null {
  if (!(error instanceof Error) || !('status' in error)) return null;
  if (error instanceof URIError) return new Refusal('not_found', 'There is no such route.');
  if (error.status === 413) return new Refusal('invalid_input', 'The input is too large.');
  return typeof error.status === 'number' && error.status < 500
    ? new Refusal('invalid_input', 'The input is not JSON.')
    : null;
}
