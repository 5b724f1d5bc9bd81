import type { ArgInput, FlagInput } from '@oclif/core/interfaces';
import { type CliError, usageError } from '../errors/cli-error.ts';

interface ParserInput {
  readonly args?: ArgInput;
  readonly flags?: FlagInput;
}

/**
 * What the parser does unless each argument and flag says otherwise, and what nobody means here: an argument that is left out is
 * read from stdin, which takes it from a loop around the command or from the command itself; a flag that may be repeated takes
 * the arguments behind it.
 */
export function applyParserDefaults({ args = {}, flags = {} }: ParserInput): void {
  for (const arg of Object.values(args)) arg.ignoreStdin = true;
  for (const flag of Object.values(flags)) {
    if (flag.type === 'option' && flag.multiple === true) flag.multipleNonGreedy = true;
  }
}

/** A switch that was not given is off, as its type says, and not absent. With `--no-...` there is a third way: neither. */
export function fillSwitches(values: Record<string, unknown>, flags: FlagInput): void {
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.type === 'boolean' && flag.allowNo !== true) values[name] ??= false;
  }
}

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
