import { writeStdout } from './stdout.ts';

/** Prints text of many lines; on a terminal its last line ends too. */
export function printText(text: string): Promise<void> {
  const isWhole = !process.stdout.isTTY || text === '' || text.endsWith('\n');
  return writeStdout(isWhole ? text : `${text}\n`);
}
