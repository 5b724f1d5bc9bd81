import {
  commandWords,
  expandTemplates,
  type Manifest,
  type ManifestCommand,
  shownCommands,
} from '../command/manifest.ts';

/** A command in the output of `svc commands`. */
export interface CommandRow {
  /** For example `syncs list`. */
  readonly command: string;
  readonly summary: string;
  readonly description: string | null;
  readonly args: readonly { readonly name: string; readonly description: string | null; readonly required: boolean }[];
  readonly flags: readonly FlagRow[];
  readonly examples: readonly { readonly description: string; readonly command: string }[];
}

export interface FlagRow {
  readonly name: string;
  readonly char: string | null;
  readonly description: string | null;
  /** `boolean` flags take no value. */
  readonly type: string;
  readonly required: boolean;
  /** Whether the flag may be repeated. */
  readonly multiple: boolean;
  /** The allowed values; null: any. */
  readonly options: readonly string[] | null;
  readonly default: unknown;
}

export const COMMAND_FIELDS = [
  'command',
  'summary',
  'description',
  'args',
  'args.name',
  'args.description',
  'args.required',
  'flags',
  'flags.name',
  'flags.char',
  'flags.description',
  'flags.type',
  'flags.required',
  'flags.multiple',
  'flags.options',
  'flags.default',
  'examples',
  'examples.description',
  'examples.command',
] as const;

export function listCommands(manifest: Pick<Manifest, 'commands'>): CommandRow[] {
  return shownCommands(manifest).map(([id, command]) => toRow(id, command));
}

function toRow(id: string, command: ManifestCommand): CommandRow {
  const args = Object.values(command.args);
  const flags = Object.values(command.flags).filter(({ hidden }) => hidden !== true);
  return {
    command: commandWords(id),
    summary: command.summary ?? '',
    description: command.description ?? null,
    args: args.map(({ name, description, required }) => ({
      name,
      description: description ?? null,
      required: required === true,
    })),
    flags: flags.map((flag) => ({
      name: flag.name,
      char: flag.char ?? null,
      description: flag.description ?? null,
      type: flag.type,
      required: flag.required === true,
      multiple: flag.multiple === true,
      options: flag.options ?? null,
      default: flag.default ?? null,
    })),
    examples: (command.examples ?? []).flatMap((example) =>
      typeof example === 'string'
        ? []
        : [{ description: example.description, command: expandTemplates(example.command) }],
    ),
  };
}
