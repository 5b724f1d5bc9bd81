import type { AdminInput, AdminOperationName, AdminResult } from '@svc/operations/perform';
import { type AdminOptions, configFor, warnOfUnknownVariables } from './options.ts';
import { sanitize, toTerminalJson } from '@svc/engine/runtime/terminal-text';

/** The output of a command for people. */
export interface Printed {
  /** Text for stdout: a sentence, a table, or a secret that is shown once. */
  text: string;
  /** Additional text for stderr. */
  note?: string;
}

/**
 * Runs one operation and prints its result: with `--json` unchanged, otherwise as `render` returns it. Notices go to
 * stderr, and are in the JSON too.
 *
 * @returns the result, for commands whose exit code depends on it
 */
export async function runAdmin<Name extends AdminOperationName>(
  name: Name,
  input: AdminInput<Name>,
  options: AdminOptions,
  render: (result: AdminResult<Name>) => Printed,
): Promise<AdminResult<Name>> {
  if (!options.json) warnOfUnknownVariables();
  const config = configFor(options);
  // Loaded late: help and usage errors do not need it.
  const { executeAdmin } = await import('../execute.ts');
  const result = await executeAdmin(config, name, input);
  if (options.json) {
    print(`${toTerminalJson(result, 2)}\n`);
    return result;
  }
  const { text, note } = render(result);
  print(`${sanitizeLines(text.trimEnd())}\n`);
  const notices = 'notices' in result ? result.notices : [];
  for (const line of [...(note === undefined ? [] : [note]), ...notices])
    process.stderr.write(`${sanitizeLines(line)}\n`);
  return result;
}

function sanitizeLines(text: string): string {
  return text.split('\n').map(sanitize).join('\n');
}

/** Writes to stdout. A closed pipe (`| head`) is not a failure. */
export function print(text: string): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.stdout.write(text);
}
