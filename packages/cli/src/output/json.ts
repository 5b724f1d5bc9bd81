import { pickFields } from './fields.ts';
import { writeStdout } from './stdout.ts';

/** One JSON document on stdout, indented: easy to read, and the same to a parser. */
export function printJson(value: unknown, fields: readonly string[] | null = null): Promise<void> {
  const picked = fields === null ? value : pickFields(value, fields);
  return writeStdout(`${JSON.stringify(picked, null, 2)}\n`);
}
