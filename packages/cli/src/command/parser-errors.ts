import { stripVTControlCharacters } from 'node:util';
import * as Args from '@oclif/core/args';
import type { ArgInput, FlagInput } from '@oclif/core/interfaces';
import { quoteInput } from '@svc/domain/values/quote-input';
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
  const translated = translate(text, command);
  return translated.hint === null ? usageError(translated.message, seeHelp(command)) : translated;
}

/** Errors of arguments. oclif takes an unknown flag for an argument, and checks arguments first. */
const ARGUMENT_ERROR = /^(?:Expected (?!--)|Unexpected argument)/;

function translate(text: string, command: ParsedCommand): CliError {
  const unknown = ARGUMENT_ERROR.test(text) ? findUnknownFlag(command) : undefined;
  if (unknown !== undefined) return unknownFlag(command, unknown);
  for (const [pattern, toError] of TRANSLATIONS) {
    const found = pattern.exec(text);
    if (found !== null) return toError(command, ...found.slice(1));
  }
  return usageError(text);
}

type Translation = (command: ParsedCommand, ...parts: (string | undefined)[]) => CliError;

const TRANSLATIONS: readonly (readonly [RegExp, Translation])[] = [
  [/^Nonexistent flags?: ([^\s=,]+)/, unknownFlag],
  [/^Unexpected arguments?: ([^]*)$/, unexpectedArgument],
  [/^Missing \d+ required args?:\n(\S+)/, missingArgument],
  [/^Missing required flag (\S+)/, missingFlag],
  [
    /^Expected --([\w-]+)=([^]*) to be one of: /,
    ({ flags }, name = '', value = '') => {
      const flag = flags[name];
      const options = flag?.type === 'option' ? (flag.options ?? []) : [];
      return notOneOf(`--${name}`, value, options, (nearest) => `--${name} ${nearest}`);
    },
  ],
  [
    /^Expected ([^]*) to be one of: (.*)$/,
    ({ args }, value = '', list = '') => {
      const name = Object.keys(args).find((each) => args[each]?.options?.join(', ') === list) ?? 'argument';
      return notOneOf(name.toUpperCase(), value, list.split(', '));
    },
  ],
  [/^Flag --([\w-]+) expects /, (command, name = '') => valueMissing(name, command.flags)],
  [/^Flag --([\w-]+) can only be specified once/, (_command, name) => usageError(`--${name} can be given only once`)],
  [/^Parsing --([\w-]+)\s+([^]*)$/, wrongFlagValue],
  [/^(Expected an integer[^]*)$/, wrongNumberArgument],
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
  const known = new Set(
    Object.entries(flags).flatMap(([name, { type, aliases = [] }]) =>
      [name, ...aliases].flatMap((each) => (type === 'boolean' ? [each, `no-${each}`] : [each])),
    ),
  );
  return argv
    .slice(0, end === -1 ? undefined : end)
    .flatMap((word) => /^--[^=]+/.exec(word) ?? [])
    .find((form) => !known.has(form.slice(2)));
}

/** Flags of other programs (gh, kubectl, Stripe CLI), and the ones that do the same here. */
const HABITS: Readonly<Record<string, readonly (readonly [flag: string, hint: string])[]>> = {
  '-q': [['jq', 'Did you mean --jq?']],
  '-n': [['limit', 'Did you mean --limit?']],
  '-y': [['yes', 'Did you mean --yes?']],
  '-o': [
    ['format', 'Did you mean --format?'],
    ['json', 'Did you mean --json?'],
  ],
  '--output': [
    ['format', 'Did you mean --format? To write a file: > FILE'],
    ['json', 'Did you mean --json?'],
  ],
};

function unknownFlag({ flags }: ParsedCommand, typed = ''): CliError {
  if (typed === '--forward-to') return usageError(`Unknown flag ${typed}`, '`svc webhooks listen` forwards events.');
  const habit = HABITS[typed]?.find(([name]) => name in flags);
  if (habit !== undefined) return usageError(`Unknown flag ${typed}`, habit[1]);
  const names = Object.values(flags).flatMap(({ name, char, hidden }) =>
    hidden === true ? [] : [`--${name}`, ...(char === undefined ? [] : [`-${char}`])],
  );
  const nearest = typed.startsWith('--') ? findNearest(typed, names) : null;
  return usageError(`Unknown flag ${typed}`, nearest === null ? null : `Did you mean ${nearest}?`);
}

