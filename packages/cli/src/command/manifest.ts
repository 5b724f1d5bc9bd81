import { readFileSync } from 'node:fs';

/** The part of oclif's manifest that help, completion and documentation need. Reading the file takes less time than loading oclif. */
export interface Manifest {
  readonly commands: Readonly<Record<string, ManifestCommand>>;
  readonly topics: Readonly<Record<string, { readonly description?: string }>>;
}

export interface ManifestCommand {
  readonly summary?: string;
  readonly description?: string;
  readonly examples?: readonly (string | { readonly description: string; readonly command: string })[];
  /** Additional meanings of exit codes, by code. */
  readonly exitCodes?: Readonly<Record<string, string>>;
  /** Names of the environment variables that matter most. */
  readonly environment?: readonly string[];
  readonly hidden?: boolean;
  /** False: the last argument may be repeated. */
  readonly strict?: boolean;
  readonly args: Readonly<Record<string, ManifestArgument>>;
  readonly flags: Readonly<Record<string, ManifestFlag>>;
}

export interface ManifestArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
}

export interface ManifestFlag {
  readonly name: string;
  readonly char?: string;
  readonly description?: string;
  readonly type: string;
  readonly hidden?: boolean;
  readonly multiple?: boolean;
  readonly options?: readonly string[];
  readonly helpValue?: string | readonly string[];
  readonly helpGroup?: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly allowNo?: boolean;
  readonly exclusive?: readonly string[];
}

/** @param folder folder of the package */
export function readManifest(folder: URL): Manifest & { readonly description: string } {
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  const { description, oclif } = read('package.json');
  return { commands: read('oclif.manifest.json').commands, topics: oclif.topics, description };
}

/** Returns the commands that help and documentation show, sorted by name. */
export function shownCommands({ commands }: Pick<Manifest, 'commands'>): [id: string, ManifestCommand][] {
  return Object.entries(commands)
    .filter(([, { hidden }]) => hidden !== true)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns `syncs list` for `syncs:list`. */
export function commandWords(id: string): string {
  return id.replaceAll(':', ' ');
}

/** Replaces oclif's templates. */
export function expandTemplates(text: string, id = ''): string {
  return text.replaceAll('<%= config.bin %>', 'svc').replaceAll('<%= command.id %>', commandWords(id));
}

/** Returns for example `ID...`. */
export function argumentName({ name, multiple }: ManifestArgument): string {
  return `${name.toUpperCase()}${multiple === true ? '...' : ''}`;
}

/** Returns the arguments as a usage line shows them: `ID [FILE]`. */
export function argumentForms({ args }: ManifestCommand): string[] {
  return Object.values(args).map((arg) => (arg.required === true ? argumentName(arg) : `[${argumentName(arg)}]`));
}

/** Returns for example `--status success|error` or `--[no-]local-time`. */
export function flagForm({ name, type, helpValue, options, multiple, allowNo }: ManifestFlag): string {
  const value = helpValue === undefined ? (options?.join('|') ?? 'VALUE') : [helpValue].flat().join(' ');
  const form = `--${allowNo === true ? '[no-]' : ''}${name}${type === 'boolean' ? '' : ` ${value}`}`;
  return multiple === true ? `${form}...` : form;
}

/** Returns the description with what follows from the definition, as sentences. */
export function describeFlag(flag: ManifestFlag): string {
  const { description = '', helpValue, options, required, exclusive = [] } = flag;
  const isDefaultShown = ['string', 'number'].includes(typeof flag.default) && flag.default !== '';
  return sentences([
    description,
    ...(required === true ? ['Required'] : []),
    ...(options === undefined || helpValue === undefined ? [] : [`One of ${options.join(', ')}`]),
    ...(isDefaultShown && !/\bdefault\b/i.test(description) ? [`Default ${String(flag.default)}`] : []),
    ...(exclusive.length === 0 ? [] : [`Not with ${exclusive.map((name) => `--${name}`).join(', ')}`]),
  ]);
}

/** Returns the description with what follows from the definition, as sentences. */
export function describeArgument({ description = '', options, required }: ManifestArgument): string {
  return sentences([
    description,
    ...(options === undefined ? [] : [`One of ${options.join(', ')}`]),
    ...(required === true ? [] : ['Optional']),
  ]);
}

export function sentences(texts: readonly string[]): string {
  return texts.map((text) => (/(?:^|[.!?])$/.test(text) ? text : `${text}.`)).join(' ');
}
