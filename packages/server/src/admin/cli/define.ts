/** Makes the command of an operation from its declaration. */
import { readFile } from 'node:fs/promises';
import {
  commandOf,
  type Declaration,
  fieldOf,
  type FieldMeta,
  type Printed,
  type ResultOf,
} from '@svc/operations/declared/declare';
import type { AdminOperationName } from '@svc/operations/declared/index';
import { invalidInput } from '@svc/operations/implemented/admin-error';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { type AdminOptions, parseCount, parseId, parseSwitch, warnOfUnknownVariables } from './options.ts';
import { readSecret } from './read-secret.ts';
import { call, show } from './run.ts';

/** The values of a command line by the name of their option. */
export type Options = AdminOptions & Readonly<Record<string, unknown>>;

/** What a command does besides calling its operation. */
export interface HandWritten<D extends Declaration = Declaration> {
  /** Adds options that set no field of the input. */
  define?(command: Command): void;
  /** The command has other uses, which need no field of the input. */
  hasOtherUses?: boolean;
  /** Does one of the other uses. @returns whether it was one */
  doOtherUse?(input: Input, options: Options, command: Command): Promise<boolean>;
  /** Completes the input that the options make. */
  complete?(input: Input, options: Options, command: Command): Promise<Input>;
  /** What is printed instead of what the operation declares. */
  print?(result: ResultOf<D>, options: Options): string | Printed | Promise<Printed>;
  /** Continues after the result is shown. */
  after?(result: ResultOf<D>, options: Options): Promise<void> | void;
}

type Input = Record<string, unknown>;

export function handWritten<D extends Declaration>(declaration: D, own: HandWritten<D>) {
  return { ...(own as HandWritten), declaration };
}

interface FlagOfField {
  field: string;
  schema: z.ZodType;
  core: z.core.$ZodType;
  meta: FieldMeta;
  flag: string;
  isArgument: boolean;
}

/** Defines the command of an operation below its noun, or below the program when it has one word. */
export function defineOperation(parent: Command, declaration: Declaration, own: HandWritten = {}): void {
  const words = commandOf(declaration);
  const verb = words?.at(-1);
  if (words === null || verb === undefined) return;
  const { description, example = '', help = '' } = declaration;
  const command = parent
    .command(verb)
    .description(description)
    .option('--data-dir <dir>', 'folder of the embedded database (default: SVC_DATA_DIR, else .svc/data)')
    .option('--json', 'print one JSON document to stdout, and errors as JSON to stderr')
    .addHelpText(
      'after',
      `\nExample:\n  $ svc-server ${[...words, example].join(' ').trimEnd()}${help === '' ? '' : `\n${help}`}`,
    );
  const flags = flagsOf(declaration);
  for (const each of flags) addFlag(command, each, own.hasOtherUses !== true);
  own.define?.(command);
  command.action(async (...given: unknown[]) => {
    const options: Options = command.opts();
    const fields = await readInput(flags, options, given);
    if ((await own.doOtherUse?.(fields, options, command)) === true) return;
    const input = (await own.complete?.(fields, options, command)) ?? fields;
    await runOperation(declaration, input, options, own);
  });
}

/** Calls the operation and prints its result. @throws AdminError */
export async function runOperation(
  declaration: Declaration,
  input: Input,
  options: Options,
  own: HandWritten = {},
): Promise<void> {
  if (!options.json) warnOfUnknownVariables();
  // The operation checks its input and makes the result from it, so both have the types of its declaration.
  const result: ResultOf<Declaration> = await call(declaration.name as AdminOperationName, input as never, options);
  const printed = (await own.print?.(result, options)) ?? declaration.print?.(result, input as never) ?? '';
  show(result, options, printed);
  if (declaration.isIncomplete?.(result) === true) process.exitCode = 1;
  await own.after?.(result, options);
}

