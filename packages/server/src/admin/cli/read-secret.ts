import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AdminError, invalidInput } from '@svc/operations/implemented/admin-error';

/** Longer than any token; limits reading when the wrong file was named. */
const SECRET_CHARACTERS_MAX = 64 * 1024;

/**
 * Reads a secret from a file, a hidden prompt or a pipe. Never from the command line, which other users of the machine
 * can read.
 *
 * @param option the flag that names a file
 * @throws AdminError when there is none
 */
export async function readSecret(what: string, file: string | undefined, option = '--token-file'): Promise<string> {
  const text = file === undefined ? await readStdin(`${what}: `) : await readFileAt(file, option);
  const secret = text.trim();
  if (secret !== '') return secret;
  const from = file === undefined ? 'Pipe it in, type it at the prompt, or' : `${file} is empty:`;
  throw invalidInput(`No ${what} was given. ${from} name a file that contains it with ${option}.`);
}

function readStdin(prompt: string): Promise<string> {
  return process.stdin.isTTY ? readHidden(prompt) : readAll(process.stdin);
}

async function readFileAt(file: string, option: string): Promise<string> {
  try {
    return await readAll(createReadStream(file));
  } catch (error) {
    if (error instanceof AdminError) throw error;
    throw invalidInput(`${option} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > SECRET_CHARACTERS_MAX) throw invalidInput('The input is too long to be a token.');
  }
  return text;
}

/** In terminal mode readline disables the echo and writes typed characters to its output, which discards them. */
async function readHidden(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  lines.on('SIGINT', () => {
    process.stderr.write('\n');
    process.kill(process.pid, 'SIGINT');
  });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
