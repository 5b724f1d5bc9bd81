import { toErrorReport } from '../../command/map-error.ts';
import type { Credentials } from '../../config/credentials.ts';

/** The result of one check. `skip`: not applicable, or an earlier check failed. */
export interface Check {
  readonly name: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'skip';
  readonly detail: string;
  /** How to fix it. */
  readonly hint: string | null;
}

type Result = Omit<Check, 'name'>;

export const pass = (detail: string): Result => ({ status: 'pass', detail, hint: null });
export const warn = (detail: string, hint: string): Result => ({ status: 'warn', detail, hint });
export const fail = (detail: string, hint: string): Result => ({ status: 'fail', detail, hint });
export const skip = (detail: string): Result => ({ status: 'skip', detail, hint: null });

/**
 * Runs a check. An exception counts as a failed check.
 *
 * @param credentials used in error messages
 */
export async function runCheck(
  name: string,
  check: () => Result | Promise<Result>,
  credentials: Credentials | null = null,
): Promise<Check> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    const { message, hint } = toErrorReport(error, credentials);
    return { name, status: 'fail', detail: message, hint };
  }
}
