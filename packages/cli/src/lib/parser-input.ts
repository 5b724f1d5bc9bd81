import type { ArgInput, FlagInput } from '@oclif/core/interfaces';

interface ParserInput {
  readonly args?: ArgInput;
  readonly flags?: FlagInput;
}

/**
 * What the parser does unless each argument and flag says otherwise, and what nobody means here: an argument that is left out is
 * read from stdin, which takes it from a loop around the command or from the command itself; a flag that may be repeated takes
 * the arguments behind it.
 */
export function tameParser({ args = {}, flags = {} }: ParserInput): void {
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