/** A long word may be a secret, which must not get into a log. */
const MAY_BE_SECRET = /^[\w+/=-]{24,}$/;

function unexpectedArgument({ name, args, flags, argv }: ParsedCommand, given = ''): CliError {
  const [first = ''] = given.split(', ');
  const before = argv[argv.indexOf(first) - 1];
  const isAfterJson = argv.includes(`--json=${first}`) || (before === '--json' && argv.includes(first));
  if (
    isAfterJson &&
    'fields' in flags &&
    /^[A-Za-z][\w.]*(?:,[A-Za-z][\w.]*)*$/.test(first) &&
    !MAY_BE_SECRET.test(first)
  )
    return usageError(`--json takes no value, but got ${quoteInput(first)}`, `For fields: --json --fields ${first}`);
  const count = Object.keys(args).length;
  const takes = count === 0 ? 'no arguments' : `at most ${count} argument${count === 1 ? '' : 's'}`;
  const shown = MAY_BE_SECRET.test(first) ? '' : `: ${first}`;
  return usageError(`Unexpected argument${shown}`, `\`${name}\` takes ${takes}. See \`${name} --help\`.`);
}

function missingArgument({ args, examples }: ParsedCommand, name = ''): CliError {
  const options = args[name]?.options;
  const values = options === undefined ? '' : `: ${listAlternatives(options)}`;
  return missing(name.toUpperCase(), examples[0], values);
}

function missingFlag({ examples, flags }: ParsedCommand, name = ''): CliError {
  const form = `--${name}`;
  const example = examples.find((each) => each.split(/[ =]/).includes(form));
  return missing(`Flag ${form}${valueOf(flags, name)}`, example);
}

function missing(what: string, example: string | undefined, values = ''): CliError {
  return usageError(`${what} is missing${values}`, example === undefined ? null : `For example: ${example}`);
}

function valueMissing(name: string, flags: FlagInput): CliError {
  const flag = flags[name];
  const options = flag?.type === 'option' ? flag.options : undefined;
  return usageError(`--${name} needs a value${options === undefined ? '' : `: ${options.join(', ')}`}`);
}

/** Returns ` URL` for `--url URL`. */
function valueOf(flags: FlagInput, name: string): string {
  const flag = flags[name];
  return flag?.type === 'option' && flag.helpValue !== undefined ? ` ${[flag.helpValue].flat().join(' ')}` : '';
}

function wrongFlagValue({ flags }: ParsedCommand, name = '', reason = ''): CliError {
  return usageError(`--${name} ${describeNumber(reason, flags[name]) ?? reason}`);
}

const INTEGER = Args.integer({}).parse;

function wrongNumberArgument({ args, examples }: ParsedCommand, reason = ''): CliError {
  const [name, arg] = Object.entries(args).find(([, { parse }]) => parse === INTEGER) ?? ['argument', undefined];
  const message = `${name.toUpperCase()} ${describeNumber(reason, arg) ?? reason}`;
  return usageError(message, examples[0] === undefined ? null : `For example: ${examples[0]}`);
}

/** Translates `Expected an integer ... but received: VALUE`. Returns null for other text. */
function describeNumber(reason: string, limits: unknown): string | null {
  const value = /^Expected an integer[^]* but received: ([^]*)$/.exec(reason)?.[1];
  if (value === undefined) return null;
  const { min, max } = Object(limits);
  const range =
    max !== undefined
      ? ` from ${min ?? 0} to ${max}`
      : min !== undefined && /^-?\d+$/.test(value)
        ? ` of at least ${min}`
        : '';
  return `must be a whole number${range}, not ${quoteInput(value)}`;
}

function seeHelp({ name }: ParsedCommand): string {
  return `See \`${name} --help\`.`;
}
