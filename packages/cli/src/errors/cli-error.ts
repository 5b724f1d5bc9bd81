import { EXIT_CODES, type ExitCode } from './exit-codes.ts';

/** A failure that the user can fix; `hint` says how. */
export class CliError extends Error {
  override readonly name = 'CliError';
  /** Error code for `--json`. */
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly hint: string | null;

  constructor(code: string, exitCode: ExitCode, message: string, hint: string | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

export function usageError(message: string, hint: string | null = null): CliError {
  return new CliError('usage', EXIT_CODES.usage, message, hint);
}

/** Adds a hint to a failure of any kind, which is reported unchanged. */
export class FailureWithHint extends Error {
  override readonly name = 'FailureWithHint';
  readonly hint: string;

  constructor(cause: unknown, hint: string) {
    super(hint, { cause });
    this.hint = hint;
  }
}
