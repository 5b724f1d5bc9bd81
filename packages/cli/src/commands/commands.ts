import { BaseCommand } from '../command/base-command.ts';
import { listOutput } from '../command/print-list.ts';
import { listFlags } from '../command/flags.ts';
import { printRows } from '../format/rows.ts';
import type { Column } from '../terminal/table.ts';
import { readManifest } from '../command/manifest.ts';
import { COMMAND_FIELDS, type CommandRow, listCommands } from '../features/command-list.ts';

const COLUMNS: readonly Column<CommandRow>[] = [
  { header: 'COMMAND', cell: ({ command, args }) => ({ text: [command, ...args.map(argumentWord)].join(' ') }) },
  { header: 'SUMMARY', cell: ({ summary }) => ({ text: summary }), canShrink: true },
];

function argumentWord({ name, required }: CommandRow['args'][number]): string {
  return required ? name.toUpperCase() : `[${name.toUpperCase()}]`;
}

export default class Commands extends BaseCommand {
  static override summary = 'List all commands; with --json also their arguments, flags and examples';
  static override environment = [] as const;
  static override examples = [
    { description: 'All commands', command: '<%= config.bin %> commands' },
    {
      description: 'The commands that take --source',
      command: '<%= config.bin %> commands --jq \'.[] | select(.flags | any(.name == "source")).command\'',
    },
  ];
  static override flags = listFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(Commands);
    const output = listOutput(flags, { allFields: COMMAND_FIELDS, columns: COLUMNS, whenEmpty: '' });
    // The same folder from `src` and from `dist`.
    const rows = listCommands(readManifest(new URL('../../', import.meta.url)));
    await printRows(rows, output);
  }
}
