import { stripVTControlCharacters } from 'node:util';
import type { ArgInput, FlagInput } from '@oclif/core/interfaces';
import { quoteInput } from '@svc/domain/values/quote-input';
import { flagForm } from './manifest.ts';
import { type CliError, usageError } from '../errors/cli-error.ts';
import { findNearest, listAlternatives, notOneOf } from '../errors/nearest.ts';

/** The part of a command that messages need. */
export interface ParsedCommand {
  /** For example `svc syncs list`. */
  readonly name: string;
  readonly args: ArgInput;
  readonly flags: FlagInput;
  /** Command lines that work. */
  readonly examples: readonly string[];
  /** The words after the name. */
  readonly argv: readonly string[];
}

/** Translates an error of oclif's parser, whose classes do not tell which flag or value is wrong. */
export function toUsageError(error: unknown, command: ParsedCommand): CliError {
  // oclif dims some messages in terminals.
  const text = stripVTControlCharacters(error instanceof Error ? error.message : String(error))
    .replace(/\n+See more help with --help$/, '')
    .replace(/^The following errors? occurred:\s*/, '');
  const { message, hint } = translate(text, command);
  return usageError(message, hint ?? `See \`${command.name} --help\`.`);
}

function translate(text: string, command: ParsedCommand): CliError {
  // oclif takes an unknown flag for an argument, and checks arguments first.
  const unknown = /^(?:Expected (?!--)|Unexpected argument)/.test(text) ? findUnknownFlag(command) : undefined;
  if (unknown !== undefined) return unknownFlag(command, unknown);
  for (const [pattern, toError] of TRANSLATIONS) {
    const found = pattern.exec(text);
    if (found !== null) return toError(command, ...found.slice(1));
  }
  return usageError(text);
}

type Translation = (command: ParsedCommand, name?: string, value?: string, list?: string) => CliError;

const TRANSLATIONS: readonly (readonly [RegExp, Translation])[] = [
  [/^Nonexistent flags?: ([^\s=,]+)/, unknownFlag],
  [/^Unexpected arguments?: ([^]*)$/, unexpectedArgument],
  [/^Missing \d+ required args?:\n(\S+)/, missingArgument],
  [/^Missing required flag (\S+)/, missingFlag],
  [/^Expected (?:--([\w-]+)=)?([^]*) to be one of: (.*)$/, wrongChoice],
  [
    /^Flag --([\w-]+) expects (?:a value|one of these values(: .*))$/,
    (_command, name, values = '') => usageError(`--${name} needs a value${values}`),
  ],
  [/^Flag --([\w-]+) can only be specified once/, (_command, name) => usageError(`--${name} can be given only once`)],
  [/^(?:Parsing --([\w-]+)\s+)?Expected an integer[^]* but received: ([^]*)$/, wrongNumber],
  [/^Parsing --([\w-]+)\s+([^]*)$/, (_command, name, reason) => usageError(`--${name} ${reason}`)],
  [
    /^--([\w-]+)(?:=\S*)? cannot also be provided when using --([\w-]+)/,
    (_command, one, other) => usageError(`Use either --${one} or --${other}, not both`),
  ],
  [
    /^All of the following must be provided when using --([\w-]+): (.*)$/m,
    (_command, name, needed) => usageError(`--${name} can be used only together with ${needed}`),
  ],
];

/** Returns the first word that has the form of a long flag, and that the command does not have. */
function findUnknownFlag({ argv, flags }: ParsedCommand): string | undefined {
  const end = argv.indexOf('--');
  const known = Object.entries(flags).flatMap(([name, { aliases = [] }]) => [name, `no-${name}`, ...aliases]);
  return argv
    .slice(0, end === -1 ? undefined : end)
    .flatMap((word) => /^--[^=]+/.exec(word) ?? [])
    .find((form) => !known.includes(form.slice(2)));
}

function unknownFlag({ flags }: ParsedCommand, typed = ''): CliError {
  const message = `Unknown flag ${typed}`;
  if (typed === '--forward-to') return usageError(message, '`svc webhooks listen` forwards events.');
  const names = Object.keys(flags).filter((name) => flags[name]?.hidden !== true);
  // In order, because `--output` may mean `--format` or `--json`.
  const nearest = findNearest(typed, names.map((name) => `--${name}`).toSorted());
  const file = typed === '--output' ? ' To write a file: > FILE' : '';
  return usageError(message, nearest === null ? null : `Did you mean ${nearest}?${file}`);
}

/** A long word may be a secret, which must not get into a log. */
const MAY_BE_SECRET = /^[\w+/=-]{24,}$/;

function unexpectedArgument({ name, args, flags, argv }: ParsedCommand, given = ''): CliError {
  const [first = ''] = given.split(', ');
  const isSecret = MAY_BE_SECRET.test(first);
  const isAfterJson = argv.includes(`--json=${first}`) || argv[argv.indexOf(first) - 1] === '--json';
  if (isAfterJson && 'fields' in flags && !isSecret && /^[A-Za-z][\w.]*(?:,[A-Za-z][\w.]*)*$/.test(first))
    return usageError(`--json takes no value, but got ${quoteInput(first)}`, `For fields: --json --fields ${first}`);
  const count = Object.keys(args).length;
  const takes = count === 0 ? 'no arguments' : `at most ${count} argument${count === 1 ? '' : 's'}`;
  const message = `Unexpected argument${isSecret ? '' : `: ${first}`}`;
  return usageError(message, `\`${name}\` takes ${takes}. See \`${name} --help\`.`);
}

function missingArgument({ args, examples }: ParsedCommand, name = ''): CliError {
  const options = args[name]?.options;
  const values = options === undefined ? '' : `: ${listAlternatives(options)}`;
  return usageError(`${name.toUpperCase()} is missing${values}`, forExample(examples[0]));
}

function missingFlag({ examples, flags }: ParsedCommand, name = ''): CliError {
  const flag = flags[name];
  const example = examples.find((each) => each.split(/[ =]/).includes(`--${name}`));
  return usageError(`Flag ${flag === undefined ? `--${name}` : flagForm(flag)} is missing`, forExample(example));
}

/** @param flag undefined for an argument, of which oclif names only the value */
function wrongChoice({ args }: ParsedCommand, flag?: string, value = '', list = ''): CliError {
  if (flag !== undefined) return notOneOf(`--${flag}`, value, list.split(', '), (nearest) => `--${flag} ${nearest}`);
  const [name = 'argument'] = Object.keys(args).filter((each) => args[each]?.options?.join(', ') === list);
  return notOneOf(name.toUpperCase(), value, list.split(', '));
}

/** @param flag undefined for an argument; the arguments without a list of values are numbers */
function wrongNumber({ args, flags, examples }: ParsedCommand, flag?: string, value = ''): CliError {
  const [name = 'argument'] = Object.keys(args).filter((each) => args[each]?.options === undefined);
  const { min, max } = Object(flag === undefined ? args[name] : flags[flag]);
  const limits = max === undefined ? (min === undefined ? '' : ` of at least ${min}`) : ` from ${min ?? 0} to ${max}`;
  const message = `must be a whole number${limits}, not ${quoteInput(value)}`;
  if (flag !== undefined) return usageError(`--${flag} ${message}`);
  return usageError(`${name.toUpperCase()} ${message}`, forExample(examples[0]));
}

function forExample(example: string | undefined): string | null {
  return example === undefined ? null : `For example: ${example}`;
}
