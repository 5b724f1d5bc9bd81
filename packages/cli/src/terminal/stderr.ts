import { clearProgress } from './progress.ts';
import { takeIncompleteRow, terminalWidth } from './stdout.ts';
import { escapeControls } from './text.ts';
import { wrapText } from './wrap.ts';

/**
 * Writes to stderr and clears the progress line first. Control characters are escaped on a terminal, but not in pipes and
 * files.
 */
export function writeStderr(text: string): void {
  clearProgress();
  if (takeIncompleteRow()) process.stderr.write('\n');
  process.stderr.write(process.stderr.isTTY ? escapeControls(text) : text);
}

/** Prints a line with escaped control characters, wrapped at spaces on a terminal. */
export function printNotice(text: string): void {
  writeStderr(`${wrapText(text, terminalWidth(process.stderr)).join('\n')}\n`);
}

/**
 * Prints a line of text, or of JSON: `{"note": text, ...facts}`.
 *
 * @param facts the values in the text, for programs
 */
export function printNote(text: string, isJson: boolean, facts: Readonly<Record<string, unknown>> = {}): void {
  if (isJson) writeStderr(`${JSON.stringify({ note: text, ...facts })}\n`);
  else printNotice(text);
}

/** Starts a new line after Ctrl-C, which terminals show as `^C` at the cursor. */
export function startFreshLine(): void {
  if (!clearProgress() && process.stderr.isTTY) process.stderr.write('\n');
}
