import { EXIT_CODES, type ExitCode } from '../errors/exit-codes.ts';

/**
 * One exit code for the codes of several things:
 * 1. When all ended alike, that code; 0 for none at all.
 * 2. 11 when some timed out and the others went well: nothing is known to be wrong.
 * 3. 10 for everything else: a part of it was done.
 */
export function exitCodeOfBatch(codes: readonly ExitCode[]): ExitCode {
  const distinct = new Set(codes);
  const [only = EXIT_CODES.ok, ...others] = distinct;
  if (others.length === 0) return only;
  const isLateAtMost = [...distinct].every((code) => code === EXIT_CODES.ok || code === EXIT_CODES.waitTimedOut);
  return isLateAtMost ? EXIT_CODES.waitTimedOut : EXIT_CODES.partlyDone;
}
