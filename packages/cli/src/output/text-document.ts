import { writeStdout } from './stdout.ts';
import { sanitize } from './text.ts';

/** Text of many lines: to a program as it is, to a terminal so that it cannot drive it. */
export function printText(text: string): Promise<void> {
  if (!process.stdout.isTTY || text === '') return writeStdout(text);
  return writeStdout(`${text.replace(/\n$/, '').split('\n').map(sanitize).join('\n')}\n`);
}
