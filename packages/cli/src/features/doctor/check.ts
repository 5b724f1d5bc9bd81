import { toErrorReport } from '../../command/map-error.ts';
import type { Credentials } from '../../config/credentials.ts';

/** One thing that was looked at. `skip`: there was nothing to look at, or something before it failed. */
export interface Check {
  readonly name: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'skip';
  /** What was found. */
  readonly detail: string;
  /** What to do about it. */
  readonly hint: string | null;
}

type Result = Omit<Check, 'name'>;

export const pass = (detail: string): Result => ({ status: 'pass', detail, hint: null });
export const warn = (detail: string, hint: string): Result => ({ status: 'warn', detail, hint });
export const fail = (detail: string, hint: string): Result => ({ status: 'fail', detail, hint });
export const skip = (detail: string): Result => ({ status: 'skip', detail, hint: null });

/**
 * A check that goes wrong itself has failed.
 *
 * @param credentials what it calls the service with
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
