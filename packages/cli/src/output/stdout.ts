import { once } from 'node:events';

/** Resolves when the text is handed to the system, which keeps a slow reader from filling our memory. */
export async function writeStdout(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Columns of the terminal; infinite for files and pipes, where nothing may be cut off. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
}
