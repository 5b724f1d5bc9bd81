import { CliError } from './cli-error.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** The reader of the rows has closed the pipe. Ends an export without a failure. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

/** Errors that mean a wrong path rather than a failing system. */
const WRONG_PATHS: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'part of the path is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'its links form a circle',
  ENAMETOOLONG: 'the name is too long',
  ENXIO: 'no process reads from it',
};

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the system allows',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EPIPE: 'its reader is gone',
  ...WRONG_PATHS,
};

export function toWriteError(error: unknown, target: string): CliError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  const reason = (code !== null && REASONS[code]) || (error instanceof Error ? error.message : String(error));
  const exitCode = code !== null && code in WRONG_PATHS ? EXIT_CODES.usage : EXIT_CODES.unexpected;
  return new CliError(code ?? 'write_failed', exitCode, `Cannot write to ${target}: ${reason}`, null, error);
}

/** Runs `write` and translates errors of the system into `CliError`. */
export async function guardWrite<T>(target: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw error instanceof ReaderGoneError || error instanceof CliError ? error : toWriteError(error, target);
  }
}
