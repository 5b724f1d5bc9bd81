import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { usageError } from '../errors/cli-error.ts';

/** Reads a secret at a prompt without showing it, or from the first line of stdin. */
export async function readSecret(prompt: string): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write(prompt);
  // In terminal mode, readline disables the echo and writes typed text to `output`, which discards it.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal });
  lines.on('SIGINT', () => {
    process.stderr.write('\n');
    process.kill(process.pid, 'SIGINT');
  });
  try {
    for await (const line of lines) {
      const secret = line.trim();
      if (secret !== '') return secret;
      if (isTerminal) break;
    }
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
  throw usageError('No key was given', 'Type it at the prompt, or pipe it into svc login.');
}
