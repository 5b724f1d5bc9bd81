import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, listFormat } from '../../command/flags.ts';
import { DESTINATION_COLUMNS } from '../../features/resources/destinations.ts';
import { DESTINATION_RESOURCE_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../../format/fields.ts';
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
    const known = DESTINATION_RESOURCE_FIELDS;
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, known);
    const { destinations } = await this.connect(flags).destinations.list();
    const whenEmpty = 'No destinations are accessible with this key.';
    const format = listFormat(flags);
    await printRows(destinations, { format, fields, known, columns: DESTINATION_COLUMNS, whenEmpty });
  }
}
