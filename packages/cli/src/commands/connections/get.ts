import * as Args from '@oclif/core/args';
import { CONNECTION_FIELDS } from '@svc/contract/fields';
import { BaseCommand } from '../../command/base-command.ts';
import { findItem } from '../../command/find-item.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { connectionLines } from '../../features/resources/connections.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';

export default class ConnectionsGet extends BaseCommand {
  static override summary = 'Show one connection';
  static override description =
    'The API returns connections only as a list, in which this command finds the connection.';
  static override examples = [
    { description: 'One connection', command: '<%= config.bin %> connections get 1' },
    { description: 'Only its status', command: '<%= config.bin %> connections get 1 --json --fields status' },
  ];
  static override args = { id: Args.integer({ description: 'Id of the connection', required: true, min: 1 }) };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConnectionsGet);
    const fields = parseFields(flags.fields, CONNECTION_FIELDS);
    const { connections } = await this.connect(flags).connections.list();
    const item = findItem(connections, args.id, { resource: 'Connection', listCommand: 'svc connections list' });
    await printRecord(item, { isJson: flags.json, fields, lines: () => connectionLines(item) });
  }
}
