import type { ArgInput, FlagInput, ParserOutput } from '@oclif/core/interfaces';
import { usageError } from '../errors/cli-error.ts';

/**
 * Changes two defaults of oclif's parser: missing arguments are not read from stdin, which may belong to a loop around
 * the command, and repeatable flags do not consume the arguments after them.
 */
export function applyParserDefaults(args: ArgInput, flags: FlagInput): void {
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

/**
 * oclif takes a misspelled flag for the missing value of the flag before it.
 *
 * @throws CliError (exit 2) for a separate value that looks like a flag, but not for a text such as `-- urgent --`
 */
export function assertValuesGiven({ raw }: Pick<ParserOutput, 'raw'>, argv: readonly string[], flags: FlagInput): void {
  for (const token of raw) {
    if (token.type === 'arg' || flags[token.flag]?.type === 'boolean' || !argv.includes(token.input)) continue;
    if (/^--(?:$|[a-z][\w-]*(?:=|$))/i.test(token.input))
      throw usageError(`--${token.flag} needs a value`, `For a value that begins with -, write --${token.flag}=VALUE.`);
  }
}
