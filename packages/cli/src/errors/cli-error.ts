import { EXIT_CODES, type ExitCode } from './exit-codes.ts';

/** A failure the person at the keyboard can do something about: `hint` is what to type or change next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  /** Machine-readable, for `--json`. */
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

/** A failure of any kind, told as it is, and behind it what to do next. */
export class FailureWithHint extends Error {
  override readonly name = 'FailureWithHint';
  readonly hint: string;

  constructor(cause: unknown, hint: string) {
    super(hint, { cause });
    this.hint = hint;
  }
}
