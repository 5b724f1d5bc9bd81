import { pickFields } from './fields.ts';
import { writeStdout } from '../terminal/stdout.ts';

/** Prints an indented JSON document. */
export function printJson(value: unknown, fields: readonly string[] | null = null): Promise<void> {
  const picked = fields === null ? value : pickFields(value, fields);
  return writeStdout(`${JSON.stringify(picked, null, 2)}\n`);
}

/** Prints text; on a terminal, with a final line break. */
export function printText(text: string): Promise<void> {
  const isWhole = !process.stdout.isTTY || text === '' || text.endsWith('\n');
  return writeStdout(isWhole ? text : `${text}\n`);
}
