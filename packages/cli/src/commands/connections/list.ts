import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, listFormat } from '../../command/flags.ts';
import { CONNECTION_COLUMNS } from '../../features/resources/connections.ts';
import { CONNECTION_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../../format/fields.ts';
import { printRows } from '../../format/rows.ts';

export default class ConnectionsList extends BaseCommand {
  static override summary = 'List the CRM connections that the key can access';
  static override examples = [
    { description: 'All connections', command: '<%= config.bin %> connections list' },
    {
      description: 'Their ids, one per line',
      command: '<%= config.bin %> connections list --format ndjson --fields id',
    },
  ];
  static override flags = listFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(ConnectionsList);
    const known = CONNECTION_FIELDS;
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, known);
    const { connections } = await this.connect(flags).connections.list();
    const whenEmpty = 'No connections are accessible with this key.';
    await printRows(connections, { format: listFormat(flags), fields, known, columns: CONNECTION_COLUMNS, whenEmpty });
  }
}
