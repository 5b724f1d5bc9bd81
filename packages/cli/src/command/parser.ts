import type { ArgInput, FlagInput } from '@oclif/core/interfaces';
import { type CliError, usageError } from '../errors/cli-error.ts';

interface ParserInput {
  readonly args?: ArgInput;
  readonly flags?: FlagInput;
}

/**
 * Changes two defaults of oclif's parser: missing arguments are not read from stdin, which may belong to a loop around
 * the command, and repeatable flags do not consume the arguments after them.
 */
export function applyParserDefaults({ args = {}, flags = {} }: ParserInput): void {
  for (const arg of Object.values(args)) arg.ignoreStdin = true;
  for (const flag of Object.values(flags)) {
    if (flag.type === 'option' && flag.multiple === true) flag.multipleNonGreedy = true;
  }
}

/** Sets missing boolean flags to false, except those with `--no-...`, which may be undefined. */
export function fillSwitches(values: Record<string, unknown>, flags: FlagInput): void {
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.type === 'boolean' && flag.allowNo !== true) values[name] ??= false;
  }
}

/** Translates an error of oclif's parser. Values that the user typed are removed, because they may be keys. */
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
