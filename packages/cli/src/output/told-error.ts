import type { ErrorReport } from '../lib/error-report.ts';

/** A failure of one among several things, as `--json` shows it. */
export type ToldError = Pick<ErrorReport, 'code' | 'status' | 'message' | 'requestId' | 'retryable'>;

export const TOLD_ERROR_FIELDS = ['code', 'status', 'message', 'requestId', 'retryable'] as const;

export function toldError({ code, status, message, requestId, retryable }: ErrorReport): ToldError {
  return { code, status, message, requestId, retryable };
}
