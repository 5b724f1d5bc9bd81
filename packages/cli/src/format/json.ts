import { pickFields } from './fields.ts';
import { writeStdout } from '../terminal/stdout.ts';

/** One JSON document on stdout, indented: easy to read, and the same to a parser. */
export function printJson(value: unknown, fields: readonly string[] | null = null): Promise<void> {
  const picked = fields === null ? value : pickFields(value, fields);
  return writeStdout(`${JSON.stringify(picked, null, 2)}\n`);
}

/** Prints text of many lines; on a terminal its last line ends too. */
export function printText(text: string): Promise<void> {
  const isWhole = !process.stdout.isTTY || text === '' || text.endsWith('\n');
  return writeStdout(isWhole ? text : `${text}\n`);
}
