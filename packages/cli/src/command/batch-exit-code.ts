import { EXIT_CODES, type ExitCode } from '../errors/exit-codes.ts';

/**
 * Combines the exit codes of several items:
 * 1. the common code if all are the same, 0 if there are none
 * 2. 11 if some items timed out and the rest succeeded
 * 3. 10 otherwise
 */
export function exitCodeOfBatch(codes: readonly ExitCode[]): ExitCode {
  const distinct = new Set(codes);
  const [only = EXIT_CODES.ok, ...others] = distinct;
  if (others.length === 0) return only;
  const isTimeoutAtWorst = [...distinct].every((code) => code === EXIT_CODES.ok || code === EXIT_CODES.waitTimedOut);
  return isTimeoutAtWorst ? EXIT_CODES.waitTimedOut : EXIT_CODES.partlyDone;
}
