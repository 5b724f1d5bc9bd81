import { BaseCommand } from '../../command/base-command.ts';
import { listOutput } from '../../command/print-list.ts';
import { listFlags } from '../../command/flags.ts';
import { DESTINATION_COLUMNS } from '../../features/resources/destinations.ts';
import { DESTINATION_RESOURCE_FIELDS } from '@svc/contract/fields';
import { printRows } from '../../format/rows.ts';

export default class DestinationsList extends BaseCommand {
  static override summary = 'List the destinations (URLs that received events are forwarded to)';
  static override examples = [
    { description: 'All destinations', command: '<%= config.bin %> destinations list' },
    {
      description: 'Which events go where',
      command: '<%= config.bin %> destinations list --format ndjson --fields url,eventTypes,sourceIds',
    },
  ];
  static override flags = listFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(DestinationsList);
    const output = listOutput(flags, {
      allFields: DESTINATION_RESOURCE_FIELDS,
      columns: DESTINATION_COLUMNS,
      whenEmpty: 'No destinations are accessible with this key.',
    });
    const { destinations } = await this.connect(flags).destinations.list();
    await printRows(destinations, output);
  }
}
