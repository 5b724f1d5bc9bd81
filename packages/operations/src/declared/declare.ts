/**
 * What an operation is, without the work it does. Command lines, checks of input, the audit log and the documentation follow from the
 * declaration. It loads no database code, so a command that calls a running server starts fast.
 */
import * as z from 'zod';

/** What the schema of a field says besides its type. A field that wraps another one (`.optional()`) has what the inner one says. */
export interface FieldMeta {
  /** The flag of the command line with its placeholder, `--account <id>`, or an argument, `<id>`. Absent: no flag sets the field. */
  flag?: string;
  /** What the help says about the flag. */
  description?: string | undefined;
  /** Describes the form of this flag that takes the value away: `--no-client-id`. */
  none?: string;
  /** Turns the text of the flag into the value. An error says what the text must be. Default: by the type of the field. */
  parse?: (text: string, earlier: unknown) => unknown;
  /** The flag names a file with the value. A file of YAML may also be JSON. */
  file?: 'text' | 'json' | 'yaml';
  /** The field is a secret that is read from a file, stdin or a prompt; the flag names the file. */
  secret?: string;
  /** A field that replaces the secret: when it is given, no secret is read. */
  unless?: string;
  /** The value is the id of a row. */
  isId?: boolean;
  /** What the audit log keeps of the value. Default: all of it. */
  audit?: 'nothing' | 'hash' | 'origin';
}

/** Says that this flag sets the field. */
export function flagged(flag: string, description: string, more: FieldMeta = {}): FieldMeta & Record<string, unknown> {
  return { flag, description, ...more };
}

/** Largest input in JSON. Ample for the fifty templates of a relay. */
export const INPUT_BYTES_MAX = 4 * 1024 * 1024;

declare module 'zod' {
  interface GlobalMeta extends FieldMeta {}
}

/** A part of a result, with its type; what the documentation says of its form. */
export interface Part<T> {
  readonly form: string;
  /** Only for the compiler: no part has it. */
  readonly type?: T;
}

/** One value. @param fields the names that the documentation lists; without them it only names the part */
export function one<T>(...fields: (keyof T & string)[]): Part<T> {
  return { form: fields.length === 0 ? '' : `: {${fields.join(', ')}}` };
}

/** A list. @param fields the names of an entry that the documentation lists */
export function list<T>(...fields: (keyof T & string)[]): Part<readonly T[]> {
  return { form: fields.length === 0 ? ': []' : `: [{${fields.join(', ')}}]` };
}

/** Sentences for the operator about what is done or shown. Commands print them to stderr. */
export const notices: Part<string[]> = { form: ': []' };

/** The output of a command for people. */
export interface Printed {
  /** Text for stdout: a sentence, a table, or a secret that is shown once. */
  text: string;
  /** Additional text for stderr. */
  note?: string;
}

type Shape = Readonly<Record<string, Part<unknown>>>;
type Values<Parts> = { [Key in keyof Parts]: Parts[Key] extends Part<infer T> ? T : never };
/** The same in JSON: instants are ISO-8601 text. */
export type InJson<T> = T extends Date
  ? string
  : T extends string
    ? T
    : T extends object
      ? { [Key in keyof T]: InJson<T[Key]> }
      : T;

export interface Declaration<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Parts extends Shape = Shape,
> {
  /** Noun and verb: `sources/update`. */
  readonly name: Name;
  /** The words of its command, if they are not noun and verb; null for an operation that other commands call. */
  readonly command?: string | null;
  /** One line for the help and the documentation. */
  readonly description: string;
  /** What else the documentation says, in Markdown. */
  readonly details?: string;
  /** Arguments of a command line that can be copied. */
  readonly example?: string;
  /** What stands at the end of the command's help. */
  readonly help?: string;
  /**
   * Whether it changes something. Each call of a `write` operation leaves an entry in the audit log. Who can reach the socket or
   * the database may call both.
   */
  readonly permission: 'read' | 'write';
  /**
   * Whether the dashboard wants a sign-in of the last minutes: for what shows or replaces secrets, what removes data, and what changes who
   * may sign in.
   */
  readonly needsRecentSignIn?: true;
  /** Whether it makes sense on the server's machine only, so that the dashboard does not offer it. */
  readonly onlyOnMachine?: true;
  readonly input: Input;
  readonly result: Parts;
  /** Whether the command exits with 1, so that a script does not take what was done for all of it. */
  isIncomplete?(result: InJson<Values<Parts>>): boolean;
  /** What the command prints. Absent where the command has a printer of its own. */
  print?(result: InJson<Values<Parts>>, input: z.input<Input>): string | Printed;
}

export type InputOf<D> = D extends { readonly input: infer Input extends z.ZodObject } ? z.input<Input> : never;
/** What the work of an operation returns. */
export type WorkOf<D> = D extends { readonly result: infer Parts } ? Values<Parts> : never;
/** What its caller gets. */
export type ResultOf<D> = D extends { readonly result: infer Parts } ? InJson<Values<Parts>> : never;

export function declare<const Name extends string, Input extends z.ZodObject, Parts extends Shape>(
  declaration: Declaration<Name, Input, Parts>,
): Declaration<Name, Input, Parts> {
  return declaration;
}

/** A noun of the command line with its operations, in the order of the help. */
export interface Noun<Operations extends readonly Declaration[] = readonly Declaration[]> {
  readonly name: string;
  readonly description: string;
  readonly operations: Operations;
  /** Descriptions of the words between noun and verb: `policy` of `sources policy show`. */
  readonly groups: Readonly<Record<string, string>>;
}

export function noun<const Operations extends readonly Declaration[]>(
  name: string,
  description: string,
  operations: Operations,
  groups: Noun['groups'] = {},
): Noun<Operations> {
  return { name, description, operations, groups };
}

export interface Field {
  meta: FieldMeta;
  /** The schema without what makes it optional. */
  core: z.core.$ZodType;
}

/** Returns what the schema of a field says, wherever it says so. */
export function fieldOf(schema: z.core.$ZodType): Field {
  const meta = z.globalRegistry.get(schema) ?? {};
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    const inner = fieldOf(schema.unwrap());
    return { core: inner.core, meta: { ...inner.meta, ...meta } };
  }
  return { core: schema, meta };
}

/** Returns the words of the command of an operation; null when it has none. */
export function commandOf({ command, name }: Declaration): string[] | null {
  return command === null ? null : (command ?? name.replace('/', ' ')).split(' ');
}
