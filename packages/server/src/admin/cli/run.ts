import type { Declaration, Printed, ResultOf } from '@svc/operations/declared/declare';
import type { AdminInput, AdminOperationName, AdminResult } from '@svc/operations/declared/index';
import { type AdminOptions, configFor } from './options.ts';
import { sanitize, toTerminalJson } from '@svc/engine/runtime/terminal-text';

type AnyResult = ResultOf<Declaration>;

/** Calls one operation, which checks its input. */
export async function call<Name extends AdminOperationName>(
  name: Name,
  input: AdminInput<Name>,
  options: AdminOptions,
): Promise<AdminResult<Name>> {
  // Loaded late: help and usage errors do not need it.
  const { executeAdmin } = await import('../execute.ts');
  return executeAdmin(configFor(options), name, input);
}

/** Prints a result: with `--json` unchanged, otherwise for people. Notices go to stderr, and are in the JSON too. */
export function show(result: AnyResult, { json }: AdminOptions, printed: string | Printed): void {
  if (json) return print(`${toTerminalJson(result, 2)}\n`);
  const { text, note }: Printed = typeof printed === 'string' ? { text: printed } : printed;
  print(`${sanitizeLines(text.trimEnd())}\n`);
  for (const line of [...(note === undefined ? [] : [note]), ...noticesOf(result)])
    process.stderr.write(`${sanitizeLines(line)}\n`);
}

function noticesOf({ notices }: AnyResult): string[] {
  return Array.isArray(notices) ? notices.map(String) : [];
}

/** Keeps line breaks only. */
export function sanitizeLines(text: string): string {
  return text.split('\n').map(sanitize).join('\n');
}

/** Writes to stdout. A closed pipe (`| head`) is not a failure. */
export function print(text: string): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.stdout.write(text);
}
