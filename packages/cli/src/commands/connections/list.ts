import { BaseCommand } from '../../command/base-command.ts';
import { listOutput } from '../../command/print-list.ts';
import { listFlags } from '../../command/flags.ts';
import { CONNECTION_COLUMNS } from '../../features/resources/connections.ts';
import { CONNECTION_FIELDS } from '@svc/contract/fields';
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
    const output = listOutput(flags, {
      allFields: CONNECTION_FIELDS,
      columns: CONNECTION_COLUMNS,
      whenEmpty: 'No connections are accessible with this key.',
    });
    const { connections } = await this.connect(flags).connections.list();
    await printRows(connections, output);
  }
}
