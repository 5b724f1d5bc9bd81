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

/** A check that goes wrong itself has failed. */
export async function runCheck(name: string, check: () => Result | Promise<Result>): Promise<Check> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    const { message, hint } = toParts(error);
    return { name, status: 'fail', detail: message, hint };
  }
}

function toParts(error: unknown): { message: string; hint: string | null } {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : null;
  return { message, hint };
}
