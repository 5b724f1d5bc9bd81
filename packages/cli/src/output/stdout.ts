import { once } from 'node:events';

let isInRow = false;

/** Resolves when the text is handed to the system, which keeps a slow reader from filling our memory. */
export async function writeStdout(text: string): Promise<void> {
  if (text !== '') isInRow = process.stdout.isTTY && !text.endsWith('\n');
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Whether a terminal stands behind a row that goes on: what is written there next needs a line of its own. */
export function leaveRow(): boolean {
  const wasInRow = isInRow;
  isInRow = false;
  return wasInRow;
}

/** Columns of the terminal; infinite for files and pipes, where nothing may be cut off. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
}
