import { clearProgress } from './progress.ts';
import { leaveRow } from './stdout.ts';
import { escapeControls, sanitize } from './text.ts';

/**
 * The way to stderr for everything but the progress line, which is cleared for it. Nothing of it can drive a terminal; into pipes and
 * files it is written as it is.
 */
export function writeStderr(text: string): void {
  clearProgress();
  if (leaveRow()) process.stderr.write('\n');
  process.stderr.write(process.stderr.isTTY ? escapeControls(text) : text);
}

/** A line for the person. What the service said cannot drive the terminal. */
export function printNotice(text: string): void {
  writeStderr(`${sanitize(text)}\n`);
}

/**
 * A line for the person, or, where JSON was asked for, one for a program: `{"note": text, ...facts}`.
 *
 * @param facts what the text says, for a program
 */
export function printNote(text: string, isJson: boolean, facts: Readonly<Record<string, unknown>> = {}): void {
  if (isJson) writeStderr(`${JSON.stringify({ note: text, ...facts })}\n`);
  else printNotice(text);
}

/** After Ctrl-C, which terminals show as `^C` where the cursor stands. */
export function startFreshLine(): void {
  if (!clearProgress() && process.stderr.isTTY) process.stderr.write('\n');
}
