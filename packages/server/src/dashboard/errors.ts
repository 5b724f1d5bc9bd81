/** The errors of the dashboard's own routes: `{"error": {"code", "message"}}`. */
import type { AdminErrorCode } from '@svc/operations/implemented/admin-error';

/** Beside the codes of refused operations. `confirm_required`: the call needs a sign-in of the last 15 minutes. */
export type DashboardErrorCode =
  | AdminErrorCode
  | 'signed_out'
  | 'forbidden'
  | 'confirm_required'
  | 'cross_site'
  | 'too_many_requests';

/** A refusal with its status, which the page shows or acts on. */
export class DashboardError extends Error {
  override readonly name = 'DashboardError';
  readonly status: number;
  readonly code: DashboardErrorCode;
  /** For a 429. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: DashboardErrorCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function signedOut(): DashboardError {
  return new DashboardError(401, 'signed_out', 'You are signed out: sign in again.');
}
