import { readFile } from 'node:fs/promises';
import { usageError } from '../../errors/cli-error.ts';

/**
 * What is in a file; `-` is stdin.
 *
 * @throws CliError (exit 2) that names the file
 */
export async function readInput(path: string): Promise<string> {
  if (path === '-') return readStdin();
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(code);
    throw usageError(`Cannot read ${path}: ${reason}`);
  }
}

async function readStdin(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}
