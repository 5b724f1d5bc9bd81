import type { AdminInput, AdminOperationName, AdminResult } from '../../services/admin/index.ts';
import { configFor } from '../options.ts';
import { print } from '../print.ts';
import type { AdminOptions } from './define.ts';
import { sanitize } from './table.ts';

/** What a command prints for people. */
export interface Printed {
  /** For stdout: a sentence, a table, or a secret that is shown once. */
  text: string;
  /** For stderr, beside it. */
  note?: string;
}

/**
 * Does one operation and prints its result: with `--json` as it is, else as `render` says. Notices go to stderr, and are in
 * the JSON too.
 *
 * @returns the result, for a command whose exit code depends on it
 */
export async function runAdmin<Name extends AdminOperationName>(
  name: Name,
  input: AdminInput<Name>,
  options: AdminOptions,
  render: (result: AdminResult<Name>) => Printed,
): Promise<AdminResult<Name>> {
  const config = configFor(options);
  // Only now: help and usage errors need none of it.
  const { executeAdmin } = await import('../../admin/execute.ts');
  const result = await executeAdmin(config, name, input);
  if (options.json) {
    print(`${JSON.stringify(result, null, 2)}\n`);
    return result;
  }
  const { text, note } = render(result);
  print(`${text.trimEnd().split('\n').map(sanitize).join('\n')}\n`);
  const notices = 'notices' in result ? result.notices : [];
  for (const line of [...(note === undefined ? [] : [note]), ...notices]) process.stderr.write(`${sanitize(line)}\n`);
  return result;
}