function flagsOf({ input }: Declaration): FlagOfField[] {
  return Object.entries(input.shape).flatMap(([field, schema]: [string, z.ZodType]) => {
    const { core, meta } = fieldOf(schema);
    const { flag } = meta;
    return flag === undefined ? [] : [{ field, schema, core, meta, flag, isArgument: /^[<[]/.test(flag) }];
  });
}

function addFlag(
  command: Command,
  { schema, core, meta, flag, isArgument }: FlagOfField,
  mayBeMandatory: boolean,
): void {
  const { description = '' } = meta;
  const parse = parserOf(core, meta, flag);
  if (isArgument) {
    const argument = new Argument(flag, description);
    command.addArgument(parse === null ? argument : argument.argParser(parse));
    return;
  }
  const option = new Option(flag, description);
  const choices = choicesOf(core, meta);
  if (choices !== null) option.choices(choices);
  // A flag replaces the default, also where several of it add up.
  if (parse !== null)
    option.argParser<unknown>((text, earlier) => parse(text, earlier === option.defaultValue ? undefined : earlier));
  const absent = schema.safeParse(undefined);
  // A secret may also come from stdin.
  option.makeOptionMandatory(!absent.success && meta.secret === undefined && mayBeMandatory);
  if (absent.success && !option.negate) setDefault(option, absent.data);
  command.addOption(option);
  if (meta.none !== undefined) command.option(`--no-${option.name()}`, meta.none);
}

/** Sets the default that the operation has too, so that the help shows it, where it says something. */
function setDefault(option: Option, value: unknown): void {
  if (Array.isArray(value) && value.length > 0) option.default(value, JSON.stringify(value.join(',')));
  else if (value === false && option.required) option.default(value, 'off');
  else if (typeof value === 'number' || (typeof value === 'string' && value !== '')) option.default(value);
}

type Parser = (text: string, earlier: unknown) => unknown;

/** Returns what turns a text into the value of the field; null for what stays text. */
function parserOf(core: z.core.$ZodType, meta: FieldMeta, flag: string): Parser | null {
  const { parse } = meta;
  if (parse !== undefined) return (text, earlier) => orUsage(() => parse(text, earlier));
  const values = choicesOf(core, meta);
  if (values !== null && core instanceof z.ZodArray) return (text) => text.split(',').map((one) => oneOf(values, one));
  if (core instanceof z.ZodNumber) return meta.isId === true ? parseId : parseCount;
  return core instanceof z.ZodBoolean && flag.includes('<') ? parseSwitch : null;
}

function choicesOf(core: z.core.$ZodType, { parse }: FieldMeta): string[] | null {
  if (parse !== undefined) return null;
  if (core instanceof z.ZodArray) return choicesOf(core.element, {});
  return core instanceof z.ZodEnum ? core.options.map(String) : null;
}

function oneOf(choices: readonly string[], text: string): string {
  if (!choices.includes(text)) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  return text;
}

function orUsage(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

/** Makes the input of the operation from options and arguments, and reads the files that they name. */
async function readInput(flags: readonly FlagOfField[], options: Options, given: readonly unknown[]): Promise<Input> {
  const input: Input = {};
  const args = [...given];
  for (const { field, schema, meta, flag, isArgument } of flags) {
    const value = isArgument ? args.shift() : options[new Option(flag).attributeName()];
    const long = /^--[\w-]+/.exec(flag)?.[0] ?? `The ${flag.slice(1, -1)}`;
    if (meta.secret !== undefined) {
      const isReplaced = meta.unless !== undefined && input[meta.unless] !== undefined;
      if (!isReplaced) input[field] = await readSecret(meta.secret, toText(value), long);
    } else if (value === false && meta.none !== undefined) input[field] = schema.safeParse(null).success ? null : [];
    else if (meta.file !== undefined && value !== undefined) input[field] = await readFiles(value, long, meta.file);
    else if (value !== undefined) input[field] = value;
  }
  return input;
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

async function readFiles(value: unknown, flag: string, form: NonNullable<FieldMeta['file']>): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((file) => readFiles(file, flag, form)));
  const text = await readText(flag, String(value));
  if (form === 'text') return text;
  return form === 'yaml' ? parseYaml(flag, String(value), text) : parseJson(flag, String(value), text);
}

/** More than any mapping and any payload that a source accepts. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

async function readText(flag: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw invalidInput(`${flag} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (text.length > FILE_BYTES_MAX) throw invalidInput(`${flag}: ${file} is larger than ${FILE_BYTES_MAX} bytes.`);
  return text;
}

function parseJson(flag: string, file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidInput(`${flag}: ${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function parseYaml(flag: string, file: string, text: string): Promise<unknown> {
  // Loaded late: few commands need it.
  const { parse } = await import('yaml');
  try {
    return parse(text, { logLevel: 'error', maxAliasCount: 0 });
  } catch (error) {
    const message = error instanceof Error ? error.message.trim() : String(error);
    const hint = /alias/i.test(message) ? '\nA text that begins with * needs quotes.' : '';
    throw invalidInput(`${flag}: ${file} is neither JSON nor YAML: ${message}${hint}`);
  }
}

export async function readJsonFile(flag: string, file: string): Promise<unknown> {
  return parseJson(flag, file, await readText(flag, file));
}
