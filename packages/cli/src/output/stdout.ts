import { once } from 'node:events';

let isInRow = false;
let filter: ((text: string) => Promise<string>) | null = null;

/** From now on everything goes through this on its way; what it holds back, it may give out with a later piece. */
export function filterStdout(through: (text: string) => Promise<string>): void {
  filter = through;
}

/** Resolves when the text is handed to the system, which keeps a slow reader from filling our memory. */
export async function writeStdout(given: string): Promise<void> {
  const text = filter === null ? given : await filter(given);
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
