import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { CliError, usageError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';

/** The file argument that means stdin. */
export const STDIN = '-';

/**
 * Reads the raw bytes of a file or stdin.
 *
 * @throws CliError (exit 2) if the file does not exist, or if stdin is a terminal
 */
export async function readPayload(file: string): Promise<Uint8Array> {
  if (file !== STDIN) return readInputFile(file);
  if (process.stdin.isTTY) throw usageError('No body is given', 'Give a file, or pipe the body in.');
  return buffer(process.stdin);
}

/** @throws CliError (exit 2) if the file does not exist */
export async function readInputFile(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw usageError(`There is no file ${file}`);
    if (code === 'EISDIR') throw usageError(`${file} is a folder`);
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('unreadable', EXIT_CODES.unexpected, `Cannot read ${file}: ${reason}`, null, error);
  }
}
