import type { ArgInput, FlagInput } from '@oclif/core/interfaces';
import { usageError } from '../errors/cli-error.ts';

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

/** A flag, or the end of the flags, but not a text such as `-- urgent --`. */
const FLAG = /^--(?:$|[a-z][\w-]*(?:=|$))/i;

/**
 * oclif would take a misspelled flag for the missing value of the flag before it.
 *
 * @throws CliError (exit 2) for a separate value that looks like a flag
 */
export function assertValuesGiven(argv: readonly string[], flags: FlagInput): void {
  const names = new Map(
    Object.entries(flags).flatMap(([name, { type, char }]) =>
      type === 'option' ? [`--${name}`, ...(char === undefined ? [] : [`-${char}`])].map((form) => [form, name]) : [],
    ),
  );
  for (const [index, word] of argv.entries()) {
    if (word === '--') return;
    const name = names.get(word);
    const next = argv[index + 1];
    if (name === undefined || next === undefined || !FLAG.test(next)) continue;
    throw usageError(`--${name} needs a value`, `For a value that begins with -, write --${name}=VALUE.`);
  }
}
