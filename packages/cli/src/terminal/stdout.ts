import { once } from 'node:events';
import { escapeControls } from './text.ts';

let isInRow = false;
let filter: ((text: string) => Promise<string>) | null = null;

/** From now on everything goes through this on its way; what it holds back, it may give out with a later piece. */
export function filterStdout(through: (text: string) => Promise<string>): void {
  filter = through;
}

/**
 * Writes data as it is into pipes and files, and to a terminal so that it cannot drive it. Resolves when the text is handed to the
 * system, which keeps a slow reader from filling our memory.
 */
export async function writeStdout(given: string): Promise<void> {
  const text = filter === null ? given : await filter(given);
  await write(process.stdout.isTTY ? escapeControls(text) : text);
}

/** Writes text for people as it is, with our colours: what is in it of the service went through `sanitize`. */
export function writeRendered(text: string): Promise<void> {
  return write(text);
}

async function write(text: string): Promise<void> {
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
