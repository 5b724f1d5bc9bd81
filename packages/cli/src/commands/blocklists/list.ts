import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { listOutput } from '../../command/print-list.ts';
import { listFlags } from '../../command/flags.ts';
import { BLOCKLIST_FIELDS } from '@svc/contract/fields';
import { BLOCKLIST_COLUMNS } from '../../features/blocklists/columns.ts';
import { printRows } from '../../format/rows.ts';

export default class BlocklistsList extends BaseCommand {
  static override summary = 'List the block lists and the state of each';
  static override examples = [
    { description: 'All block lists', command: '<%= config.bin %> blocklists list' },
    {
      description: 'The ids of one connection, for a script',
      command: '<%= config.bin %> blocklists list --connection 11 --format csv --fields id,listName',
    },
  ];
  static override flags = {
    connection: Flags.integer({ description: 'Only lists of this connection', helpValue: 'ID', min: 1 }),
    ...listFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(BlocklistsList);
    const output = listOutput(flags, {
      allFields: BLOCKLIST_FIELDS,
      columns: BLOCKLIST_COLUMNS,
      whenEmpty: 'No block lists are accessible with this key.',
    });
    const { blocklists } = await this.connect(flags).blocklists.list({ connectionId: flags.connection });
    await printRows(blocklists, output);
  }
}
