import { once } from 'node:events';
import { clearProgress } from './progress.ts';
import { escapeControls } from './text.ts';

let isInRow = false;
let explainLoss: ((error: Error) => Error) | null = null;

/** Sets what is reported when stdout cannot be written, for output that exists only once. Then a reader that is gone is a failure too. */
export function setLossReport(explain: (error: Error) => Error): void {
  explainLoss = explain;
}

/** Returns the failure that `setLossReport` makes of an error of stdout; null for output that can be read again. */
export function lossOf(error: Error): Error | null {
  return explainLoss?.(error) ?? null;
}

let filter: ((text: string) => Promise<string>) | null = null;

/** Filters all further output; null ends that. The filter may return text with a later piece. */
export function filterStdout(through: ((text: string) => Promise<string>) | null): void {
  filter = through;
}

/**
 * Writes data, with control characters escaped on a terminal. Resolves when the system has accepted the text, so that a
 * slow reader does not fill the memory.
 */
export async function writeStdout(given: string): Promise<void> {
  const text = filter === null ? given : await filter(given);
  await write(process.stdout.isTTY ? escapeControls(text) : text);
}

/** Writes rendered text with colours. Text of the service must have gone through `sanitize`. */
export function writeRendered(text: string): Promise<void> {
  return write(text);
}

async function write(text: string): Promise<void> {
  if (process.stdout.isTTY) clearProgress();
  if (text !== '') isInRow = process.stdout.isTTY && !text.endsWith('\n');
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Whether the last output on a terminal was an incomplete line. Resets that state. */
export function takeIncompleteRow(): boolean {
  const wasInRow = isInRow;
  isInRow = false;
  return wasInRow;
}

/** Returns the columns of the terminal; infinite for files and pipes. */
export function terminalWidth(stream: NodeJS.WriteStream = process.stdout): number {
  return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
}
