import type { Config } from '@oclif/core/config';

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

type Loadable = Config['commands'][number];

export function listCommands({ commands, bin }: Pick<Config, 'commands' | 'bin'>): CommandRow[] {
  return commands
    .filter(({ hidden }) => hidden !== true)
    .map((command) => toRow(command, bin))
    .sort((one, other) => (one.command < other.command ? -1 : 1));
}

function toRow(command: Loadable, bin: string): CommandRow {
  const args = Object.values(command.args);
  const flags = Object.values(command.flags).filter(({ hidden }) => hidden !== true);
  return {
    command: command.id.replaceAll(':', ' '),
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
      multiple: flag.type === 'option' && flag.multiple === true,
      options: flag.type === 'option' && flag.options ? [...flag.options] : null,
      default: 'default' in flag && typeof flag.default !== 'function' ? (flag.default ?? null) : null,
    })),
    examples: (command.examples ?? []).flatMap((example) =>
      typeof example === 'string'
        ? []
        : [{ description: example.description, command: example.command.replaceAll('<%= config.bin %>', bin) }],
    ),
  };
}
