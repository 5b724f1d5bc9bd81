import { type CliError, usageError } from './cli-error.ts';

/**
 * oclif's errors in our words. They are told apart by their text, because the bundle shortens the names of
 * classes. Values that were typed are left out: one of them may be a key.
 */

/** For whatever the parser of arguments and flags objects to. */
export function toUsageError(error: unknown, helpCommand: string): CliError {
  const text = error instanceof Error ? error.message : String(error);
  const message = text
    .replace(/\n+See more help with --help$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Unexpected arguments?:[^]*$/, 'Too many arguments')
    .replace(/^Expected .* to be one of:/, (start) =>
      start.startsWith('Expected --') ? start : 'The argument must be one of:',
    )
    .replace(/^Parsing (--[\w-]+)\s*/, '$1: ')
    .replace(/ but received:.*$/, '')
    .replace(/(--?[A-Za-z][\w-]*)=\S*/g, '$1');
  return usageError(message, `See \`${helpCommand}\`.`);
}

/** `null` when the error is about something else. */
export function toUnknownCommandError(error: unknown, bin: string): CliError | null {
  const id = error instanceof Error ? /^[Cc]ommand (.+) not found\.?$/.exec(error.message)?.[1] : undefined;
  if (id === undefined) return null;
  return usageError(`${bin} ${id.replaceAll(':', ' ')} is not a command`, `See \`${bin} --help\`.`);
}
